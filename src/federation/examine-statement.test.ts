import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joseJwtInspector } from '../jose/jwt-verifier.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { LIMITS, NOW, testEntity } from '../testing/federation.ts';
import { segment, signedJwt, signedSegments, testKey } from '../testing/jwt.ts';
import { STATEMENT_ALGORITHMS } from './entity-statement.ts';
import { examineStatement, STATEMENT_CHECKS } from './examine-statement.ts';
import type { StatementRules } from './statement-checks/statement-check.ts';

const RP = testEntity('https://rp.example');
const ORG = testEntity('https://org.example');
const OP = 'https://op.example.com';
const CLAIMS = {
  aud: OP,
  authority_hints: [ORG.id],
  metadata: { openid_relying_party: { redirect_uris: ['https://rp.example/cb'] } },
};
const PLACE = {
  now: NOW,
  limits: LIMITS.statement,
  allowHttp: false,
  addressProblem: (entityId: string) =>
    entityId.includes('inside') ? ({ reason: 'forbidden-address', detail: '10.0.0.1' } as const) : undefined,
};
const request = (dialect: 'final' | 'interface', audienceRequired = dialect === 'final'): StatementRules => ({
  ...PLACE,
  kind: 'request',
  request: { dialect, audience: OP, audienceRequired, ageMax: 600, lifetimeMax: 86_400 },
});
const CONFIGURATION: StatementRules = { ...PLACE, kind: 'configuration', subject: ORG.id };
const SUBORDINATE: StatementRules = {
  ...PLACE,
  kind: 'subordinate',
  subject: RP.id,
  issuer: { entity_id: ORG.id, keys: [ORG.key.jwk] },
  subjectHints: [ORG.id],
};

/** Returns `sound`, or the kind of failure and its code. `form` leads to 400, `trust` to 401. */
async function examined(jwt: string, rules: StatementRules): Promise<string> {
  const { checks, outcome } = await examineStatement(joseJwtInspector, jwt, rules);
  if ('statement' in outcome) return 'sound';
  assert.equal(checks.at(-1)?.reason, outcome.reason);
  assert.ok(checks.slice(0, -1).every(({ reason }) => reason === undefined));
  return `${outcome.about}: ${outcome.reason.code}`;
}

const submitted = (claims: object = {}, header: object = {}): string =>
  RP.configuration({ ...CLAIMS, ...claims }, header);

test('examineStatement accepts a valid request in both dialects and has a check for each number of §3.2 (§3.2)', async () => {
  assert.equal(await examined(submitted(), request('final')), 'sound');
  assert.equal(
    await examined(submitted({ aud: undefined }, { typ: undefined }), request('interface')),
    'sound',
  );
  const numbers = new Set([1, 10, ...STATEMENT_CHECKS.map(({ number }) => number)]);
  assert.deepEqual(
    [...numbers].sort((one, other) => one - other),
    Array.from({ length: 27 }, (_, index) => index + 1),
  );
});

for (const algorithm of STATEMENT_ALGORITHMS) {
  // proves openid-federation-3.2-1
  test(`examineStatement accepts a statement signed with ${algorithm} (interface, Authentication 6)`, async () => {
    const entity = testEntity('https://rp.example', algorithm);
    assert.equal(await examined(entity.configuration(CLAIMS), request('final')), 'sound');
  });
}

const INTERFACE = request('interface');
/** Claims of a request, and its outcome. */
const CLAIM_ROWS: readonly (readonly [name: string, claims: object, outcome: string])[] = [
  ['iss that is not sub (6)', { sub: 'https://other.example' }, 'form: statement_not_a_configuration'],
  ...[
    'http://rp.example',
    'https://rp.example?x=1',
    'https://rp.example#x',
    'https://user@rp.example',
    'https://rp.example:0',
    'https://rp.example/a/../b',
    'https://RP.example',
    'https://rp.example:443',
    'https://rp.example//a',
    'https://xn--a.example',
    'https://r\u0440.example',
    `https://rp.example/${'a'.repeat(3000)}`,
    'rp.example',
    'javascript:alert(1)',
    7,
    null,
    undefined,
  ].map(
    (id) =>
      [
        `iss ${JSON.stringify(id)?.slice(0, 40)} (5)`,
        { iss: id, sub: id },
        'form: statement_issuer',
      ] as const,
  ),
  [
    'iss with an internal address',
    { iss: 'https://inside.example', sub: 'https://inside.example' },
    'form: statement_issuer',
  ],
  ['iss that is this server (H-192)', { iss: OP, sub: OP }, 'trust: statement_issuer'],
  ['no iat (7)', { iat: undefined }, 'trust: statement_not_yet_valid'],
  ['iat in the future (7)', { iat: NOW + 61 }, 'trust: statement_not_yet_valid'],
  ['iat as text (7)', { iat: String(NOW) }, 'trust: statement_not_yet_valid'],
  ['nbf in the future (7)', { nbf: NOW + 61 }, 'trust: statement_not_yet_valid'],
  ['iat too long ago (decision 35)', { iat: NOW - 661 }, 'trust: statement_too_old'],
  ['no exp (8)', { exp: undefined }, 'trust: statement_expired'],
  ['exp past (8)', { exp: NOW - 60 }, 'trust: statement_expired'],
  ['exp with a fraction (8)', { exp: NOW + 60.5 }, 'trust: statement_expired'],
  ['exp as text (8)', { exp: String(NOW + 60) }, 'trust: statement_expired'],
  ['exp too far ahead', { exp: NOW + 86_461 }, 'trust: statement_lifetime'],
  ['no authority_hints', { authority_hints: undefined }, 'form: statement_authority_hints'],
  ...[
    [],
    'https://org.example',
    [7],
    [RP.id],
    ['http://org.example'],
    ['https://inside.example'],
    ['javascript:alert(1)'],
    Array.from({ length: 500 }, (_, index) => `https://org-${index}.example`),
  ].map(
    (authority_hints) =>
      [
        `authority_hints ${JSON.stringify(authority_hints).slice(0, 40)} (14)`,
        { authority_hints },
        'form: statement_authority_hints',
      ] as const,
  ),
  ['trust_anchor_hints empty (15)', { trust_anchor_hints: [] }, 'form: statement_trust_anchor_hints'],
  ...[
    [],
    'x',
    { openid_relying_party: [] },
    { openid_relying_party: null },
    { openid_relying_party: { client_name: null } },
  ].map(
    (metadata) =>
      [`metadata ${JSON.stringify(metadata)} (16)`, { metadata }, 'form: statement_metadata'] as const,
  ),
  ['metadata_policy in a configuration (17)', { metadata_policy: {} }, 'trust: statement_metadata_policy'],
  [
    'metadata_policy_crit in a configuration (18)',
    { metadata_policy_crit: ['x'] },
    'trust: statement_metadata_policy_crit',
  ],
  ['constraints in a configuration (19)', { constraints: {} }, 'trust: statement_constraints'],
  ...[
    {},
    [{}],
    [{ trust_mark_type: 'a', trust_mark: 'x' }],
    [{ trust_mark_type: 'a', trust_mark: signedJwt(RP.key, { trust_mark_type: 'b' }) }],
  ].map(
    (trust_marks) =>
      [
        `trust_marks ${JSON.stringify(trust_marks).slice(0, 50)} (20)`,
        { trust_marks },
        'form: statement_trust_marks',
      ] as const,
  ),
  ['trust_mark_issuers as a list (21)', { trust_mark_issuers: [] }, 'form: statement_trust_mark_issuers'],
  [
    'trust_mark_issuers of no entity (21)',
    { trust_mark_issuers: { a: ['x'] } },
    'form: statement_trust_mark_issuers',
  ],
  [
    'trust_mark_owners without keys (22)',
    { trust_mark_owners: { a: { sub: ORG.id } } },
    'form: statement_trust_mark_owners',
  ],
  [
    'source_endpoint in a configuration (23)',
    { source_endpoint: 'https://org.example/fetch' },
    'trust: statement_source_endpoint',
  ],
  ['aud of another server (26)', { aud: 'https://other.example' }, 'trust: statement_audience'],
  ['aud with ours among others (26, H-194)', { aud: [OP, 'https://b.example'] }, 'trust: statement_audience'],
  ['trust_anchor (27)', { trust_anchor: 'https://anchor.example' }, 'trust: statement_trust_anchor'],
  ['crit with an unknown claim (13)', { crit: ['x'], x: 1 }, 'trust: statement_crit'],
  ['crit with a claim that is absent (13)', { crit: ['x'] }, 'trust: statement_crit'],
  ['crit with a claim of the specification (13)', { crit: ['exp'] }, 'trust: statement_crit'],
  ['crit empty (13)', { crit: [] }, 'trust: statement_crit'],
];
for (const [name, claims, outcome] of CLAIM_ROWS) {
  // proves openid-federation-3.2-2, openid-federation-3.2-6, openid-federation-3.2-7
  test(`a request with ${name}: ${outcome} (§3.2; H-190 to H-198)`, async () => {
    assert.equal(await examined(submitted(claims), INTERFACE), outcome);
  });
}

// proves openid-federation-3.2-7
test('a setting requires aud in the interface’s dialect, and the Final dialect always requires it (decision 35)', async () => {
  const without = submitted({ aud: undefined });
  assert.equal(await examined(without, request('interface')), 'sound');
  assert.equal(await examined(without, request('interface', true)), 'trust: statement_audience');
  assert.equal(await examined(without, request('final')), 'trust: statement_audience');
  assert.equal(await examined(submitted({ aud: [OP] }), request('final')), 'sound', 'decision 45');
});

// proves openid-federation-3.2-3
test('a request may have times that differ by one minute and a hundred invalid trust marks (§3.2 7, 8; H-215, H-226)', async () => {
  const junk = { trust_mark_type: 'a', trust_mark: signedJwt(RP.key, { trust_mark_type: 'a', exp: 1 }) };
  const claims = { iat: NOW + 60, exp: NOW - 59, trust_marks: Array.from({ length: 100 }, () => junk) };
  assert.equal(await examined(submitted(claims), INTERFACE), 'sound');
});

const HEADER_ROWS: readonly (readonly [
  name: string,
  header: object,
  interfaceOutcome: string,
  finalOutcome?: string,
])[] = [
  ['alg none', { alg: 'none' }, 'trust: statement_algorithm'],
  ['alg HS256', { alg: 'HS256' }, 'trust: statement_algorithm'],
  ['alg EdDSA', { alg: 'EdDSA' }, 'trust: statement_algorithm'],
  ['alg in lower case', { alg: 'es256' }, 'trust: statement_algorithm'],
  ['no alg', { alg: undefined }, 'trust: statement_algorithm'],
  ['alg as a list', { alg: ['ES256'] }, 'trust: statement_algorithm'],
  ['no typ', { typ: undefined }, 'sound', 'trust: statement_type'],
  ['typ JWT', { typ: 'JWT' }, 'sound', 'trust: statement_type'],
  ['typ with application/', { typ: 'application/entity-statement+jwt' }, 'sound'],
  ['typ of an answer', { typ: 'explicit-registration-response+jwt' }, 'trust: statement_type'],
  ['typ of a client assertion', { typ: 'client-authentication+jwt' }, 'trust: statement_type'],
  ['no kid', { kid: undefined }, 'sound', 'trust: statement_kid'],
  ['an empty kid', { kid: '' }, 'trust: statement_kid'],
  ['another kid', { kid: 'x' }, 'trust: statement_kid'],
  ['a kid that is a number', { kid: 1 }, 'trust: statement_not_signed_jwt'],
  ['crit', { crit: ['exp'] }, 'trust: statement_not_signed_jwt'],
  ['b64 false', { b64: false }, 'trust: statement_not_signed_jwt'],
  ['jwk', { jwk: RP.key.jwk }, 'trust: statement_header'],
  ['jku', { jku: 'https://evil.example' }, 'trust: statement_header'],
  ['x5c', { x5c: ['AAAA'] }, 'trust: statement_header'],
  ['a trust_chain that is not an array', { trust_chain: 'x' }, 'trust: statement_trust_chain'],
  ['an empty peer_trust_chain', { peer_trust_chain: [] }, 'trust: statement_trust_chain'],
  ['a trust_chain', { trust_chain: ['a.b.c', 'd.e.f'] }, 'sound'],
];
for (const [name, header, inInterface, inFinal = inInterface] of HEADER_ROWS) {
  // proves openid-federation-3.2-1, openid-federation-3.2-8
  test(`a request whose header has ${name}: ${inInterface} and ${inFinal} in the Final dialect (§3.2 1, 2, 3, 11, 24, 25; H-189)`, async () => {
    assert.equal(await examined(submitted({}, header), request('interface')), inInterface);
    assert.equal(await examined(submitted({}, header), request('final')), inFinal);
  });
}

// proves openid-federation-3.2-8
test('a statement of a chain with a chain in its header is rejected (§4.3, §4.4)', async () => {
  const jwt = ORG.configuration({}, { trust_chain: ['a.b.c'] });
  assert.equal(await examined(jwt, CONFIGURATION), 'trust: statement_trust_chain');
  assert.equal(
    await examined(ORG.about(RP, {}, { peer_trust_chain: ['a.b.c'] }), SUBORDINATE),
    'trust: statement_trust_chain',
  );
});

const OTHER = testKey('ES256', 'other');
const JWKS_ROWS: readonly (readonly [name: string, jwks: unknown])[] = [
  ['no value', undefined],
  ['the form of an array', []],
  ['no keys', { keys: [] }],
  ['keys in an object', { keys: {} }],
  ['a set with a private key', { keys: [{ ...RP.key.jwk, ...RP.key.privateKey.export({ format: 'jwk' }) }] }],
  ['a set with a symmetric key', { keys: [RP.key.jwk, { kty: 'oct', k: 'AAAA', kid: 'o' }] }],
  ['a set with one kid twice', { keys: [RP.key.jwk, { ...OTHER.jwk, kid: RP.key.kid }] }],
  ['17 keys', { keys: Array.from({ length: 17 }, (_, kid) => ({ ...RP.key.jwk, kid: String(kid) })) }],
  ['a set of encryption keys only', { keys: [{ ...RP.key.jwk, use: 'enc' }] }],
  ['a set with an RSA key of exponent 1', { keys: [{ kty: 'RSA', e: 'AQ', n: 'AQAB', kid: 'r' }] }],
];
for (const [name, jwks] of JWKS_ROWS) {
  // proves openid-federation-3.2-4
  test(`a request with a jwks of ${name} has the wrong form (§3.2 9; H-196)`, async () => {
    assert.equal(await examined(submitted({ jwks }), INTERFACE), 'form: statement_jwks');
  });
}

// proves openid-federation-3.2-4
test('the Final dialect requires a kid in every key, and the interface’s dialect does not (§3.1.1)', async () => {
  const { kid: _, ...nameless } = RP.key.jwk as JsonWebKey & { readonly kid: string };
  const jwt = submitted({ jwks: { keys: [nameless] } }, { kid: undefined });
  assert.equal(await examined(jwt, request('interface')), 'sound');
  assert.equal(await examined(jwt, request('final')), 'form: statement_jwks');
});

// proves openid-federation-3.2-5
test('a statement signed with a key that its jwks does not hold is rejected (§3.2 12; H-197)', async () => {
  const jwt = RP.configuration(CLAIMS, { kid: RP.key.kid }, OTHER);
  assert.equal(await examined(jwt, INTERFACE), 'trust: statement_signature');
  const [header, , signature] = submitted().split('.');
  const changed = segment(
    JSON.stringify({
      ...CLAIMS,
      iss: RP.id,
      sub: RP.id,
      iat: NOW,
      exp: NOW + 9,
      jwks: { keys: [RP.key.jwk] },
    }),
  );
  assert.equal(await examined(`${header}.${changed}.${signature}`, INTERFACE), 'trust: statement_signature');
});

for (const [name, jwt] of [
  ['an empty text', ''],
  ['one character', 'x'],
  ['two dots', '..'],
  ['JSON', '{}'],
  ['five parts', 'a.b.c.d.e'],
  ['a statement followed by a line end', `${submitted()}\n`],
  ['a statement after a byte order mark', `\uFEFF${submitted()}`],
  ['65,537 characters', 'a'.repeat(65_537)],
  ['a list as its claims', signedSegments(RP.key, '{"alg":"ES256"}', '[]')],
  ['a claim twice', signedSegments(RP.key, '{"alg":"ES256"}', '{"iss":"a","iss":"b"}')],
  [
    'claims nested 10,000 deep',
    signedSegments(RP.key, '{"alg":"ES256"}', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
  ],
  [
    '5,000 claims',
    signedJwt(RP.key, Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`c${index}`, 1]))),
  ],
] as const) {
  // proves openid-federation-3.2-1
  test(`examineStatement rejects ${name}, which is not a signed JWT (§3.2 1; H-188, H-190)`, async () => {
    assert.equal(await examined(jwt, INTERFACE), 'form: statement_not_signed_jwt');
  });
}

const SUBORDINATE_ROWS: readonly (readonly [name: string, claims: object, outcome: string])[] = [
  ['no other claims', {}, 'sound'],
  [
    'a policy, constraints and a source_endpoint',
    {
      metadata_policy: { openid_relying_party: {} },
      constraints: { max_path_length: 0, of_others: 1 },
      source_endpoint: 'https://org.example/fetch',
    },
    'sound',
  ],
  [
    'a policy that contradicts itself (17)',
    { metadata_policy: { x: { y: { value: null, essential: true } } } },
    'trust: statement_metadata_policy',
  ],
  [
    'metadata_policy_crit (18)',
    { metadata_policy_crit: ['regexp'] },
    'trust: statement_metadata_policy_crit',
  ],
  [
    'metadata_policy_crit with a standard operator (18)',
    { metadata_policy_crit: ['value'] },
    'trust: statement_metadata_policy_crit',
  ],
  ['metadata_policy_crit empty (18)', { metadata_policy_crit: [] }, 'trust: statement_metadata_policy_crit'],
  ...[
    [],
    { max_path_length: -1 },
    { max_path_length: 1.5 },
    { max_path_length: '2' },
    { naming_constraints: [] },
    { naming_constraints: { permitted: 'a' } },
    { naming_constraints: { excluded: ['https://a.example'] } },
    { allowed_entity_types: 'openid_provider' },
    { allowed_entity_types: ['federation_entity'] },
  ].map(
    (constraints) =>
      [
        `constraints ${JSON.stringify(constraints)} (19)`,
        { constraints },
        'trust: statement_constraints',
      ] as const,
  ),
  ['trust_marks (20)', { trust_marks: [] }, 'form: statement_trust_marks'],
  ['trust_mark_issuers (21)', { trust_mark_issuers: {} }, 'form: statement_trust_mark_issuers'],
  ['trust_mark_owners (22)', { trust_mark_owners: {} }, 'form: statement_trust_mark_owners'],
  ['a source_endpoint that is no URL (23)', { source_endpoint: 'fetch' }, 'trust: statement_source_endpoint'],
  ['an aud (26)', { aud: OP }, 'trust: statement_audience'],
  ['trust_anchor_hints (15)', { trust_anchor_hints: [ORG.id] }, 'form: statement_trust_anchor_hints'],
];
for (const [name, claims, outcome] of SUBORDINATE_ROWS) {
  // proves openid-federation-3.2-7
  test(`a subordinate statement with ${name}: ${outcome} (§3.2)`, async () => {
    assert.equal(await examined(ORG.about(RP, claims), SUBORDINATE), outcome);
  });
}

// proves openid-federation-3.2-2
test('a subordinate statement is rejected if authority_hints of its subject do not contain its issuer (§3.2 6)', async () => {
  const rules = { ...SUBORDINATE, subjectHints: ['https://else.example'] };
  assert.equal(await examined(ORG.about(RP), rules), 'trust: statement_issuer_not_hinted');
});
