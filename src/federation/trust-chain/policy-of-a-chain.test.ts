import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestFederation, testEntity } from '../../testing/federation.ts';
import type { Resolution } from './resolve-trust.ts';

const RP = testEntity('https://rp.sub.example.com');
const ORG = testEntity('https://org.example.com');
const ANCHOR = testEntity('https://anchor.example');
const TYPE = 'openid_relying_party';

/** Builds a relying party below an organisation below the anchor. The arguments are claims of the two subordinate statements. */
async function resolved(
  organisation: object,
  anchor: object,
  metadata: object = { [TYPE]: { redirect_uris: ['https://rp.example/cb'], scope: 'openid email phone' } },
): Promise<Resolution> {
  const federation = new TestFederation();
  federation.join(RP, [ORG], { metadata });
  federation.state(ORG, RP, organisation);
  federation.join(ORG, [ANCHOR], {}, anchor);
  federation.join(ANCHOR, []);
  return await federation.resolve(RP, [ANCHOR]);
}

const parameters = ({ chain }: Resolution): object => Object.fromEntries(chain?.metadata.get(TYPE) ?? []);
const code = ({ reason }: Resolution): string | undefined => reason?.code;

// proves openid-federation-3.1.1-1
test('the immediate superior’s metadata replaces the subject’s, for entity types that the subject has (§3.1.1; H-214)', async () => {
  const stated = {
    metadata: {
      [TYPE]: { scope: 'openid', client_name: 'Named' },
      openid_provider: { issuer: 'https://evil.example' },
    },
  };
  const resolution = await resolved(stated, { metadata: { federation_entity: { organization_name: 'x' } } });
  assert.deepEqual(parameters(resolution), {
    redirect_uris: ['https://rp.example/cb'],
    scope: 'openid',
    client_name: 'Named',
  });
  assert.deepEqual([...(resolution.chain?.metadata.keys() ?? [])], [TYPE]);
});

// proves openid-federation-3.1.1-1
test('policies merge from the anchor downwards and apply after the superior’s metadata (§6.1.4.1, §6.1.4.2)', async () => {
  const resolution = await resolved(
    {
      metadata: { [TYPE]: { contacts: ['a@org.example'] } },
      metadata_policy: { [TYPE]: { contacts: { add: ['b@org.example'] } } },
    },
    {
      metadata_policy: {
        [TYPE]: { scope: { subset_of: ['openid', 'email'] }, contacts: { add: ['c@anchor.example'] } },
      },
    },
  );
  assert.deepEqual(parameters(resolution), {
    redirect_uris: ['https://rp.example/cb'],
    scope: 'openid email',
    contacts: ['a@org.example', 'c@anchor.example', 'b@org.example'],
  });
  const anchor = resolution.search.superiors[0]?.superiors[0];
  assert.deepEqual(
    anchor?.chain?.policy.map(({ parameter, operator }) => `${parameter} ${operator}`),
    ['scope subset_of', 'contacts add'],
  );
});

// proves openid-federation-6.1.4.1-1
test('policies that contradict each other make the chain invalid, and the reason names the issuer and the parameter (§6.1.4.1; H-209)', async () => {
  const resolution = await resolved(
    { metadata_policy: { [TYPE]: { subject_type: { value: 'public' } } } },
    { metadata_policy: { [TYPE]: { subject_type: { value: 'pairwise' } } } },
  );
  assert.equal(code(resolution), 'policy_merge');
  assert.equal(
    resolution.reason?.words,
    `the metadata policy of ${ORG.id}: for openid_relying_party.subject_type: value differs from the value that the superior sets`,
  );
});

// proves openid-federation-3.1.1-1
test('metadata that does not comply makes the chain invalid (§6.1.4.2; H-211)', async () => {
  const policy = { metadata_policy: { [TYPE]: { client_name: { essential: true } } } };
  assert.equal(code(await resolved({}, policy)), 'policy_violated');
  const removing = { metadata_policy: { [TYPE]: { redirect_uris: { value: null } } } };
  assert.deepEqual(parameters(await resolved({}, removing)), { scope: 'openid email phone' });
});

// proves openid-federation-6.2-1
test('max_path_length counts the intermediates between its issuer and the subject (§6.2.1; H-208)', async () => {
  for (const [organisation, anchor, expected] of [
    [0, undefined, undefined],
    [undefined, 1, undefined],
    [undefined, 1e9, undefined],
    [undefined, 0, 'constraint_path_length'],
  ]) {
    const constraint = (max: unknown) => (max === undefined ? {} : { constraints: { max_path_length: max } });
    assert.equal(code(await resolved(constraint(organisation), constraint(anchor))), expected);
  }
});

const NAMES: readonly (readonly [naming: object, accepted: boolean])[] = [
  [{ permitted: ['.example.com'] }, true],
  [{ permitted: ['.EXAMPLE.com'] }, true],
  [{ permitted: ['example.com'] }, false],
  [{ permitted: ['org.example.com', 'rp.sub.example.com'] }, true],
  [{ permitted: ['org.example.com'] }, false],
  [{ permitted: ['.sub.example.com'] }, false],
  [{ permitted: [] }, false],
  [{ permitted: ['.xample.com'] }, false],
  [{ excluded: ['.sub.example.com'] }, false],
  [{ excluded: ['.rp.sub.example.com'] }, true],
  [{ excluded: ['sub.example.com'] }, true],
  [{ permitted: ['.example.com'], excluded: ['rp.sub.example.com'] }, false],
  [{}, true],
];
for (const [naming, accepted] of NAMES) {
  // proves openid-federation-6.2-1
  test(`naming_constraints ${JSON.stringify(naming)} of the anchor apply to the intermediate and the subject (§6.2.2; H-208)`, async () => {
    const resolution = await resolved({}, { constraints: { naming_constraints: naming } });
    assert.equal(code(resolution), accepted ? undefined : 'constraint_naming');
  });
}

// proves openid-federation-6.2-1
test('naming_constraints of an intermediate apply to the subject only (§6.2)', async () => {
  assert.equal(
    code(await resolved({ constraints: { naming_constraints: { permitted: ['.sub.example.com'] } } }, {})),
    undefined,
  );
});

// proves openid-federation-6.2-1
test('allowed_entity_types removes types before policies apply, but never federation_entity (§6.2.3)', async () => {
  const metadata = { [TYPE]: {}, openid_provider: {}, federation_entity: {} };
  const policy = { metadata_policy: { openid_provider: { issuer: { essential: true } } } };
  for (const [allowed, left] of [
    [[TYPE], [TYPE, 'federation_entity']],
    [[], ['federation_entity']],
  ]) {
    const anchor = { constraints: { allowed_entity_types: allowed }, ...policy };
    const { chain } = await resolved({}, anchor, metadata);
    assert.deepEqual([...(chain?.metadata.keys() ?? [])], left);
  }
});
