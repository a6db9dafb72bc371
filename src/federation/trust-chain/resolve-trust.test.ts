import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joseJwtInspector } from '../../jose/jwt-verifier.ts';
import {
  LIMITS,
  NOW,
  statementUrl,
  type TestEntity,
  TestFederation,
  testEntity,
} from '../../testing/federation.ts';
import { configurationUrl } from '../entity-id.ts';
import { examineStatement } from '../examine-statement.ts';
import { type Resolution, resolveTrust } from './resolve-trust.ts';

const RP = testEntity('https://rp.example');
const ORG = testEntity('https://org.example');
const ANCHOR = testEntity('https://anchor.example');
const OTHER = testEntity('https://other.example');
const RP_METADATA = { metadata: { openid_relying_party: { redirect_uris: ['https://rp.example/cb'] } } };

function simple(): TestFederation {
  const federation = new TestFederation();
  federation.join(RP, [ORG], RP_METADATA);
  federation.join(ORG, [ANCHOR]);
  federation.join(ANCHOR, []);
  return federation;
}

const entities = ({ chain }: Resolution) => chain?.statements.map(({ iss, sub }) => `${iss} ${sub}`);

// proves openid-federation-4-1
test('a chain through an intermediate has its statements, anchor, immediate superior and keys (§4, §10.1)', async () => {
  const federation = simple();
  const { chain, reason, fetches } = await federation.resolve(RP, [ANCHOR], {}, 'openid_relying_party');
  assert.equal(reason, undefined);
  assert.deepEqual(
    chain?.statements.map(({ iss, sub }) => [iss, sub]),
    [
      [RP.id, RP.id],
      [ORG.id, RP.id],
      [ANCHOR.id, ORG.id],
      [ANCHOR.id, ANCHOR.id],
    ],
  );
  assert.equal(chain?.trust_anchor, ANCHOR.id);
  assert.equal(chain?.immediate_superior, ORG.id);
  assert.deepEqual(chain?.keys, [RP.key.jwk]);
  assert.equal(fetches, 5);
});

// proves openid-federation-10.4-1
test('a chain expires with the first of its statements (§10.4)', async () => {
  const federation = simple();
  federation.state(ANCHOR, ORG, { exp: NOW + 77 });
  assert.equal((await federation.resolve(RP, [ANCHOR])).chain?.expires_at, NOW + 77);
});

// proves openid-federation-10.3-1
test('the shorter of two chains wins in any order of the hints (§10.3)', async () => {
  for (const superiors of [
    [ORG, ANCHOR],
    [ANCHOR, ORG],
  ]) {
    const federation = simple();
    federation.join(RP, superiors, RP_METADATA);
    const { chain } = await federation.resolve(RP, [ANCHOR]);
    assert.equal(chain?.immediate_superior, ANCHOR.id);
  }
});

// proves openid-federation-10.3-1
test('between two chains of one length, the superior that the entity names first wins (OpenID Federation 1.0 §10.3, §12.2.3)', async () => {
  for (const superiors of [
    [OTHER, ANCHOR],
    [ANCHOR, OTHER],
  ]) {
    const federation = twoAnchors(superiors);
    for (const anchors of [superiors, superiors.toReversed()])
      assert.equal((await federation.resolve(RP, anchors)).chain?.trust_anchor, superiors[0]?.id);
  }
});

function twoAnchors(superiors: readonly TestEntity[], claims: object = {}): TestFederation {
  const federation = new TestFederation();
  federation.join(RP, superiors, { ...RP_METADATA, ...claims });
  federation.join(ANCHOR, []);
  federation.join(OTHER, []);
  return federation;
}

// proves openid-federation-10.3-1
test('trust_anchor_hints select the anchor, also behind a longer chain (OpenID Federation 1.0 §3.1.2)', async () => {
  const near = twoAnchors([OTHER, ANCHOR], { trust_anchor_hints: [ANCHOR.id, 'https://unknown.example'] });
  assert.equal((await near.resolve(RP, [OTHER, ANCHOR])).chain?.trust_anchor, ANCHOR.id);
  const far = twoAnchors([OTHER, ORG], { trust_anchor_hints: [ANCHOR.id] });
  far.join(ORG, [ANCHOR]);
  assert.equal((await far.resolve(RP, [OTHER, ANCHOR])).chain?.trust_anchor, ANCHOR.id);
});

test('trust_anchor_hints are hints: without a chain to those anchors, another one serves, and nothing is fetched twice', async () => {
  const federation = twoAnchors([OTHER], { trust_anchor_hints: [ANCHOR.id] });
  const { chain, search } = await federation.resolve(RP, [ANCHOR, OTHER]);
  assert.equal(chain?.trust_anchor, OTHER.id);
  assert.equal(new Set(federation.fetched).size, federation.fetched.length);
  assert.deepEqual(
    search.superiors.map(({ entity_id }) => entity_id),
    [OTHER.id],
  );
});

// proves openid-federation-10.3-1
test('the longer chain wins if the shorter one is invalid (§10.1)', async () => {
  const federation = simple();
  federation.join(RP, [ORG, ANCHOR], RP_METADATA);
  federation.state(ANCHOR, RP, { constraints: { naming_constraints: { excluded: ['rp.example'] } } });
  const { chain, search } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(chain?.immediate_superior, ORG.id);
  const refused = search.superiors.find(({ entity_id }) => entity_id === ANCHOR.id);
  assert.equal(refused?.chain?.reason?.code, 'constraint_naming');
});

test('a chain ends at the configured anchor, even if the anchor has superiors (§4.1)', async () => {
  const federation = simple();
  federation.join(ANCHOR, [OTHER]);
  federation.join(OTHER, []);
  assert.equal((await federation.resolve(RP, [ANCHOR])).chain?.trust_anchor, ANCHOR.id);
  assert.equal((await federation.resolve(RP, [OTHER])).chain?.trust_anchor, OTHER.id);
});

test('a chain to an entity that the operator did not configure is rejected (H-203)', async () => {
  const { chain, reason } = await simple().resolve(RP, [OTHER]);
  assert.equal(chain, undefined);
  assert.equal(reason?.code, 'unknown_trust_anchor');
});

for (const id of [
  `${ANCHOR.id}/`,
  `${ANCHOR.id}:443`,
  'https://ANCHOR.example',
  'https://anchor.example.evil',
  'https://anchor.exampl',
]) {
  // proves openid-federation-4-1
  test(`an anchor matches by its whole identifier, and ${id} is another entity (H-203, CVE-2026-14336)`, async () => {
    const federation = simple();
    const needs = { anchors: [{ entity_id: id, keys: [ANCHOR.key.jwk] }] };
    assert.equal((await federation.resolve(RP, [], needs)).chain, undefined);
  });
}

// proves openid-federation-4-1
test('an anchor with other keys than the configured ones is rejected (H-203; §10.2)', async () => {
  const federation = simple();
  const impostor = testEntity(ANCHOR.id);
  federation.join(ORG, [impostor]);
  federation.join(impostor, []);
  const { chain, reason } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(chain, undefined);
  assert.equal(reason?.code, 'chain_anchor_key');
});

// proves openid-federation-4-1
test('an anchor’s statement signed with a key of its configuration that the operator did not configure is rejected (H-203)', async () => {
  const federation = simple();
  const second = testEntity('https://anchor.example/second');
  const keys = { jwks: { keys: [ANCHOR.key.jwk, second.key.jwk] } };
  federation.join(ANCHOR, [], keys);
  const stated = ANCHOR.about(ORG, {}, {}, second.key);
  federation.documents.set(statementUrl(ANCHOR, ORG), stated);
  const { reason } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(reason?.code, 'chain_anchor_key');
});

// proves openid-federation-4-1
test('a configuration signed with a key of its own jwks that its superior does not state is rejected (H-205, decision 34)', async () => {
  const federation = simple();
  const second = testEntity('https://rp.example/second');
  federation.documents.set(
    configurationUrl(RP.id),
    RP.configuration(
      { authority_hints: [ORG.id], jwks: { keys: [RP.key.jwk, second.key.jwk] }, ...RP_METADATA },
      {},
      second.key,
    ),
  );
  const { reason } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(reason?.code, 'chain_signature');
});

// proves openid-federation-4-1
test('an intermediate’s configuration signed with a key that its superior does not list is rejected (H-206)', async () => {
  const federation = simple();
  const impostor = testEntity(ORG.id);
  federation.join(impostor, []);
  federation.documents.set(
    configurationUrl(ORG.id),
    impostor.configuration({
      authority_hints: [ANCHOR.id],
      metadata: { federation_entity: { federation_fetch_endpoint: `${ORG.id}/fetch` } },
    }),
  );
  federation.state(impostor, RP);
  const { reason } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(reason?.code, 'chain_signature');
});

const BAD_STATEMENTS: readonly (readonly [name: string, make: () => string, code: string])[] = [
  ['with iss and sub exchanged', () => ORG.about(RP, { iss: RP.id, sub: ORG.id }), 'statement_subject'],
  ['about another entity', () => ORG.about(OTHER), 'statement_subject'],
  ['by another superior', () => ORG.about(RP, { iss: OTHER.id }), 'statement_not_subordinate'],
  ['signed by its subject', () => ORG.about(RP, {}, { kid: ORG.key.kid }, RP.key), 'statement_signature'],
  ['that has expired', () => ORG.about(RP, { exp: NOW - 61 }), 'statement_expired'],
  ['from the future', () => ORG.about(RP, { iat: NOW + 61 }), 'statement_not_yet_valid'],
  ['without jwks', () => ORG.about(RP, { jwks: undefined }), 'statement_jwks'],
  ['with empty jwks', () => ORG.about(RP, { jwks: { keys: [] } }), 'statement_jwks'],
  ['of another media type', () => 'media-type', 'fetch_media-type'],
  [
    'with authority_hints',
    () => ORG.about(RP, { authority_hints: [ANCHOR.id] }),
    'statement_authority_hints',
  ],
  [
    'with a negative max_path_length',
    () => ORG.about(RP, { constraints: { max_path_length: -1 } }),
    'statement_constraints',
  ],
  ['of type JWT', () => ORG.about(RP, {}, { typ: 'JWT' }), 'statement_type'],
];
for (const [name, make, code] of BAD_STATEMENTS) {
  // proves openid-federation-3.2-2, openid-federation-3.2-5
  test(`a subordinate statement ${name}: no chain, ${code} (H-204, §3.2)`, async () => {
    const federation = simple();
    federation.documents.set(statementUrl(ORG, RP), make());
    const { chain, reason } = await federation.resolve(RP, [ANCHOR]);
    assert.equal(chain, undefined);
    assert.equal(reason?.code, code);
  });
}

test('a superior without a statement about the subject makes no chain (§3.2 6)', async () => {
  const federation = simple();
  federation.join(RP, [ANCHOR], RP_METADATA);
  federation.documents.delete(statementUrl(ANCHOR, RP));
  const { reason } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(reason?.code, 'fetch_status');
});

// proves openid-federation-10.1-1
test('the search leaves a loop and finds the valid path beside it (§10.1; H-201, H-202)', async () => {
  for (const superiors of [
    [OTHER, ANCHOR],
    [ANCHOR, OTHER],
  ]) {
    const federation = simple();
    federation.join(ORG, superiors);
    federation.join(OTHER, [ORG]);
    const { chain } = await federation.resolve(RP, [ANCHOR]);
    assert.equal(chain?.trust_anchor, ANCHOR.id);
  }
  const loops = simple();
  loops.join(ORG, [OTHER]);
  loops.join(OTHER, [ORG, RP, OTHER]);
  const { chain, reason, fetches } = await loops.resolve(RP, [ANCHOR]);
  assert.equal(chain, undefined);
  assert.equal(reason?.code, 'loop');
  assert.equal(fetches, 5);
  assert.equal(new Set(loops.fetched).size, loops.fetched.length, 'each address is fetched once');
});

for (const failure of ['unresolvable', 'timeout', 'redirected', 'media-type', 'too-large'] as const) {
  test(`the search finds a valid chain beside an authority that fails with ${failure}, in either order (H-199, H-202)`, async () => {
    for (const superiors of [
      [OTHER, ORG],
      [ORG, OTHER],
    ]) {
      const federation = simple();
      federation.join(RP, superiors, RP_METADATA);
      federation.documents.set(configurationUrl(OTHER.id), failure);
      const { chain, search } = await federation.resolve(RP, [ANCHOR]);
      assert.equal(chain?.immediate_superior, ORG.id);
      const dead = search.superiors.find(({ entity_id }) => entity_id === OTHER.id);
      assert.equal(dead?.reason?.code, `fetch_${failure}`);
    }
  });
}

// proves openid-federation-10.1-1
test('an authority with a different answer each time is asked once, so no chain mixes two answers (H-225)', async () => {
  const federation = simple();
  federation.join(RP, [ORG, OTHER], RP_METADATA);
  federation.join(OTHER, [ORG]);
  let told = 0;
  federation.documents.set(configurationUrl(ORG.id), () => {
    told += 1;
    return ORG.configuration({
      authority_hints: [ANCHOR.id],
      exp: NOW + 1000 + told,
      metadata: { federation_entity: { federation_fetch_endpoint: `${ORG.id}/fetch` } },
    });
  });
  await federation.resolve(RP, [testEntity('https://unknown.example')]);
  assert.equal(told, 1);
});

test('an authority with an internal address is not asked (H-198)', async () => {
  const federation = simple();
  const inside = testEntity('https://inside.example');
  federation.join(RP, [inside], RP_METADATA);
  const { reason } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(reason?.code, 'superior_address');
  assert.deepEqual(federation.fetched, [configurationUrl(RP.id)]);
  assert.doesNotMatch(reason?.words ?? '', /10\.0\.0\.1/);
});

test('a fetch endpoint with an internal address is not asked (H-207)', async () => {
  const federation = simple();
  const metadata = { federation_entity: { federation_fetch_endpoint: 'https://inside.example/fetch' } };
  federation.join(ORG, [ANCHOR], { metadata });
  const { chain, reason } = await federation.resolve(RP, [ANCHOR]);
  assert.equal(chain, undefined);
  assert.equal(reason?.code, 'fetch_forbidden-address');
  assert.ok(federation.fetched.every((url) => !url.includes('inside')));
  assert.doesNotMatch(reason?.words ?? '', /10\.0\.0\.1/);
});

test('a superior without a fetch endpoint, or with a fragment in its URL, makes no chain (§5.1.1)', async () => {
  for (const metadata of [
    {},
    { federation_entity: {} },
    { federation_entity: { federation_fetch_endpoint: 'https://org.example/f#x' } },
  ]) {
    const federation = simple();
    federation.join(ORG, [ANCHOR], { metadata });
    assert.equal((await federation.resolve(RP, [ANCHOR])).reason?.code, 'no_fetch_endpoint');
  }
});

test('a fetch endpoint may have a query (§5.1.1)', async () => {
  const federation = simple();
  const metadata = { federation_entity: { federation_fetch_endpoint: 'https://org.example/f?tenant=1' } };
  federation.join(ORG, [ANCHOR], { metadata });
  const url = 'https://org.example/f?tenant=1&sub=https%3A%2F%2Frp.example';
  federation.documents.set(url, ORG.about(RP));
  assert.deepEqual(entities(await federation.resolve(RP, [ANCHOR]))?.length, 4);
  assert.ok(federation.fetched.includes(url));
});

test('entities of a submitted chain are tried first and prove nothing (decision 36)', async () => {
  const federation = simple();
  const many = [1, 2, 3, 4, 5].map((number) => testEntity(`https://org-${number}.example`));
  const hints = [...many, ORG].map(({ id }) => id);
  const needs = federation.needs([ANCHOR]);
  const { checks, outcome } = await examineStatement(
    joseJwtInspector,
    RP.configuration({ authority_hints: hints, ...RP_METADATA }),
    {
      kind: 'configuration',
      now: NOW,
      limits: LIMITS.statement,
      allowHttp: false,
      addressProblem: () => undefined,
    },
  );
  assert.ok('statement' in outcome);
  const subject = { configuration: outcome.statement, checks };
  const ask = async (preferred: readonly string[]): Promise<Resolution> =>
    await resolveTrust(needs, { subject: { ...subject, preferred }, entityType: undefined });
  assert.equal((await ask([])).chain, undefined);
  assert.equal((await ask([ORG.id, ANCHOR.id])).chain?.immediate_superior, ORG.id);
  assert.equal((await ask(['https://org-1.example'])).chain, undefined);
  assert.ok(
    !federation.fetched.includes(configurationUrl(RP.id)),
    'the submitted configuration is not fetched',
  );
});

// proves openid-federation-6.2-1
test('a chain that removes openid_relying_party is rejected for a relying party (§6.2.3; H-208)', async () => {
  const federation = simple();
  federation.state(ANCHOR, ORG, { constraints: { allowed_entity_types: ['openid_provider'] } });
  const { reason } = await federation.resolve(RP, [ANCHOR], {}, 'openid_relying_party');
  assert.equal(reason?.code, 'constraint_entity_types');
  assert.ok((await federation.resolve(RP, [ANCHOR])).chain?.metadata.has('openid_relying_party') === false);
});
