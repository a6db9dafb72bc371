import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdminFederationEntity } from '../../../client/client.ts';
import { isBroken, shownPath, triedBeside } from './path.ts';

const REASON = { code: 'fetch_timeout', words: 'an entity statement could not be fetched' };
const PATH = {
  trust_anchor: 'anchor',
  entities: [],
  expires_at: 1,
  checks: [],
  policy: [],
  ignored_operators: [],
};
const CHAIN = {
  trust_anchor: 'anchor',
  immediate_superior: 'org',
  expires_at: 1,
  statements: [],
  metadata: {},
};

const entity = (
  entity_id: string,
  superiors: readonly AdminFederationEntity[] = [],
  more: Partial<AdminFederationEntity> = {},
): AdminFederationEntity => ({ entity_id, is_trust_anchor: false, superiors, ...more });

const names = (entities: readonly AdminFederationEntity[]): readonly string[] =>
  entities.map(({ entity_id }) => entity_id);

test('a chain is shown from the subject to its anchor, and superiors that were tried beside it stand apart', () => {
  const dead = entity('dead', [entity('beyond')], { reason: REASON });
  const anchor = entity('anchor', [], { is_trust_anchor: true, chain: PATH });
  const search = entity('rp', [dead, entity('org', [anchor])]);
  const path = shownPath({ search, chain: CHAIN });
  assert.deepEqual(names(path), ['rp', 'org', 'anchor']);
  assert.deepEqual(names(triedBeside(path)), ['dead', 'beyond']);
});

test('without a chain, the way ends at the step that is the reason', () => {
  const other = entity('other', [], { reason: { code: 'loop', words: 'other is already on this path' } });
  const broken = entity('org', [], {
    configuration: { kind: 'configuration', source: 'x', checks: [], reason: REASON },
    reason: REASON,
  });
  const search = entity('rp', [other, broken]);
  const path = shownPath({ search, chain: null, reason: REASON });
  assert.deepEqual(names(path), ['rp', 'org']);
  assert.deepEqual(path.map(isBroken), [false, true]);
});

test('a chain that breaks as a whole ends at its anchor, and a subject without a configuration stands alone', () => {
  const reason = { code: 'policy_violated', words: 'the metadata policy' };
  const anchor = entity('anchor', [], { chain: { ...PATH, reason } });
  assert.deepEqual(names(shownPath({ search: entity('rp', [anchor]), chain: null, reason })), [
    'rp',
    'anchor',
  ]);
  const alone = entity('rp', [], { reason: REASON });
  assert.deepEqual(names(shownPath({ search: alone, chain: null, reason: REASON })), ['rp']);
  assert.equal(isBroken(alone), true);
});

test('an entity whose list of superiors was cut is not where a chain breaks', () => {
  const cut = entity('rp', [entity('org')], { reason: { code: 'hints_exhausted', words: 'too many' } });
  assert.equal(isBroken(cut), false);
});
