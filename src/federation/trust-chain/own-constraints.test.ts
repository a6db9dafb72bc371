import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS, TestFederation, testEntity } from '../../testing/federation.ts';
import type { OwnConstraints } from './own-constraints.ts';

const RP = testEntity('https://rp.member.example');
const ORG = testEntity('https://org.example');
const ABOVE = testEntity('https://above.example');
const ANCHOR = testEntity('https://anchor.test');
const NONE: OwnConstraints = {
  maxPathLength: 20,
  permittedNames: [],
  excludedNames: [],
  requiredEntityTypes: [],
};

async function reasonUnder(
  constraints: Partial<OwnConstraints>,
  metadata: object = { openid_relying_party: {} },
) {
  const federation = new TestFederation();
  federation.join(RP, [ORG], { metadata });
  federation.join(ORG, [ABOVE]);
  federation.join(ABOVE, [ANCHOR]);
  federation.join(ANCHOR, []);
  const { reason } = await federation.resolve(RP, [ANCHOR], {
    constraints: { ...NONE, ...constraints },
    limits: LIMITS,
  });
  return [reason?.code, reason?.words] as const;
}

const ROWS: readonly (readonly [
  name: string,
  constraints: Partial<OwnConstraints>,
  code: string | undefined,
])[] = [
  ['two intermediates of two', { maxPathLength: 2 }, undefined],
  ['two intermediates of one', { maxPathLength: 1 }, 'own_constraint_path_length'],
  ['two intermediates of none', { maxPathLength: 0 }, 'own_constraint_path_length'],
  ['a permitted domain of all members', { permittedNames: ['.example'] }, undefined],
  [
    'a permitted domain of the relying party only',
    { permittedNames: ['.member.example'] },
    'own_constraint_naming',
  ],
  [
    'permitted hosts, letter case aside',
    { permittedNames: ['RP.member.example', 'org.example', 'above.example'] },
    undefined,
  ],
  ['an excluded host of an intermediate', { excludedNames: ['above.example'] }, 'own_constraint_naming'],
  [
    'an excluded domain inside a permitted one',
    { permittedNames: ['.example'], excludedNames: ['.member.example'] },
    'own_constraint_naming',
  ],
  ['the name of the anchor, which the settings trust', { excludedNames: ['anchor.test'] }, undefined],
  ['a domain that only ends like the name', { excludedNames: ['ember.example'] }, undefined],
  [
    'a required entity type that is absent',
    { requiredEntityTypes: ['federation_entity'] },
    'own_constraint_entity_types',
  ],
];
for (const [name, constraints, code] of ROWS) {
  // proves openid-federation-6.2-1
  test(`constraints of this server: ${name}: ${code ?? 'trusted'} (OpenID Federation 1.0 §6.2)`, async () => {
    const [found, words = ''] = await reasonUnder(constraints);
    assert.equal(found, code);
    if (code !== undefined)
      assert.match(words, /^this server .*\(federation\.[a-z-]+( and federation\.excluded-names)?\)$/);
  });
}

test('a required entity type that the relying party has is met, and one of an entity that is no relying party is not asked for (OpenID Federation 1.0 §6.2.3)', async () => {
  const required = { requiredEntityTypes: ['federation_entity'] };
  assert.deepEqual(await reasonUnder(required, { openid_relying_party: {}, federation_entity: {} }), [
    undefined,
    undefined,
  ]);
  assert.deepEqual(await reasonUnder(required, { openid_provider: {} }), [undefined, undefined]);
});
