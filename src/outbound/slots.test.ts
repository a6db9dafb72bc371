import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { deadline, type Slot, type SlotLimits, Slots } from './slots.ts';

const LIMITS: SlotLimits = {
  total: 4,
  perHost: 4,
  perAddress: 4,
  waitingMax: 8,
  waitMs: 60_000,
  graceMs: 0,
};

/** Stops the time: a fetch that still waits at the end of a test would keep the process for its 60 seconds. */
const stopTime = ({ mock }: TestContext): void => mock.timers.enable({ apis: ['setTimeout'] });

/** Enters under the names of a row such as `keys a 10.0.0.1 x`, at a host of its own. */
let hosts = 0;
async function enter(slots: Slots, row: string, host?: string): Promise<Slot | undefined> {
  hosts += 1;
  return await slots.enter(row.split(' '), host ?? `host ${hosts}`);
}

async function entered(slots: Slots, row: string, host?: string): Promise<Slot> {
  const slot = await enter(slots, row, host);
  assert.ok(slot !== undefined, `${row} did not enter`);
  return slot;
}

/** Fills all slots with fetches that give way when they must, and returns their names in this order. */
async function occupied(slots: Slots, rows: readonly string[]): Promise<string[]> {
  const gaveWay: string[] = [];
  for (const row of rows) {
    const slot = await entered(slots, row);
    slot.signal.addEventListener('abort', () => {
      gaveWay.push(row);
      slot.leave();
    });
  }
  return gaveWay;
}

test('a fetch that waits for a busy host does not block fetches behind it', async (t) => {
  stopTime(t);
  const slots = new Slots({ ...LIMITS, perHost: 1, total: 2, graceMs: 60_000 });
  await entered(slots, 'keys t n a', 'a');
  const second = await entered(slots, 'keys t n b', 'b');
  const order: string[] = [];
  const waiting = ['a', 'c'].map(async (host) => {
    const slot = await entered(slots, `keys t n later-${host}`, host);
    order.push(host);
    return slot;
  });
  second.leave();
  await waiting[1];
  assert.deepEqual(order, ['c']);
});

const PARTINGS: readonly (readonly [level: string, attacker: string, honest: string])[] = [
  ['purpose', 'statements t n', 'keys t n'],
  ['tenant', 'keys t n', 'keys other n'],
  ['network of the requester', 'keys t n', 'keys t other'],
];
for (const [level, attacker, honest] of PARTINGS) {
  test(`decision 50: the fetches of one ${level} hold every slot, and the first of another gets one`, async (t) => {
    stopTime(t);
    const slots = new Slots(LIMITS);
    const gaveWay = await occupied(
      slots,
      [1, 2, 3, 4].map((n) => `${attacker} p${n}`),
    );
    await entered(slots, `${honest} p`);
    await entered(slots, `${honest} q`);
    assert.deepEqual(gaveWay, [`${attacker} p1`, `${attacker} p2`], 'the longest give way');
    const third = enter(slots, `${honest} r`);
    await turn();
    assert.equal(gaveWay.length, 2, 'both hold half of the slots: nothing gives way');
    assert.deepEqual(slots.lengths('keys').waiting, 1);
    void third;
  });
}

test('decision 50: parties of one network take turns when each holds one slot', async () => {
  const slots = new Slots(LIMITS);
  const gaveWay = await occupied(
    slots,
    [1, 2, 3, 4].map((n) => `keys t n p${n}`),
  );
  await entered(slots, 'keys t n honest');
  assert.deepEqual(gaveWay, ['keys t n p1']);
});

test('decision 50: a fetch does not give way before its grace, and then at once', async () => {
  const slots = new Slots({ ...LIMITS, graceMs: 60 });
  const started = performance.now();
  const gaveWay = await occupied(
    slots,
    [1, 2, 3, 4].map((n) => `keys t n p${n}`),
  );
  await entered(slots, 'keys t other p');
  assert.ok(performance.now() - started >= 59, 'the grace was over');
  assert.equal(gaveWay.length, 1);
});

test('decision 50: a free slot goes to the party with the fewest, not to the longest wait', async (t) => {
  stopTime(t);
  const slots = new Slots({ ...LIMITS, graceMs: 60_000 });
  const held = await entered(slots, 'keys t greedy p0');
  for (const n of [1, 2, 3]) await entered(slots, `keys t greedy p${n}`);
  const order: string[] = [];
  const waiting = ['keys t greedy p4', 'keys t greedy p5', 'keys t modest p'].map(async (row) => {
    const slot = await entered(slots, row);
    order.push(row);
    return slot;
  });
  held.leave();
  await Promise.race(waiting);
  assert.deepEqual(order, ['keys t modest p']);
});

test('decision 50: a full queue refuses a fetch of the party that has the most, and no other', async (t) => {
  stopTime(t);
  const slots = new Slots({ ...LIMITS, waitingMax: 3, graceMs: 60_000 });
  for (const n of [1, 2, 3, 4]) await entered(slots, `keys t greedy p${n}`);
  const refused: string[] = [];
  const ask = (row: string): void =>
    void enter(slots, row).then((slot) => slot === undefined && refused.push(row));
  for (const n of [5, 6, 7]) ask(`keys t greedy p${n}`);
  ask('keys t modest p');
  await turn();
  assert.deepEqual(refused, ['keys t greedy p7']);
  ask('keys t greedy p8');
  await turn();
  assert.deepEqual(refused, ['keys t greedy p7', 'keys t greedy p8']);
  assert.deepEqual(slots.lengths('keys'), { running: 4, waiting: 3 });
});

test('decision 50: many names of one address share its limit, and give way to another network there', async () => {
  const slots = new Slots({ ...LIMITS, perAddress: 2 });
  const reach = async (row: string): Promise<{ readonly slot: Slot; readonly reached: boolean }> => {
    const slot = await entered(slots, row);
    slot.signal.addEventListener('abort', () => slot.leave());
    return { slot, reached: await slot.reach(['203.0.113.7']) };
  };
  const [first] = [await reach('keys t greedy a'), await reach('keys t greedy b')];
  const honest = await reach('keys t modest c');
  assert.ok(honest.reached);
  assert.ok(first.slot.signal.aborted);
});

test('every end of a fetch leaves nothing behind', async () => {
  const slots = new Slots({ ...LIMITS, waitMs: 1, graceMs: 60_000 });
  const held = await Promise.all([1, 2, 3, 4].map((n) => entered(slots, `keys t n p${n}`)));
  assert.equal(await enter(slots, 'keys t n late'), undefined);
  for (const slot of held) slot.leave();
  assert.deepEqual(slots.lengths('keys'), { running: 0, waiting: 0 });
});

test('a deadline that is over aborts at once, without a warning of the runtime', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  using late = deadline(-241.5);
  await new Promise((resolve) => late.signal.addEventListener('abort', resolve, { once: true }));
  // Node tells warnings in a later turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  assert.deepEqual(warnings, []);
});
