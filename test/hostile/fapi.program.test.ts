import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { after, test } from 'node:test';
import type { ClientId } from '../../src/spec/identifiers.ts';
import type { FapiClient } from '../../src/testing/fapi.ts';
import { fapiKey, fapiMetadata } from '../../src/testing/fapi.ts';
import { macJwt, segment } from '../../src/testing/jwt.ts';
import { type Fields, formText } from '../program/code-request.ts';
import { startProgram } from '../program/start.ts';
import { attackedProgram } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import {
  addressOf,
  assertRefused,
  claimsOf,
  formTo,
  grantedCode,
  JWT,
  KEY,
  MESSAGE_SIGNING,
  pushedAddress,
  pushRequest,
  registeredClient,
  tokenRequest,
} from './fapi-world.ts';
import { postClient } from './registry.ts';
import {
  type Accounts,
  accountsBeside,
  answered,
  browserAt,
  CALLBACK,
  reached,
  through,
} from './sign-in-world.ts';

/** H-680…H-692: a server with FAPI 2.0 Message Signing, as attackers and old clients see it. */
const ADA = { username: 'ada', password: 'correct horse canary' };
const RS256 = fapiKey('RS256', 'rsa');
const PS256 = { ...RS256, algorithm: 'PS256' } as const;
let accounts: Accounts;
let client: FapiClient;
let other: FapiClient;
const attacked = attackedProgram({ environment: MESSAGE_SIGNING }, async (started) => {
  accounts = await accountsBeside(started.program);
  await accounts.add(ADA);
  started.secrets.add(ADA.password);
  client = await registeredClient(started);
  other = await registeredClient(started, PS256);
});
after(async () => await accounts.close());

test('H-680 a request that was not pushed: no page to sign in, and no code, by GET and POST (FAPI 2.0 Security Profile §5.3.2.2)', async () => {
  const { program } = attacked;
  const object = client.requestObject(JWT);
  const rows: readonly (readonly [what: string, fields: Fields])[] = [
    ['plain parameters', client.parameters(JWT)],
    ['a signed object in the address', { client_id: client.client_id, request: object }],
    ['the same beside plain parameters', { ...client.parameters(JWT), request: object }],
    ['an object at an address', { ...client.parameters(JWT), request_uri: 'https://rp.example/object' }],
    [
      'a made-up reference',
      { ...client.parameters(JWT), request_uri: 'urn:ietf:params:oauth:request_uri:x' },
    ],
  ];
  for (const [what, fields] of rows)
    for (const method of ['GET', 'POST']) {
      const query = formText(fields);
      const answer = await fetch(`${program.url}/authorize${method === 'GET' ? `?${query}` : ''}`, {
        method,
        redirect: 'manual',
        ...(method === 'POST' ? { body: new URLSearchParams(query) } : {}),
      });
      const text = `${answer.headers.get('location') ?? ''}${await answer.text()}`;
      assert.doesNotMatch(text, /name="password"|[?&#]code=/u, `${what}, ${method}`);
      const { response } = answered({
        location: answer.headers.get('location') ?? undefined,
        html: '',
      } as never);
      if (response !== undefined)
        assert.match(
          String(claimsOf(response)['error']),
          /^(?:invalid_request|request_uri_not_supported|invalid_request_uri)$/u,
          what,
        );
    }
});

test('H-681 a pushed request whose client does not prove itself: 401 invalid_client, with one text (FAPI 2.0 Security Profile §5.3.2.1)', async () => {
  const request = client.requestObject(JWT);
  const { client_id } = client;
  const pem = createPublicKey(KEY.privateKey).export({ type: 'spki', format: 'pem' });
  const claims = {
    iss: client_id,
    sub: client_id,
    aud: attacked.program.issuer,
    exp: 9_999_999_999,
    jti: 'x',
  };
  const { client_assertion_type } = client.credentials();
  const rows: readonly (readonly [what: string, fields: Fields])[] = [
    ['its name alone', { client_id }],
    ['a secret', { client_id, client_secret: 'canary-secret-that-is-none' }],
    ['a name that is none', { client_id: 'nobody-here' }],
    [
      'a MAC of its public key',
      { client_id, client_assertion_type, client_assertion: macJwt('HS256', pem, claims) },
    ],
    ['the key of another client', { ...client.credentials({}, PS256) }],
    ['the name of another client', { ...other.credentials(), client_id }],
    ['no subject', { ...client.credentials({ sub: undefined }) }],
    ['an expired assertion', { ...client.credentials({ iat: 1, exp: 61 }) }],
  ];
  const texts = new Set<string>();
  for (const [what, fields] of rows) {
    const answer = await attacked.send(formTo('/par', { ...fields, request }));
    assertRefused(answer, 'invalid_client', what);
    texts.add(answer.body);
  }
  assert.equal(texts.size, 1);
  assert.match([...texts].join(''), /this server accepts private_key_jwt/u);
});

test('H-682 an assertion for an endpoint, for a list, or for a name like ours: 401 invalid_client (FAPI 2.0 Security Profile §5.3.2.1)', async () => {
  const { issuer } = attacked.program;
  const request = client.requestObject(JWT);
  for (const aud of [
    [issuer],
    [issuer, `${issuer}/par`],
    [issuer, issuer],
    `${issuer}/par`,
    `${issuer}/token`,
    `${issuer}/`,
    issuer.toUpperCase(),
    `${issuer} `,
    undefined,
    { [issuer]: true },
  ])
    assertRefused(
      await attacked.send(formTo('/par', { ...client.credentials({ aud }), request })),
      'invalid_client',
      `aud ${typeof aud === 'string' ? aud : typeof aud}`,
    );
});

test('H-683 RS256, none, a MAC and a relabelled signature: refused in assertions, request objects and proofs (FAPI 2.0 Security Profile §5.4.1)', async () => {
  const request = other.requestObject(JWT);
  const byRs256 = { ...other.credentials({}, RS256), request };
  assertRefused(await attacked.send(formTo('/par', byRs256)), 'invalid_client', 'RS256');
  const [, payload = '', signature = ''] = request.split('.');
  const objects: readonly (readonly [what: string, object: string])[] = [
    ['RS256', other.requestObject(JWT, {}, {}, RS256)],
    ['none', `${segment('{"alg":"none"}')}.${payload}.`],
    ['none with a signature', `${segment('{"alg":"none"}')}.${payload}.${signature}`],
    ['a MAC', macJwt('HS256', 'k'.repeat(32), { iss: other.client_id, aud: attacked.program.issuer })],
    ['RS256 relabelled as PS256', other.requestObject(JWT, {}, { alg: 'PS256' }, RS256)],
    ['PS256 relabelled as ES256', other.requestObject(JWT, {}, { alg: 'ES256' })],
    ['a signature that was cut', request.slice(0, -4)],
    ['a key in the header', other.requestObject(JWT, {}, { jwk: KEY.jwk }, KEY)],
  ];
  for (const [what, object] of objects)
    assertRefused(await attacked.send(pushRequest(other, object)), 'invalid_request_object', what);
  const proof = other.dpop.proof({
    method: 'POST',
    address: `${attacked.program.issuer}/par`,
    now: Math.floor(Date.now() / 1000),
    header: { alg: 'RS256' },
  });
  assertRefused(
    await attacked.send(formTo('/par', { ...other.credentials(), request: other.requestObject(JWT) }, proof)),
    'invalid_dpop_proof',
    'a proof by RS256',
    /an alg among PS256, ES256, EdDSA$/u,
  );
});

test('H-684 a request object without nbf or exp, too old, too long, or for another server: 400 invalid_request_object (FAPI 2.0 Message Signing §5.3.1)', async () => {
  const now = Math.floor(Date.now() / 1000);
  const rows: readonly (readonly [claims: object, words: RegExp])[] = [
    [{ nbf: undefined }, /nbf is missing/u],
    [{ exp: undefined }, /exp is missing/u],
    [{ nbf: now - 3700, exp: now + 100 }, /nbf is more than 3600 seconds ago/u],
    [{ exp: now + 3700 }, /exp is more than 3600 seconds after nbf/u],
    [{ nbf: now - 1800, exp: now + 2000 }, /exp is more than 3600 seconds after nbf/u],
    [{ nbf: now + 300 }, /nbf is in the future/u],
    [{ nbf: String(now) }, /nbf has the wrong type/u],
    [{ nbf: 1e308 }, /nbf has the wrong type/u],
    [{ exp: now - 100 }, /exp has passed/u],
    [{ aud: 'https://other.example' }, /aud must be/u],
    [{ aud: undefined }, /aud is missing/u],
    [{ iss: other.client_id }, /iss must be/u],
    [{ client_id: other.client_id }, /client_id/u],
  ];
  for (const [claims, words] of rows)
    assertRefused(
      await attacked.send(pushRequest(client, client.requestObject(JWT, claims))),
      'invalid_request_object',
      JSON.stringify(claims),
      words,
    );
});

test('H-685 parameters outside the signed object do not count, and one without an object is refused (FAPI 2.0 Message Signing §5.3.1)', async () => {
  const unsigned = await attacked.send(
    formTo('/par', { ...client.credentials(), ...client.parameters(JWT) }),
  );
  assertRefused(unsigned, 'invalid_request', 'unsigned', /must sign their requests/u);
  const outside = { state: 'outside', redirect_uri: 'https://evil.example/', scope: 'openid email' };
  const answer = await attacked.send(pushRequest(client, client.requestObject(JWT), outside));
  assert.equal(answer.status, 201, answer.body);
  const address = addressOf(attacked, client.client_id, answer.json['request_uri']);
  const page = await through(browserAt(attacked.program), `${address}&state=address`, ADA);
  assert.ok(page.location?.startsWith(`${CALLBACK}?response=`), String(page.location));
  assert.equal(claimsOf(answered(page)['response'] ?? '')['state'], 'af0ifjsldkj');
});

test('H-686 a response in clear, a token in the browser, no PKCE, and the method plain: 400, and nothing is stored (FAPI 2.0 Security Profile §5.3.2.2)', async () => {
  const rows: readonly (readonly [change: Fields, error: string])[] = [
    [{}, 'invalid_request'],
    [{ response_mode: 'query' }, 'invalid_request'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ response_mode: 'form_post' }, 'invalid_request'],
    [{ ...JWT, response_type: 'token' }, 'unauthorized_client'],
    [{ ...JWT, response_type: 'code id_token' }, 'unauthorized_client'],
    [{ ...JWT, code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    [{ ...JWT, code_challenge_method: 'plain' }, 'invalid_request'],
    [{ ...JWT, redirect_uri: undefined }, 'invalid_request'],
    [{ ...JWT, redirect_uri: 'https://evil.example/' }, 'invalid_request'],
  ];
  for (const [change, error] of rows)
    assertRefused(
      await attacked.send(pushRequest(client, client.requestObject(change))),
      error,
      JSON.stringify(change),
    );
});

test('H-687 a code and a refresh token without a proof: 400 invalid_dpop_proof, and both stay good (FAPI 2.0 Security Profile §5.3.2.1)', async () => {
  const code = await grantedCode(attacked, client, ADA);
  const redemption = client.redemption(code);
  const bare = { ...formTo('/token', { ...client.credentials(), ...redemption }) };
  assertRefused(await attacked.send(bare), 'invalid_dpop_proof', 'a code');
  const issued = await attacked.send(tokenRequest(client, redemption));
  assert.equal(issued.json['token_type'], 'DPoP', issued.body);
  const refresh = { grant_type: 'refresh_token', refresh_token: String(issued.json['refresh_token']) };
  const again = formTo('/token', { ...client.credentials(), ...refresh });
  assertRefused(await attacked.send(again), 'invalid_dpop_proof', 'a refresh token');
  const refreshed = await attacked.send(tokenRequest(client, refresh));
  assert.equal(refreshed.json['token_type'], 'DPoP', refreshed.body);
});

test('H-688 a stolen code: useless to another client, to another key, and without the verifier (FAPI 2.0 Security Profile §5.3.2)', async () => {
  const bound = { ...JWT, dpop_jkt: client.dpop.jkt };
  const code = await grantedCode(attacked, client, ADA, bound);
  const rows: readonly (readonly [what: string, request: ReturnType<typeof formTo>])[] = [
    ['another client', tokenRequest(other, other.redemption(code))],
    ['another key', tokenRequest(client, client.redemption(code), other.proof('/token'))],
    ['no verifier', tokenRequest(client, client.redemption(code, { code_verifier: undefined }))],
    ['another verifier', tokenRequest(client, client.redemption(code, { code_verifier: 'v'.repeat(43) }))],
  ];
  for (const [what, request] of rows) assertRefused(await attacked.send(request), 'invalid_grant', what);
});

test('H-689 one reference in ten browsers at once, and with the name of another client: one browser gets on (RFC 9126 §7.3)', async () => {
  const address = await pushedAddress(attacked, client);
  const statusOf = async (url: string): Promise<number> =>
    (await fetch(reached(attacked.program, url), { redirect: 'manual' })).status;
  assert.equal(await statusOf(address.replace(client.client_id, other.client_id)), 400);
  const statuses = await Promise.all(Array.from({ length: 10 }, async () => await statusOf(address)));
  assert.deepEqual(
    [statuses.filter((status) => status < 400).length, statuses.filter((status) => status === 400).length],
    [1, 9],
  );
});

test('H-690 registrations that loosen the profile: 400 with the value and what is allowed, and nothing is stored', async () => {
  const rows: readonly (readonly [metadata: object, member: string])[] = [
    [{ token_endpoint_auth_method: 'none' }, 'token_endpoint_auth_method'],
    [{ token_endpoint_auth_method: 'client_secret_basic' }, 'token_endpoint_auth_method'],
    [{ token_endpoint_auth_method: 'client_secret_jwt' }, 'token_endpoint_auth_method'],
    [{ token_endpoint_auth_signing_alg: 'RS256' }, 'token_endpoint_auth_signing_alg'],
    [{ request_object_signing_alg: 'RS512' }, 'request_object_signing_alg'],
    [{ id_token_signed_response_alg: 'RS256' }, 'id_token_signed_response_alg'],
    [{ authorization_signed_response_alg: 'none' }, 'authorization_signed_response_alg'],
    [{ dpop_bound_access_tokens: false }, 'dpop_bound_access_tokens'],
    [{ response_modes: ['query'] }, 'response_modes'],
    [{ redirect_uris: ['http://localhost/cb'] }, 'redirect_uris'],
    [{ grant_types: ['password'], response_types: [] }, 'grant_types'],
  ];
  for (const [metadata, member] of rows) {
    const json = { ...fapiMetadata(CALLBACK, KEY), ...metadata };
    const answer = await attacked.send(postClient(json, attacked.program.masterToken));
    assert.equal(answer.status, 400, answer.body);
    assert.match(String(answer.json['error_description']), new RegExp(`^${member}`, 'u'));
  }
});

test('H-691 a client from before the profile: refused with the member that must change, and unchanged', async () => {
  const old = await registeredClient(attacked);
  const stored = await accounts.tenant.clients.find(old.client_id as ClientId);
  assert.ok(stored);
  const before = { ...(JSON.parse(stored.metadata) as object), id_token_signed_response_alg: 'RS256' };
  const changed = { ...stored, version: stored.version + 1, metadata: JSON.stringify(before) };
  assert.equal(await accounts.tenant.clients.replace(changed, stored.version), 'done');
  const words = /^id_token_signed_response_alg RS256 of the registration is not accepted/u;
  assertRefused(
    await attacked.send(pushRequest(old, old.requestObject(JWT))),
    'unauthorized_client',
    'PAR',
    words,
  );
  const code = tokenRequest(old, old.redemption('any'));
  assertRefused(await attacked.send(code), 'unauthorized_client', 'a code', words);
  const bearer = attacked.program.masterToken;
  const kept = await attacked.send({ method: 'GET', path: `/clients/${old.client_id}`, bearer });
  assert.equal(kept.json['id_token_signed_response_alg'], 'RS256');
});

test('H-692 one assertion at PAR and at the token endpoint, at two processes on one database: it is good once', async () => {
  const second = await startProgram({ folder: attacked.program.folder, environment: MESSAGE_SIGNING });
  try {
    const credentials = client.credentials();
    const send = async (url: string, form: Fields): Promise<number> => {
      const body = new URLSearchParams(formText({ ...credentials, ...form }));
      return (await fetch(`${url}/par`, { method: 'POST', body })).status;
    };
    const statuses = await Promise.all(
      Array.from(
        { length: 12 },
        async (_, index) =>
          await send(index % 2 === 0 ? attacked.program.url : second.url, {
            request: client.requestObject(JWT),
          }),
      ),
    );
    assert.deepEqual(
      [
        statuses.filter((status) => status === 201).length,
        statuses.filter((status) => status === 401).length,
      ],
      [1, 11],
    );
    const token = formTo('/token', { ...credentials, ...client.redemption('any') }, client.proof('/token'));
    assertRefused(await attacked.send(token), 'invalid_client', 'the same assertion at the token endpoint');
  } finally {
    await second.stop();
  }
});

testInvariantsAtTheEnd(attacked);
