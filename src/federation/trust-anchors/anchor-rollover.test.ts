import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnchorRecord, type NamedKey, NOTHING_SEEN, type Pins, trustedKeys } from './anchor-record.ts';
import { acceptedByOperator, observed, type Rollover, type RolloverRules } from './anchor-rollover.ts';

const key = (thumbprint: string): NamedKey => ({ thumbprint, jwk: { kty: 'EC', kid: thumbprint } });
const pinned = (...names: readonly string[]): Pins => new Map(names.map((name) => [name, key(name)]));
const PINS = pinned('A');
const DELAY = 100;

/** A configuration of an anchor at a time: its keys, and the one that signs. */
interface Shown {
  readonly at: number;
  readonly keys: string;
  readonly signer: string;
  readonly iat?: number;
}

function look(
  before: AnchorRecord,
  { at, keys, signer, iat = at }: Shown,
  rules: Partial<RolloverRules> = {},
  pins = PINS,
): Rollover {
  const seen = { iat, exp: iat + 1000, keys: keys.split('').map(key), signer };
  return observed(pins, before, seen, { now: at, follow: false, delay: DELAY, ...rules });
}

/** Returns the record after all looks, and the events of each. */
function life(
  shown: readonly Shown[],
  rules: Partial<RolloverRules> = {},
): { readonly record: AnchorRecord; readonly events: readonly string[] } {
  let record = NOTHING_SEEN;
  const events: string[] = [];
  for (const one of shown) {
    const after = look(record, one, rules);
    record = after.record;
    events.push(after.events.map(({ kind, key: { thumbprint } }) => `${kind} ${thumbprint}`).join());
  }
  return { record, events };
}

const trusted = (record: AnchorRecord, pins = PINS): string =>
  trustedKeys(pins, record)
    .map(({ thumbprint }) => thumbprint)
    .join('');

test('a new key beside a trusted one is announced once and not trusted, however long it is announced (OpenID Federation 1.0 §11.2)', () => {
  const { record, events } = life([
    { at: 1, keys: 'A', signer: 'A' },
    { at: 2, keys: 'AB', signer: 'A' },
    { at: 900, keys: 'AB', signer: 'A' },
  ]);
  assert.deepEqual(events, ['', 'announced B', '']);
  assert.equal(trusted(record), 'A');
  assert.equal(record.keys.find(({ thumbprint }) => thumbprint === 'B')?.since, 2);
});

test('an operator who accepts trusts what the anchor announces and no longer what it lacks (OpenID Federation 1.0 §11.2)', () => {
  const { record } = life([{ at: 1, keys: 'AB', signer: 'A' }]);
  const both = acceptedByOperator(PINS, record, 2).record;
  assert.equal(trusted(both), 'AB');
  const { record: later, events } = look(both, { at: 3, keys: 'B', signer: 'B' });
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['missing'],
  );
  assert.equal(trusted(later), 'AB', 'a key of the settings stays until an operator decides');
  const { record: after, events: changes } = acceptedByOperator(PINS, later, 4);
  assert.deepEqual([trusted(after), changes.map(({ kind }) => kind)], ['B', ['withdrawn']]);
  assert.deepEqual(acceptedByOperator(PINS, after, 5).events, []);
});

test('a server that follows trusts a key after the delay without a break, and lets go of a missing one after the same time (RFC 5011 §2)', () => {
  const follow = { follow: true };
  const shown: readonly Shown[] = [
    { at: 1, keys: 'AB', signer: 'A' },
    { at: 100, keys: 'AB', signer: 'A' },
    { at: 101, keys: 'AB', signer: 'A' },
    { at: 102, keys: 'B', signer: 'B' },
    { at: 201, keys: 'B', signer: 'B' },
    { at: 202, keys: 'B', signer: 'B' },
  ];
  const { record, events } = life(shown, follow);
  assert.deepEqual(events, ['announced B', '', 'accepted B', 'missing A', '', 'withdrawn A']);
  assert.equal(trusted(record), 'B');
  const broken = life(
    [
      shown[0] as Shown,
      { at: 50, keys: 'A', signer: 'A' },
      { at: 60, keys: 'AB', signer: 'A' },
      { at: 150, keys: 'AB', signer: 'A' },
    ],
    follow,
  );
  assert.deepEqual([trusted(broken.record), broken.events], ['A', ['announced B', '', 'announced B', '']]);
});

test('a configuration older than the newest announces nothing and brings no key back (H-441)', () => {
  const { record, events } = life([
    { at: 10, keys: 'AB', signer: 'A' },
    { at: 20, keys: 'A', signer: 'A' },
    { at: 30, keys: 'ABC', signer: 'A', iat: 19 },
  ]);
  assert.deepEqual(events, ['announced B', '', '']);
  assert.deepEqual(
    record.keys.map(({ thumbprint }) => thumbprint),
    ['A'],
  );
});

test('an accepted key counts as long as the settings have the key that vouched for it, directly or over others (ADR 64)', () => {
  let { record } = life([{ at: 1, keys: 'AB', signer: 'A' }]);
  record = acceptedByOperator(PINS, record, 2).record;
  record = look(record, { at: 3, keys: 'BC', signer: 'B' }).record;
  record = acceptedByOperator(PINS, record, 4).record;
  assert.equal(trusted(record), 'BC');
  assert.equal(trusted(record, pinned('B')), 'BC');
  assert.equal(trusted(record, pinned('C')), 'C');
  assert.equal(trusted(record, pinned('D')), 'D', 'a thief of A has announced B and C');
  const anew = look(record, { at: 5, keys: 'BCD', signer: 'D' }, {}, pinned('D'));
  assert.deepEqual(
    anew.events.map(({ kind }) => kind),
    ['announced', 'announced'],
  );
  assert.equal(trusted(anew.record, pinned('D')), 'D');
});

test('a withdrawn key that the anchor shows again waits to be accepted, also if the settings have it (OpenID Federation 1.0 §11.2)', () => {
  let { record } = life([{ at: 1, keys: 'AB', signer: 'A' }]);
  record = acceptedByOperator(PINS, record, 2).record;
  record = acceptedByOperator(PINS, look(record, { at: 3, keys: 'B', signer: 'B' }).record, 4).record;
  const again = look(record, { at: 5, keys: 'AB', signer: 'B' });
  assert.deepEqual([trusted(again.record), again.events.map(({ kind }) => kind)], ['B', ['announced']]);
  assert.equal(trusted(acceptedByOperator(PINS, again.record, 6).record), 'AB');
});

test('many rollovers leave a short record: a key of the past leaves its thumbprint, and settings with it still lead to the newest key', () => {
  let record = NOTHING_SEEN;
  const names = 'ABCDEFGHIJ';
  for (let step = 0; step + 1 < names.length; step += 1) {
    const [old, next] = [names[step] ?? '', names[step + 1] ?? ''];
    record = look(record, { at: 10 * step + 1, keys: old + next, signer: old }).record;
    record = acceptedByOperator(PINS, record, 10 * step + 2).record;
    record = look(record, { at: 10 * step + 3, keys: next, signer: next }).record;
    record = acceptedByOperator(PINS, record, 10 * step + 4).record;
  }
  assert.equal(trusted(record), 'J');
  assert.deepEqual(
    record.keys.map(({ thumbprint }) => thumbprint),
    ['A', 'I', 'J'],
    'A is in the settings, and the next look drops I',
  );
  for (const name of names) assert.match(trusted(record, pinned(name)), /J/u, name);
  assert.equal(trusted(record, pinned('X')), 'X');
});

/** A small linear congruential generator: the same lives in every run. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state >> 8;
  }
}

for (const follow of [true, false]) {
  test(`a thousand random looks, follow ${follow}: the trust never ends for the key that signs, and never begins for one that no trusted key announced`, () => {
    const random = numbers(follow ? 5 : 7);
    const next = (below: number): number => random.next().value % below;
    let record = NOTHING_SEEN;
    const announced = new Set(['A']);
    for (let at = 1; at < 1000; at += 1) {
      const now = trusted(record);
      const signer = now[next(now.length)] ?? 'A';
      const keys = [...new Set([signer, ...'ABCDEF'.split('').filter(() => next(3) === 0)])].join('');
      for (const name of keys) announced.add(name);
      record = look(record, { at: at * 40, keys, signer }, { follow }).record;
      if (!follow && next(4) === 0) record = acceptedByOperator(PINS, record, at * 40).record;
      assert.ok(trusted(record).includes(signer), `${at}: ${signer} of ${trusted(record)}`);
      assert.ok(
        trusted(record)
          .split('')
          .every((name) => announced.has(name)),
      );
    }
  });
}
