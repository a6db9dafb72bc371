import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonValue } from '../../spec/json.ts';
import { applyMetadataPolicy } from './apply-policy.ts';
import { resolveChainPolicy } from './chain-policy.ts';

const FILE = join(import.meta.dirname, '../../../test/vectors/metadata-policy-test-vectors-2025-02-13.json');
const ENTITY_TYPE = 'openid_relying_party';

type Members = Readonly<Record<string, JsonValue>>;

/** Has the form in which Connect2id published it: policies and metadata of one entity type. */
interface Vector {
  readonly n: number;
  readonly TA: Members;
  readonly INT: Members;
  readonly merged?: Members;
  readonly metadata: Members;
  readonly resolved?: Members;
  readonly error?: 'invalid_policy' | 'invalid_metadata';
}

function outcome({ TA, INT, metadata }: Vector): Pick<Vector, 'merged' | 'resolved' | 'error'> {
  const source = (issuer: string, policy: Members) => ({
    issuer,
    metadata_policy: { [ENTITY_TYPE]: policy },
    metadata_policy_crit: undefined,
  });
  const chain = resolveChainPolicy([source('TA', TA), source('INT', INT)]);
  if (!chain.ok) return { error: 'invalid_policy' };
  const merged = Object.fromEntries(chain.policy.entityTypes.get(ENTITY_TYPE) ?? []);
  const applied = applyMetadataPolicy(
    chain.policy,
    new Map([[ENTITY_TYPE, new Map(Object.entries(metadata))]]),
  );
  if (applied.problem !== undefined) return { merged, error: 'invalid_metadata' };
  return { merged, resolved: Object.fromEntries(applied.metadata.get(ENTITY_TYPE) ?? []) };
}

// proves openid-federation-6.1.3.1-1
test('metadata policies pass all 2,019 public test vectors (OpenID Federation 1.0 §6.1.4)', () => {
  const vectors = JSON.parse(readFileSync(FILE, 'utf8')) as readonly Vector[];
  assert.equal(vectors.length, 2019);
  for (const vector of vectors) {
    const { merged, resolved, error } = vector;
    const expected = {
      ...(merged === undefined ? {} : { merged }),
      ...(resolved === undefined ? {} : { resolved }),
      ...(error === undefined ? {} : { error }),
    };
    assert.deepEqual(outcome(vector), expected, `vector ${vector.n}`);
  }
});
