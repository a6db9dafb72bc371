import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joseJwtVerifier } from '../../jose/jwt-verifier.ts';
import type { Fetched } from '../../ports/outbound-http.ts';
import { OAuthError } from '../../spec/errors.ts';
import { type JsonObject, parseJsonObject } from '../../spec/json.ts';
import { openPrivileges } from '../../spec/registration-privileges.ts';
import { ampleCaches } from '../../testing/caches.ts';
import { signedJwt, testKey } from '../../testing/jwt.ts';
import { testSettings } from '../../testing/settings.ts';
import { remoteJwkSets } from '../client-keys/remote-jwk-set.ts';
import {
  applySoftwareStatement,
  privilegesWithStatement,
  type SoftwareStatementIssuer,
  type StatedRequest,
} from './software-statement.ts';

const NOW = 1_800_000_000;
const OP = 'https://op.example.com';
const PUBLISHER = 'https://publisher.example';
const KEY = testKey('ES256', 'p1');
const clock = { now: () => NOW, milliseconds: () => NOW * 1000 };

const TRUSTED: SoftwareStatementIssuer = {
  issuer: PUBLISHER,
  keys: { jwks: [KEY.jwk] },
  authorisesRegistration: false,
  approvedSoftwareIds: undefined,
};

const STATED = {
  iss: PUBLISHER,
  software_id: 'app',
  client_name: 'Stated',
  redirect_uris: ['https://a.example/cb'],
};

function requestOf(members: object): JsonObject {
  return parseJsonObject(Buffer.from(JSON.stringify(members)), { depth: 16, members: 200 });
}

async function apply(
  members: object,
  issuer: Partial<SoftwareStatementIssuer> = {},
  fetched: Fetched = { status: 'failed', reason: 'connection', detail: 'refused by 192.0.2.7' },
): Promise<StatedRequest> {
  const outbound = { urlProblem: () => undefined, get: async () => await Promise.resolve(fetched) };
  const softwareStatements = {
    issuers: [
      { ...TRUSTED, issuer: 'https://first.example' },
      { ...TRUSTED, ...issuer },
    ],
    verifier: joseJwtVerifier(clock),
    jwkSets: remoteJwkSets({
      outbound,
      clock,
      verifier: joseJwtVerifier(clock),
      settings: testSettings(),
      caches: ampleCaches(),
    }),
  };
  return await applySoftwareStatement({ issuer: OP, softwareStatements }, requestOf(members));
}

async function membersWith(claims: object, members: object = {}): Promise<Record<string, unknown>> {
  const software_statement = signedJwt(KEY, claims);
  const { request } = await apply({ ...members, software_statement });
  const { software_statement: kept, ...others } = request.members;
  assert.equal(kept, software_statement);
  return others;
}

// proves rfc7591-3.1.1-1
test('members of the statement replace those of the request; the others stay (RFC 7591 §3.1.1)', async () => {
  const members = await membersWith(STATED, {
    client_name: 'Sent',
    redirect_uris: ['https://evil.example/cb'],
    contacts: ['a@b.example'],
  });
  assert.deepEqual(members, {
    software_id: 'app',
    client_name: 'Stated',
    redirect_uris: ['https://a.example/cb'],
    contacts: ['a@b.example'],
  });
});

test('claims of the JWT, members that steer the registration, unknown members and null are not taken as metadata (RFC 7519 §4.1)', async () => {
  const members = await membersWith(
    {
      ...STATED,
      sub: 's',
      aud: OP,
      exp: NOW + 1,
      nbf: NOW,
      iat: NOW,
      jti: 'j',
      data: { a: 1 },
      preferred_client_id: 'theirs',
      preferred_client_secret: 'x'.repeat(40),
      software_statement: 'a.b.c',
      client_id: 'theirs',
      client_secret: 'x',
      registration_access_token: 'x',
      logo_uri: null,
      constructor: 'x',
      unknown: 1,
    },
    { logo_uri: 'https://a.example/logo.png', preferred_client_id: 'ours' },
  );
  assert.deepEqual(Object.keys(members).sort(), [
    'client_name',
    'logo_uri',
    'preferred_client_id',
    'redirect_uris',
    'software_id',
  ]);
  assert.equal(members['logo_uri'], 'https://a.example/logo.png');
  assert.equal(members['preferred_client_id'], 'ours');
});

test('a stated name removes translations of the request; a stated translation replaces only itself (OpenID Connect Dynamic Client Registration 1.0 §2.1)', async () => {
  const sent = { client_name: 'Sent', 'client_name#de': 'Gesendet', 'client_name#fr': 'Envoyé' };
  assert.equal((await membersWith(STATED, sent))['client_name#de'], undefined);
  const translated = { iss: PUBLISHER, 'client_name#de': 'Bezeugt' };
  assert.deepEqual(await membersWith(translated, sent), { ...sent, 'client_name#de': 'Bezeugt' });
});

test('`data` of the request is kept byte for byte beside a statement', async () => {
  const software_statement = signedJwt(KEY, STATED);
  const body = Buffer.from(`{"data":{"n":1e400},"software_statement":"${software_statement}"}`);
  const softwareStatements = { issuers: [TRUSTED], verifier: joseJwtVerifier(clock), jwkSets: NO_SETS };
  const sent = parseJsonObject(body, { depth: 16, members: 200 });
  const { request } = await applySoftwareStatement({ issuer: OP, softwareStatements }, sent);
  assert.equal(request.source('data'), '{"n":1e400}');
});

const NO_SETS = {
  verifyWith: async () => await Promise.reject(new Error('no set is asked for')),
};

test('without trusted issuers software_statement is neither verified nor stored (RFC 7591 §3.1.1: "MAY ignore")', async () => {
  const sent = requestOf({ client_name: 'Sent', software_statement: 'junk' });
  const { request, statement } = await applySoftwareStatement({ issuer: OP }, sent);
  assert.equal(statement, undefined);
  assert.deepEqual({ ...request.members }, { client_name: 'Sent' });
});

test('a request without a statement, or with null, is unchanged (RFC 7592 §2.2)', async () => {
  for (const members of [{ client_name: 'Sent' }, { client_name: 'Sent', software_statement: null }]) {
    const { request, statement } = await apply(members);
    assert.equal(statement, undefined);
    assert.deepEqual({ ...request.members }, { client_name: 'Sent' });
  }
});

const INVALID: readonly (readonly [name: string, statement: unknown, words: RegExp])[] = [
  ['a number', 7, /must be a string/],
  ['an object', {}, /must be a string/],
  ['no JWT', 'junk', /must be a signed JWT/],
  ['blank text', ' ', /must be a signed JWT/],
  ['an unsigned JWT', `${signedJwt(KEY, STATED).split('.').slice(0, 2).join('.')}.`, /must be a signed JWT/],
  ['more than 8 KB', 'x'.repeat(8193), /is too long/],
  ['alg none', signedJwt(KEY, STATED, { alg: 'none' }), /alg that is not accepted/],
  ['alg HS256', signedJwt(KEY, STATED, { alg: 'HS256' }), /alg that is not accepted/],
  ['typ at+jwt', signedJwt(KEY, STATED, { typ: 'at+jwt' }), /must have the typ JWT or none/],
  [
    'typ entity-statement+jwt',
    signedJwt(KEY, STATED, { typ: 'entity-statement+jwt' }),
    /must have the typ JWT or none/,
  ],
  ['crit', signedJwt(KEY, STATED, { crit: ['exp'] }), /header member/],
  ['no iss', signedJwt(KEY, { ...STATED, iss: undefined }), /lacks iss/],
  ['an array', signedJwt(KEY, [STATED]), /must be a signed JWT/],
  ['expired', signedJwt(KEY, { ...STATED, exp: NOW - 60 }), /has expired/],
  ['not yet valid', signedJwt(KEY, { ...STATED, nbf: NOW + 61 }), /is not valid yet/],
  [
    'another audience',
    signedJwt(KEY, { ...STATED, aud: 'https://other.example' }),
    /has an aud that does not include this server/,
  ],
  ['another key', signedJwt(testKey('ES256', 'p1'), STATED), /has an invalid signature/],
  ['another kid', signedJwt(KEY, STATED, { kid: 'p2' }), /names a key that its issuer does not have/],
];

for (const [name, software_statement, words] of INVALID) {
  // proves rfc7591-2.3-1
  test(`a software statement with ${name}: invalid_software_statement (RFC 7591 §3.2.2; H-124)`, async () => {
    await assert.rejects(apply({ software_statement }), refusal('invalid_software_statement', words));
  });
}

function refusal(code: string, words: RegExp): (failure: unknown) => boolean {
  return (failure) => {
    assert.ok(failure instanceof OAuthError, String(failure));
    assert.equal(failure.code, code);
    assert.match(failure.error_description, words);
    return true;
  };
}

// proves rfc7591-3.2.2-4
test('an issuer that is not trusted, in any spelling: unapproved_software_statement (RFC 7591 §3.2.2)', async () => {
  for (const iss of ['https://other.example', `${PUBLISHER}/`, PUBLISHER.toUpperCase(), '']) {
    const software_statement = signedJwt(KEY, { ...STATED, iss });
    await assert.rejects(
      apply({ software_statement }),
      refusal('unapproved_software_statement', /does not trust/),
    );
  }
});

test('with approved software_id values, another or no software_id is unapproved_software_statement', async () => {
  const issuer = { approvedSoftwareIds: ['app', 'tool'] };
  const stated = await apply({ software_statement: signedJwt(KEY, STATED) }, issuer);
  assert.equal(stated.statement?.issuer.issuer, PUBLISHER);
  for (const software_id of ['other', 'App', undefined, ['app']]) {
    // A software_id in the request itself changes nothing.
    const members = { software_id: 'app', software_statement: signedJwt(KEY, { ...STATED, software_id }) };
    await assert.rejects(apply(members, issuer), refusal('unapproved_software_statement', /not approved/));
  }
});

test('the keys may be at a jwks_uri; if they cannot be fetched, the error does not say why (decision 41)', async () => {
  const issuer = { keys: { jwks_uri: 'https://publisher.example/jwks' } };
  const software_statement = signedJwt(KEY, STATED);
  const body = Buffer.from(JSON.stringify({ keys: [KEY.jwk] }));
  const stated = await apply({ software_statement }, issuer, {
    status: 'ok',
    body,
    mediaType: 'application/json',
  });
  assert.equal(stated.request.members['client_name'], 'Stated');
  const forged = signedJwt(testKey('ES256', 'p1'), STATED);
  const fetched = { status: 'ok', body, mediaType: 'application/json' } as const;
  const words = /has an invalid signature/;
  await assert.rejects(
    apply({ software_statement: forged }, issuer, fetched),
    refusal('invalid_software_statement', words),
  );
  await assert.rejects(apply({ software_statement }, issuer), (failure) => {
    assert.ok(refusal('invalid_software_statement', /keys of its issuer are unavailable/)(failure));
    assert.ok(failure instanceof OAuthError);
    assert.equal(failure.error_description.includes('192.0.2.7'), false);
    assert.equal(failure.detail, 'software_statement: key-set (connection: refused by 192.0.2.7)');
    return true;
  });
});

test('a statement adds exactly its grant types and scope values to the open privileges', () => {
  const open = openPrivileges(['openid']);
  const statement = (members: object) =>
    privilegesWithStatement(open, { issuer: TRUSTED, members: { ...members } });
  assert.deepEqual(statement({}), open);
  const stated = statement({ grant_types: ['client_credentials', 'telepathy', 7], scope: 'read openid' });
  assert.deepEqual(stated, {
    ...open,
    grant_types: ['authorization_code', 'implicit', 'refresh_token', 'client_credentials'],
    scope: ['openid', 'read'],
  });
  assert.deepEqual(statement({ grant_types: 'password', scope: 'a\tb' }), open);
});
