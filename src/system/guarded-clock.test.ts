import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RememberedTime, Sighting } from '../ports/time-memory.ts';
import { type GuardedClock, guardedClock } from './guarded-clock.ts';

const HOUR = 3_600;
const DAY = 86_400;
const LIMITS = { aheadMax: 1_800, behindMax: 300, patience: 25 * HOUR };
const START = 1_000_000_000;

/** One machine whose wall clock tests set, and the memory of a database that survives its restarts. */
class Machine {
  /** The true time. */
  time = START;
  /** How far the wall clock is ahead of it. */
  wrong = 0;
  /** How far the clock of the database server is ahead of the true time; undefined without one. */
  database: { readonly wrong: number; readonly independent: boolean } | undefined;
  memory: Omit<RememberedTime, 'database'> | undefined;
  guard: GuardedClock = this.#make();

  #make(): GuardedClock {
    const wall = (): number => this.time + this.wrong;
    return guardedClock(
      { now: wall, milliseconds: () => wall() * 1000 },
      { seconds: () => this.time - START + 77 },
      LIMITS,
    );
  }

  #remembered(): RememberedTime | undefined {
    const { database, memory } = this;
    if (memory === undefined) return undefined;
    const shown = database && { now: this.time + database.wrong, independent: database.independent };
    return { ...memory, database: shown };
  }

  /** Does what the verb of the storage port does. */
  #note({ at, waited, confirmation }: Sighting): void {
    this.memory ??= { latest: at, waited, confirmation };
    if (confirmation !== this.memory.confirmation) return;
    const bound = this.database === undefined ? at : Math.min(at, this.time + this.database.wrong);
    this.memory = { latest: Math.max(this.memory.latest, bound), waited, confirmation };
  }

  report(): void {
    this.#note(this.guard.sighting());
    const remembered = this.#remembered();
    assert.ok(remembered !== undefined);
    this.guard.learn(remembered);
  }

  start(): void {
    this.guard = this.#make();
    const remembered = this.#remembered();
    if (remembered !== undefined) this.guard.learn(remembered);
    this.report();
  }

  run(seconds: number): void {
    const step = Math.max(10, Math.round(seconds / 200));
    for (let passed = 0; passed < seconds; passed += step) {
      this.time += step;
      this.report();
    }
  }

  confirm(): void {
    const { confirmation = 0 } = this.memory ?? {};
    this.memory = { latest: this.time + this.wrong, waited: 0, confirmation: confirmation + 1 };
    this.report();
  }
}

function ran(database?: Machine['database']): Machine {
  const machine = new Machine();
  machine.database = database;
  machine.start();
  machine.run(HOUR);
  assert.equal(machine.guard.doubt(), undefined);
  return machine;
}

for (const [name, shift] of [
  ['+1 h', HOUR],
  ['+400 d', 400 * DAY],
] as const) {
  test(`a start at ${name}: the deleting clock goes on from the remembered time, and nothing is in doubt once the clock is right`, () => {
    const machine = ran();
    machine.wrong = shift;
    machine.start();
    machine.run(600);
    assert.equal(machine.guard.doubt()?.direction, 'ahead');
    assert.equal(machine.guard.deleting.now(), machine.time);
    assert.equal(machine.guard.serving.now(), machine.time + shift, 'requests see the clock of the machine');
    assert.equal(machine.memory?.latest, machine.time, 'the wrong time is not remembered');
    machine.wrong = 0;
    machine.start();
    assert.equal(machine.guard.doubt(), undefined);
  });
}

for (const [name, shift] of [
  ['-1 h', -HOUR],
  ['-400 d', -400 * DAY],
] as const) {
  test(`a start at ${name}: requests see the remembered time going on, deletions the earlier one`, () => {
    const machine = ran();
    machine.wrong = shift;
    machine.start();
    machine.run(600);
    assert.equal(machine.guard.doubt()?.direction, 'behind');
    assert.equal(machine.guard.serving.now(), machine.time);
    assert.equal(machine.guard.deleting.now(), machine.time + shift);
    machine.wrong = 0;
    machine.start();
    assert.equal(machine.guard.doubt(), undefined);
  });
}

test('a clock that is set back while the server runs is noticed by the next request', () => {
  const machine = ran();
  machine.wrong = -HOUR;
  assert.equal(machine.guard.serving.now(), machine.time);
});

test('a clock that is set back within the limit is followed', () => {
  const machine = ran();
  machine.wrong = -LIMITS.behindMax + 20;
  machine.run(60);
  assert.equal(machine.guard.doubt(), undefined);
  assert.equal(machine.guard.serving.now(), machine.time + machine.wrong);
});

test('a start after a long stop is in doubt for as long as the patience, over restarts in between', () => {
  const machine = ran();
  machine.time += 3 * DAY;
  machine.start();
  assert.equal(machine.guard.doubt()?.direction, 'ahead');
  machine.run(15 * HOUR);
  machine.start();
  machine.run(9 * HOUR);
  assert.equal(machine.guard.doubt()?.direction, 'ahead', 'after 24 of 25 hours');
  machine.run(2 * HOUR);
  assert.equal(machine.guard.doubt(), undefined);
  assert.equal(machine.memory?.latest, machine.time);
});

test('a clock that is behind for as long as the patience is accepted', () => {
  const machine = ran();
  machine.wrong = -DAY;
  machine.start();
  machine.run(24 * HOUR);
  assert.equal(machine.guard.isAccepted(), false);
  machine.run(2 * HOUR);
  assert.equal(machine.guard.isAccepted(), true);
  machine.confirm();
  assert.equal(machine.guard.doubt(), undefined);
  assert.equal(machine.guard.serving.now(), machine.time - DAY);
});

test('a confirmation ends the doubt in both directions', () => {
  for (const wrong of [400 * DAY, -400 * DAY]) {
    const machine = ran();
    machine.wrong = wrong;
    machine.start();
    assert.notEqual(machine.guard.doubt(), undefined);
    machine.confirm();
    machine.run(60);
    assert.equal(machine.guard.doubt(), undefined);
    assert.equal(machine.guard.deleting.now(), machine.time + wrong);
    assert.equal(machine.memory?.latest, machine.time + wrong);
  }
});

test('a database server that contradicts keeps a clock in doubt beyond the patience, and the remembered time right', () => {
  for (const wrong of [400 * DAY, -400 * DAY]) {
    const machine = ran({ wrong: 0, independent: true });
    machine.wrong = wrong;
    machine.start();
    machine.run(30 * HOUR);
    const doubt = machine.guard.doubt();
    assert.ok(doubt !== undefined && doubt.secondsLeft === undefined);
    assert.equal(machine.guard.isAccepted(), false);
    assert.ok(machine.guard.deleting.now() <= machine.time);
    assert.equal(machine.memory?.latest, machine.time);
  }
});

test('after a long stop the agreeing clock of another machine ends the doubt, and one on the same machine does not', () => {
  for (const independent of [true, false]) {
    const machine = ran({ wrong: 0, independent });
    machine.time += 3 * DAY;
    machine.start();
    assert.equal(machine.guard.doubt()?.direction, independent ? undefined : 'ahead');
  }
});
