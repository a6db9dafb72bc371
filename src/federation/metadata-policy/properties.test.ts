import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '../../spec/json.ts';
import {
  ENTITY_TYPE,
  type Members,
  membersOf,
  mergedPolicy,
  resolved,
} from '../../testing/metadata-policy.ts';
import { type MetadataPolicy, mergeMetadataPolicies, parseMetadataPolicy } from './metadata-policy.ts';
import { OPERATOR_NAMES } from './operators.ts';

/** Creates a random number generator (Mulberry32). The same seed gives the same policies, so a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const WORDS = ['a', 'b', 'c'];
const PARAMETERS = ['grant_types', 'scope', 'subject_type'];

type Random = (below: number) => number;

const words = (random: Random): readonly string[] => WORDS.filter(() => random(3) > 0);
const parameterValue = (random: Random): JsonValue =>
  random(2) === 0 ? (WORDS[random(3)] ?? 'a') : words(random);

function operatorValue(name: string, random: Random): JsonValue {
  if (name === 'essential') return random(2) === 0;
  if (name === 'value' && random(6) === 0) return null;
  return name === 'value' || name === 'default' ? parameterValue(random) : words(random);
}

/** Creates few operators for each parameter. With more, nearly every policy would contradict itself. */
function randomPolicy(random: Random): Members {
  const of = () =>
    Object.fromEntries(
      OPERATOR_NAMES.filter(() => random(8) === 0).map((name) => [name, operatorValue(name, random)]),
    );
  return Object.fromEntries(PARAMETERS.map((parameter) => [parameter, of()]));
}

function parsed(policy: Members): MetadataPolicy | undefined {
  const result = parseMetadataPolicy({ [ENTITY_TYPE]: policy }, new Set());
  return result.ok ? result.value : undefined;
}

function merge(
  one: MetadataPolicy | undefined,
  other: MetadataPolicy | undefined,
): MetadataPolicy | undefined {
  if (one === undefined || other === undefined) return undefined;
  const result = mergeMetadataPolicies(one, other);
  return result.ok ? result.value : undefined;
}

const members = (policy: MetadataPolicy | undefined): Members | 'refused' =>
  policy === undefined ? 'refused' : membersOf(policy);

// proves openid-federation-6.1.4.1-1
test('merging is associative for 20,000 random chains of three policies, including chains that fail (§6.1.4.1)', () => {
  const random = randomFrom(1);
  let whole = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const policies = [randomPolicy(random), randomPolicy(random), randomPolicy(random)];
    const [a, b, c] = policies.map(parsed);
    const left = members(merge(merge(a, b), c));
    assert.deepEqual(left, members(merge(a, merge(b, c))), JSON.stringify(policies));
    if (left !== 'refused') whole += 1;
  }
  // A run in which nearly all merges fail would prove nothing.
  assert.ok(whole > 1000, String(whole));
});

// proves openid-federation-6.1.4.1-1
test('metadata that a merged policy accepts passes each of its parts unchanged, for 20,000 random policies (§6.1.1)', () => {
  const random = randomFrom(2);
  let passed = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const policies = [randomPolicy(random), randomPolicy(random)];
    if (typeof mergedPolicy(...policies) === 'string') continue;
    const metadata = Object.fromEntries(
      PARAMETERS.filter(() => random(3) > 0).map((name) => [
        name,
        name === 'scope' ? words(random).join(' ') : parameterValue(random),
      ]),
    );
    const outcome = resolved(policies, metadata);
    if (typeof outcome === 'string') continue;
    passed += 1;
    for (const policy of policies) {
      assert.deepEqual(
        sorted(resolved([policy], outcome as Members)),
        sorted(outcome),
        JSON.stringify({ policies, metadata }),
      );
    }
  }
  assert.ok(passed > 1000, String(passed));
});

/** §6.1.3: "The order of the result of such an operator value merge is not defined". */
function sorted(outcome: JsonValue): JsonValue {
  if (typeof outcome !== 'object') return outcome;
  return Object.fromEntries(
    Object.entries(outcome as Members).map(([name, value]) => {
      const list: unknown = typeof value === 'string' && name === 'scope' ? value.split(' ') : value;
      return [name, Array.isArray(list) ? list.map(String).sort() : value];
    }),
  );
}
