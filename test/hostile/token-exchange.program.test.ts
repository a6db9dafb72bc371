import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOKEN_EXCHANGE_GRANT } from '../../src/spec/grant-types.ts';
import { ACCESS_TOKEN_TYPE, JWT_TYPE } from '../../src/spec/token-types.ts';
import { signedJwt, testKey } from '../../src/testing/jwt.ts';
import { startProgram } from '../program/start.ts';
import { type Answer, attackedProgram, type HostileRequest } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { basic, type Credentials, FORM_TYPE, introspect } from './introspection-requests.ts';
import { JSON_TYPE, postClient, putClient, type RegisteredClient, register } from './registry.ts';

/** H-610…H-619: services that exchange tokens which they should not have, for more than they may have. */
const GATEWAY = 'https://gateway.example';
const LEDGER = 'https://ledger.example';
const CHAIN_MAX = 3;

const EXCHANGER = {
  grant_types: [TOKEN_EXCHANGE_GRANT, 'client_credentials'],
  scope: 'read write',
  resource_identifiers: [GATEWAY],
  chancery_token_exchange: { audiences: [LEDGER, GATEWAY] },
};

const attacked = attackedProgram(
  {
    environment: {
      CHANCERY_TOKEN_EXCHANGE_ENABLED: 'true',
      CHANCERY_TOKEN_EXCHANGE_CHAIN_MAX: String(CHAIN_MAX),
    },
  },
  async (started) => {
    gateway = await register(started, EXCHANGER);
    application = await register(started, {
      grant_types: ['client_credentials', 'refresh_token', 'authorization_code'],
      redirect_uris: ['https://app.example/cb'],
      scope: 'read write admin',
    });
    inspector = await register(started, {
      grant_types: ['client_credentials'],
      scope: `${started.program.issuer}/token/introspect`,
    });
  },
);
let gateway: RegisteredClient;
let application: RegisteredClient;
let inspector: RegisteredClient;

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

/** Tokens of the application for a person, by direct authorisation; the access token is for the gateway. */
async function tokensOf(change: object = {}): Promise<Tokens> {
  const { json, body } = await attacked.send({
    method: 'POST',
    path: '/direct-authz/rest/v2',
    bearer: attacked.program.directToken,
    headers: JSON_TYPE,
    body: JSON.stringify({
      sub: 'alice',
      client_id: application.client_id,
      scope: ['read'],
      resources: [GATEWAY],
      refresh_token: { issue: true },
      id_token: { issue: true },
      ...change,
    }),
  });
  assert.equal(typeof json['access_token'], 'string', body);
  for (const secret of [json['access_token'], json['refresh_token']]) attacked.secrets.add(String(secret));
  return json as unknown as Tokens;
}

type Fields = Readonly<Record<string, string>>;

function exchanging(subject_token: string, fields: Fields = {}, of: Credentials = gateway): HostileRequest {
  const body = { grant_type: TOKEN_EXCHANGE_GRANT, subject_token, subject_token_type: ACCESS_TOKEN_TYPE };
  return {
    method: 'POST',
    path: '/token',
    authorization: basic(of),
    headers: FORM_TYPE,
    body: String(new URLSearchParams({ audience: LEDGER, ...body, ...fields })),
  };
}

const exchange = async (...of: Parameters<typeof exchanging>): Promise<Answer> =>
  await attacked.send(exchanging(...of));

function assertRefused({ status, json, body }: Answer, error: string, what: string): void {
  assert.deepEqual(
    [status, json['error']],
    [error === 'invalid_client' ? 401 : 400, error],
    `${what}: ${body}`,
  );
}

async function exchanged(...of: Parameters<typeof exchanging>): Promise<string> {
  const { json, body } = await exchange(...of);
  assert.equal(typeof json['access_token'], 'string', body);
  attacked.secrets.add(String(json['access_token']));
  return String(json['access_token']);
}

test('H-610 a token that was not issued to the client, and is not for it, is 400 invalid_request (RFC 8693 §2.2.2)', async () => {
  for (const resources of [['https://other.example'], [`${GATEWAY}/`], [`${GATEWAY}.evil.example`]]) {
    const { access_token } = await tokensOf({ resources });
    assertRefused(await exchange(access_token), 'invalid_request', String(resources));
  }
  const { access_token } = await tokensOf({ resources: [] });
  assertRefused(await exchange(access_token), 'invalid_request', 'a token for everyone');
});

test('H-611 a token that is cut, extended, empty, unsigned, of another key or revoked is 400 invalid_request (RFC 8693 §2.1)', async () => {
  const { access_token } = await tokensOf();
  const { issuer } = attacked.program;
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer,
    sub: 'alice',
    aud: GATEWAY,
    exp: now + 600,
    iat: now,
    jti: 'x',
    client_id: 'x',
  };
  const forged = signedJwt(testKey('RS256'), claims, { typ: 'at+jwt' });
  const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${forged.split('.')[1] ?? ''}.`;
  const rows = [
    '',
    ' ',
    access_token.slice(1),
    `${access_token}x`,
    forged,
    unsigned,
    'x'.repeat(9000),
    '%00',
  ];
  for (const token of rows) assertRefused(await exchange(token), 'invalid_request', token.slice(0, 40));
  await attacked.send({
    ...exchanging('', {}, application),
    path: '/token/revoke',
    body: `token=${access_token}`,
  });
  assertRefused(await exchange(access_token), 'invalid_request', 'revoked');
});

test('H-612 no other secret is a subject or actor token, whatever type is said (RFC 8693 §3)', async () => {
  const { access_token, refresh_token, id_token } = await tokensOf();
  const initial = await attacked.send({
    method: 'POST',
    path: '/direct-authz/rest/v2',
    bearer: attacked.program.directToken,
    headers: JSON_TYPE,
    body: '{"sub":"admin","scope":["client-reg"]}',
  });
  const { masterToken } = attacked.program;
  const others = [refresh_token, id_token, String(initial.json['access_token']), masterToken];
  const types = [ACCESS_TOKEN_TYPE, JWT_TYPE, 'urn:ietf:params:oauth:token-type:refresh_token', 'x', ''];
  for (const token of [...others, gateway.registration_access_token, gateway.client_secret]) {
    for (const type of types)
      assertRefused(await exchange(token, { subject_token_type: type }), 'invalid_request', type);
    const actor = { actor_token: token, actor_token_type: ACCESS_TOKEN_TYPE };
    assertRefused(await exchange(access_token, actor), 'invalid_request', 'as an actor');
  }
});

test('H-613 scope never widens: 400 invalid_scope (RFC 8693 §2.1)', async () => {
  const { access_token } = await tokensOf();
  const rows = [
    'write',
    'read write',
    'admin',
    'openid',
    'offline_access',
    'admin:keys',
    'client-reg',
    'READ',
    'read\tread',
  ];
  for (const scope of rows) assertRefused(await exchange(access_token, { scope }), 'invalid_scope', scope);
  const unlisted = await tokensOf({ scope: ['admin'] });
  assertRefused(await exchange(unlisted.access_token), 'invalid_scope', 'nothing in common');
});

test('H-614 an audience or resource that is not in the policy, character by character, is 400 invalid_target (RFC 8693 §2.2.2)', async () => {
  const { access_token } = await tokensOf();
  const rows = [
    `${LEDGER}/`,
    `${LEDGER}.evil.example`,
    LEDGER.toUpperCase(),
    LEDGER.slice(0, -1),
    '*',
    'null',
    `${LEDGER}#x`,
  ];
  for (const value of rows) {
    assertRefused(await exchange(access_token, { audience: value }), 'invalid_target', value);
    assertRefused(await exchange(access_token, { resource: value }), 'invalid_target', value);
  }
  const request = exchanging(access_token);
  const many = Array.from({ length: 25 }, (_, index) => `&audience=a${index}`).join('');
  assertRefused(
    await attacked.send({ ...request, body: `${String(request.body)}${many}` }),
    'invalid_target',
    'many',
  );
});

test('H-615 a client without a policy, a grant type, or credentials exchanges nothing (RFC 8693 §2.1)', async () => {
  const { access_token } = await tokensOf();
  const without = await register(attacked, { ...EXCHANGER, chancery_token_exchange: undefined });
  assertRefused(await exchange(access_token, {}, without), 'unauthorized_client', 'no policy');
  assertRefused(await exchange(access_token, {}, application), 'unauthorized_client', 'no grant type');
  const wrong = { ...gateway, client_secret: 'wrong' };
  assertRefused(await exchange(access_token, {}, wrong), 'invalid_client', 'wrong secret');
  const { authorization: _, ...anonymous } = exchanging(access_token, { client_id: gateway.client_id });
  assertRefused(await attacked.send(anonymous), 'invalid_client', 'no secret');
});

test('H-616 only an operator gives a client its policy: a registrant may not, and its own update is ignored (decision 9)', async () => {
  const initial = await attacked.send({
    method: 'POST',
    path: '/direct-authz/rest/v2',
    bearer: attacked.program.directToken,
    headers: JSON_TYPE,
    body: '{"sub":"admin","scope":["client-reg:grant:exchange","client-reg:scope:read"]}',
  });
  const registration = {
    ...EXCHANGER,
    grant_types: [TOKEN_EXCHANGE_GRANT],
    scope: 'read',
    resource_identifiers: undefined,
  };
  const bearer = String(initial.json['access_token']);
  attacked.secrets.add(bearer);
  assert.equal((await attacked.send(postClient(registration, bearer))).status, 403);
  const { chancery_token_exchange: policy, ...plain } = EXCHANGER;
  const own = await register(attacked, plain);
  const change = { ...plain, client_id: own.client_id, client_secret: own.client_secret };
  const updated = await attacked.send(
    putClient(own.client_id, { ...change, chancery_token_exchange: policy }, own.registration_access_token),
  );
  assert.equal(updated.json['chancery_token_exchange'], undefined, updated.body);
});

test('H-617 tokens that are exchanged at two processes while the first one is revoked are all inactive afterwards (RFC 7009 §2.1)', async () => {
  const second = await startProgram({
    folder: attacked.program.folder,
    environment: {
      CHANCERY_TOKEN_EXCHANGE_ENABLED: 'true',
      CHANCERY_TOKEN_EXCHANGE_CHAIN_MAX: String(CHAIN_MAX),
    },
  });
  const urls = [attacked.program.url, second.url];
  const post = async (
    url: string,
    { path, authorization = '', body = '' }: HostileRequest,
  ): Promise<Answer['json']> => {
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: String(body) });
    const text = await answer.text();
    return text === '' ? {} : (JSON.parse(text) as Answer['json']);
  };
  try {
    const { access_token } = await tokensOf();
    const middle = await exchanged(access_token, { audience: GATEWAY });
    const revoking = {
      ...exchanging('', {}, application),
      path: '/token/revoke',
      body: `token=${access_token}`,
    };
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        if (index === 20) await post(urls[0] ?? '', revoking);
        return await post(urls[index % 2] ?? '', exchanging(index % 4 < 2 ? access_token : middle));
      }),
    );
    const tokens = answers.flatMap(({ access_token: token }) => (typeof token === 'string' ? [token] : []));
    for (const { error } of answers)
      assert.ok(error === undefined || error === 'invalid_request', String(error));
    for (const url of urls)
      for (const token of [access_token, middle, ...tokens])
        assert.deepEqual(await post(url, introspect(inspector, token)), { active: false });
  } finally {
    await second.stop();
  }
});

test('H-618 an actor token of another client, a delegated one, one without its type, and a parameter twice are 400 invalid_request (RFC 8693 §2.1)', async () => {
  const { access_token } = await tokensOf();
  const foreign = await tokensOf({ sub: 'mallory' });
  const rows: readonly Fields[] = [
    { actor_token: foreign.access_token, actor_token_type: ACCESS_TOKEN_TYPE },
    { actor_token: await exchanged(access_token), actor_token_type: ACCESS_TOKEN_TYPE },
    { actor_token: access_token },
    { actor_token_type: ACCESS_TOKEN_TYPE },
    { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
    { requested_token_type: 'access_token' },
  ];
  for (const fields of rows)
    assertRefused(
      await exchange(access_token, fields),
      'invalid_request',
      JSON.stringify(Object.keys(fields)),
    );
  const request = exchanging(access_token);
  for (const name of [
    'subject_token',
    'subject_token_type',
    'scope',
    'actor_token',
    'requested_token_type',
  ]) {
    const twice = { ...request, body: `${String(request.body)}&${name}=x&${name}=x` };
    assertRefused(await attacked.send(twice), 'invalid_request', `${name} twice`);
  }
});

test('H-619 a chain ends after its limit, and no exchange in it lives longer than the first token', async () => {
  const { access_token } = await tokensOf();
  const { exp } = (await attacked.send(introspect(inspector, access_token))).json;
  let token = access_token;
  for (let round = 0; round < CHAIN_MAX; round += 1) {
    token = await exchanged(token, { audience: GATEWAY });
    const { json } = await attacked.send(introspect(inspector, token));
    assert.ok(Number(json['exp']) <= Number(exp), `${String(json['exp'])} ${String(exp)}`);
  }
  assertRefused(await exchange(token), 'invalid_request', 'one more');
});

testInvariantsAtTheEnd(attacked);
