import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW, statementUrl, type TestEntity, TestFederation, testEntity } from '../../testing/federation.ts';
import { resolved } from '../../testing/metadata-policy.ts';
import type { JsonMembers } from '../json-value.ts';
import { registrationRefusal } from './registration-refusal.ts';
import {
  REGISTRATION_TYPES,
  type RegistrationType,
  receiveApplicant,
  trustApplicant,
} from './registration-request.ts';
import { differencePolicy, registrationStatement } from './registration-statement.ts';

const OP = 'https://op.example.com';
const RP = testEntity('https://rp.example');
const ORG = testEntity('https://org.example');
const ANCHOR = testEntity('https://anchor.example');
const METADATA = { openid_relying_party: { redirect_uris: ['https://rp.example/cb'] } };
const SETTINGS = { entity_id: OP, requireAudience: false, ageMax: 600, lifetimeMax: 86_400 };

const INTERFACE = 'application/jose';
const FINAL = 'application/entity-statement+jwt';
const CHAIN = 'application/trust-chain+json';

function federation(): TestFederation {
  const made = new TestFederation();
  made.state(ORG, RP);
  made.join(ORG, [ANCHOR]);
  made.join(ANCHOR, []);
  return made;
}

const submitted = (claims: object = {}, header: object = {}, key?: TestEntity['key']): string =>
  RP.configuration({ aud: OP, authority_hints: [ORG.id], metadata: METADATA, ...claims }, header, key);

/** Returns the trust anchor of the chain, or the error and its description. */
async function registering(
  mediaType: RegistrationType,
  body: string | Uint8Array,
  at: TestFederation = federation(),
  anchors: readonly TestEntity[] = [ANCHOR],
): Promise<string> {
  const dialect = REGISTRATION_TYPES[mediaType];
  const needs = at.needs(anchors);
  const applicant = await receiveApplicant(needs, SETTINGS, { mediaType, body: Buffer.from(body) });
  if ('reason' in applicant) {
    assert.deepEqual(at.fetched, [], 'nothing is fetched before the self-signature holds');
    const { code, error_description } = registrationRefusal(dialect, applicant.about, applicant.reason);
    return `${code} ${error_description}`;
  }
  const { chain, reason } = await trustApplicant(needs, applicant, '192.0.2.1');
  if (reason === undefined) return chain?.trust_anchor ?? 'none';
  const { code, error_description } = registrationRefusal(dialect, 'chain', reason);
  return `${code} ${error_description}`;
}

// proves openid-federation-8.9-1
test('a request in each of the three media types finds its chain without a fetch of the configuration (decision 34, §12.2.2)', async () => {
  const at = federation();
  assert.equal(
    await registering(INTERFACE, submitted({ aud: undefined }, { typ: undefined }), at),
    ANCHOR.id,
  );
  assert.equal(await registering(FINAL, submitted(), at), ANCHOR.id);
  const chain = [submitted(), ORG.about(RP), ANCHOR.about(ORG), ANCHOR.configuration()];
  assert.equal(await registering(CHAIN, JSON.stringify(chain), at), ANCHOR.id);
  assert.ok(at.fetched.every((url) => !url.startsWith(RP.id)));
});

// proves openid-federation-8.9-1
test('a submitted chain, in the body or in the header, decides which superiors are asked first (§12.2.2 4, 5; decision 36)', async () => {
  const many = [1, 2, 3, 4, 5].map((number) => `https://org-${number}.example`);
  const hints = { authority_hints: [...many, ORG.id] };
  assert.match(await registering(FINAL, submitted(hints)), /^invalid_trust_chain /);
  const rest = [ORG.about(RP), ANCHOR.about(ORG)];
  assert.equal(await registering(CHAIN, JSON.stringify([submitted(hints), ...rest])), ANCHOR.id);
  const inHeader = submitted(hints, { trust_chain: [submitted(hints), ...rest] });
  assert.equal(await registering(FINAL, inHeader), ANCHOR.id);
});

const STRANGER = testEntity('https://stranger.example');
const SECOND = testEntity('https://second.example');

/** A federation with two anchors, both of them superiors of the relying party. */
function twoAnchors(): TestFederation {
  const at = new TestFederation();
  for (const anchor of [ANCHOR, SECOND]) {
    at.state(anchor, RP);
    at.join(anchor, []);
  }
  return at;
}

const own = (claims: object = {}, header: object = {}): string =>
  submitted({ authority_hints: [ANCHOR.id, SECOND.id], ...claims }, header);
const toSecond = (): readonly string[] => [own(), SECOND.about(RP), SECOND.configuration()];
const OWN_SERVER = testEntity(OP);
const peerTo = (...anchors: readonly TestEntity[]): readonly string[] => [
  OWN_SERVER.configuration(),
  ...anchors.map((anchor) => anchor.about(OWN_SERVER)),
];

for (const [name, mediaType, body] of [
  ['in a body', CHAIN, () => JSON.stringify(toSecond())],
  ['without the configuration of the anchor', CHAIN, () => JSON.stringify(toSecond().slice(0, 2))],
  ['in trust_chain, final', FINAL, () => own({}, { trust_chain: toSecond() })],
  ['in trust_chain, interface', INTERFACE, () => own({}, { trust_chain: toSecond(), typ: undefined })],
  ['in peer_trust_chain', FINAL, () => own({}, { peer_trust_chain: peerTo(SECOND) })],
  ['in both headers', FINAL, () => own({}, { trust_chain: toSecond(), peer_trust_chain: peerTo(SECOND) })],
] as const) {
  // proves openid-federation-12.2.3-3
  test(`the trust anchor is the one at the root of the chain ${name} (§12.2.3)`, async () => {
    assert.equal(await registering(FINAL, own(), twoAnchors(), [ANCHOR, SECOND]), ANCHOR.id);
    assert.equal(await registering(mediaType, body(), twoAnchors(), [ANCHOR, SECOND]), SECOND.id);
    const lost = twoAnchors();
    lost.documents.delete(statementUrl(SECOND, RP));
    assert.match(
      await registering(mediaType, body(), lost, [ANCHOR, SECOND]),
      /^(?:unauthorized_client )?invalid_trust_chain/,
      'no other anchor serves',
    );
  });
}

for (const [name, header, answer] of [
  [
    'peer_trust_chain that begins at the relying party',
    () => ({ peer_trust_chain: toSecond() }),
    /^invalid_trust_chain peer_chain_subject: /,
  ],
  [
    'peer_trust_chain that ends at another anchor than trust_chain',
    () => ({ trust_chain: toSecond(), peer_trust_chain: peerTo(ANCHOR) }),
    /^invalid_trust_chain peer_chain_anchor: /,
  ],
  [
    'trust_chain that ends at an anchor of others',
    () => ({ trust_chain: [own(), STRANGER.about(RP), STRANGER.configuration()] }),
    /^invalid_trust_anchor unknown_trust_anchor: the trust chain ends at https:\/\/stranger\.example/,
  ],
] as const) {
  // proves openid-federation-12.2.2-3
  test(`a request with a ${name} is refused before anything is fetched (§12.2.2 6)`, async () => {
    const at = twoAnchors();
    assert.match(await registering(FINAL, own({}, header()), at, [ANCHOR, SECOND]), answer);
    assert.deepEqual(at.fetched, []);
  });
}

test('a submitted chain proves nothing: without answers of the authorities there is no chain (decision 36)', async () => {
  const chain = [submitted(), ORG.about(RP), ANCHOR.about(ORG), ANCHOR.configuration()];
  assert.match(
    await registering(CHAIN, JSON.stringify(chain), new TestFederation()),
    /^invalid_trust_chain fetch_status: /,
  );
});

const ROWS: readonly (readonly [
  name: string,
  mediaType: RegistrationType,
  body: string | Uint8Array,
  answer: RegExp,
])[] = [
  [
    'a body that is not UTF-8',
    INTERFACE,
    Buffer.from([0xff]),
    /^invalid_request invalid_request: statement_not_signed_jwt: /,
  ],
  [
    'a chain that is not JSON',
    CHAIN,
    'x',
    /^invalid_request statement_not_signed_jwt: the body is not a JSON array of 1 to 20 entity statements/,
  ],
  ['a chain that is an object', CHAIN, '{}', /^invalid_request statement_not_signed_jwt: /],
  ['an empty chain', CHAIN, '[]', /^invalid_request statement_not_signed_jwt: /],
  ['a chain of numbers', CHAIN, '[1]', /^invalid_request statement_not_signed_jwt: /],
  [
    'a chain of 21 statements',
    CHAIN,
    JSON.stringify(Array.from({ length: 21 }, () => 'a.b.c')),
    /^invalid_request /,
  ],
  ['no openid_relying_party', FINAL, submitted({ metadata: {} }), /^invalid_request statement_metadata: /],
  ['no aud in Final', FINAL, submitted({ aud: undefined }), /^invalid_client statement_audience: /],
  [
    'aud of another server in the interface’s dialect',
    INTERFACE,
    submitted({ aud: 'https://other.example' }),
    /^unauthorized_client invalid_client: statement_audience: /,
  ],
  [
    'a signature of another key',
    INTERFACE,
    submitted({}, { kid: RP.key.kid }, STRANGER.key),
    /^unauthorized_client invalid_client: statement_signature: /,
  ],
];
for (const [name, mediaType, body, answer] of ROWS) {
  // proves openid-federation-8.9-1
  test(`${mediaType} with ${name} is rejected without a fetch (H-188, H-194, H-197, H-213)`, async () => {
    assert.match(await registering(mediaType, body), answer);
  });
}

test('a request signed with a key that the superior does not state: 401 in the interface, invalid_trust_chain in Final (decision 34; H-205)', async () => {
  const own = { jwks: { keys: [STRANGER.key.jwk] } };
  const body = submitted(own, {}, STRANGER.key);
  assert.match(
    await registering(INTERFACE, body),
    /^unauthorized_client invalid_trust_chain: chain_signature: /,
  );
  assert.match(await registering(FINAL, body), /^invalid_trust_chain chain_signature: /);
});

// proves openid-federation-8.9-1
test('a violated policy is invalid_metadata and an unknown anchor is invalid_trust_anchor (§8.9)', async () => {
  const refusing = federation();
  refusing.state(ORG, RP, {
    metadata_policy: { openid_relying_party: { 'client_name"\\\n': { essential: true } } },
  });
  const refused = await registering(FINAL, submitted(), refusing);
  assert.match(refused, /^invalid_metadata policy_violated: [\x20-\x7e]*$/);
  assert.doesNotMatch(refused, /["\\]/);
  const unknown = new TestFederation();
  unknown.state(ORG, RP);
  unknown.join(ORG, []);
  assert.match(
    await registering(FINAL, submitted(), unknown),
    /^invalid_trust_anchor unknown_trust_anchor: /,
  );
});

const OUTCOME = {
  issuer: OP,
  relyingParty: RP.id,
  issued_at: NOW,
  expires_at: NOW + 60,
  trust_anchor: ANCHOR.id,
  immediate_superior: ORG.id,
  submitted: { redirect_uris: ['https://rp.example/cb'], scope: 'openid', software: 'x' },
  registered: {
    client_id: 'c1',
    redirect_uris: ['https://rp.example/cb'],
    scope: 'openid',
    grant_types: ['authorization_code'],
  },
  resolved: new Map(),
  decided: new Set<string>(),
};

// proves openid-federation-12.2.3-1
test('the response in the interface’s dialect has no typ, and has metadata_policy, metadata and trust_anchor (interface, Registration statement; decision 34)', () => {
  assert.deepEqual(registrationStatement('interface', OUTCOME), {
    claims: {
      iss: OP,
      sub: RP.id,
      aud: RP.id,
      iat: NOW,
      exp: NOW + 60,
      trust_anchor: ANCHOR.id,
      authority_hints: [ORG.id],
      metadata: { openid_relying_party: OUTCOME.registered },
      metadata_policy: {
        openid_relying_party: {
          client_id: { value: 'c1' },
          grant_types: { value: ['authorization_code'] },
          software: { value: null },
        },
      },
    },
    header: {},
    contentType: 'application/jose;charset=UTF-8',
  });
});

// proves openid-federation-12.2.3-1
test('the response in the Final dialect has its own typ and content type, and no metadata_policy (§12.2.3)', () => {
  const { claims, header, contentType } = registrationStatement('final', OUTCOME);
  assert.deepEqual(header, { typ: 'explicit-registration-response+jwt' });
  assert.equal(contentType, 'application/explicit-registration-response+jwt');
  assert.equal('metadata_policy' in claims, false);
  assert.deepEqual(claims['authority_hints'], [ORG.id]);
});

const PAIRS: readonly (readonly [submitted: JsonMembers, registered: JsonMembers])[] = [
  [OUTCOME.submitted, OUTCOME.registered],
  [{}, { client_id: 'c', client_secret: 's', client_secret_expires_at: 0, response_types: [] }],
  [
    { jwks: { keys: [{ kty: 'EC', x: '1' }] }, a: 1 },
    { jwks: { keys: [{ x: '1', kty: 'EC' }] }, a: 2 },
  ],
  [
    { scope: 'openid email', contacts: ['a', 'b'] },
    { scope: 'openid', contacts: ['b', 'a'] },
  ],
  [{ scope: 'a b', 'client_name#de': 'x' }, { 'client_name#de': 'y' }],
  [{ require_auth_time: true }, { require_auth_time: false, default_max_age: 0, scope: '' }],
];
for (const [before, after] of PAIRS) {
  test(`differencePolicy turns ${JSON.stringify(before).slice(0, 60)} into the registered metadata (decision 34)`, () => {
    assert.deepEqual(resolved([differencePolicy(before, after) as never], before), after);
  });
}
