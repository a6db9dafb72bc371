import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { JWT_BEARER_GRANT, TOKEN_EXCHANGE_GRANT } from '../../src/spec/grant-types.ts';
import {
  ACCESS_TOKEN_TYPE,
  ID_JAG_TYP,
  ID_JAG_TYPE,
  ID_TOKEN_TYPE_URI,
  JWT_TYPE,
} from '../../src/spec/token-types.ts';
import { signedJwt, testKey } from '../../src/testing/jwt.ts';
import { startProgram } from '../program/start.ts';
import { type Answer, attackedProgram, type HostileRequest } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { basic, FORM_TYPE } from './introspection-requests.ts';
import { JSON_TYPE, type RegisteredClient, register } from './registry.ts';
import { accountsBeside } from './sign-in-world.ts';

/** H-620…H-629: identities that are asserted wrongly, and grants that others should not have. */
const IDP = 'https://idp.example';
const OTHER = 'https://other-idp.example';
const CHAT = 'https://chat.example';
const API = 'https://chat.example/mcp';
const KEY = testKey('ES256', 'idp');

const trusted = { kind: 'jwt', jwks: { keys: [KEY.jwk] }, scope: ['read', 'write'] };
const environment = {
  CHANCERY_TOKEN_EXCHANGE_ENABLED: 'true',
  CHANCERY_ASSERTION_GRANTS_ISSUERS: JSON.stringify([
    { ...trusted, issuer: IDP, 'subject-prefix': 'idp:', uses: ['id-jag'] },
    { ...trusted, issuer: OTHER, 'subject-prefix': 'other:', uses: ['grant'] },
    {
      ...trusted,
      issuer: 'https://op.example.com',
      'subject-prefix': 'own:',
      uses: ['id-jag', 'subject-token'],
    },
  ]),
};

const WIKI = {
  grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT],
  redirect_uris: ['https://wiki.example/cb'],
  chancery_token_exchange: { id_jag: [{ audience: CHAT, resources: [API], scope: 'chat.read' }] },
};
const CONNECTOR = { grant_types: [JWT_BEARER_GRANT, TOKEN_EXCHANGE_GRANT], scope: 'read write' };

let wiki: RegisteredClient;
let connector: RegisteredClient;
const subjects = { alive: '', disabled: '', deleted: '' };
const attacked = attackedProgram({ environment }, async (started) => {
  wiki = await register(started, WIKI);
  connector = await register(started, CONNECTOR);
  const beside = await accountsBeside(started.program);
  for (const name of ['alive', 'disabled', 'deleted'] as const) {
    const account = await beside.add({ username: name, password: 'correct horse battery' });
    subjects[name] = account.sub;
    const changed = { ...account, version: account.version + 1, disabled_at: 1 };
    if (name === 'disabled')
      await beside.tenant.accounts.replace(changed, { expectedVersion: account.version, endAll: true });
  }
  await beside.close();
});

const seconds = (): number => Math.floor(Date.now() / 1000);
type Fields = Readonly<Record<string, string>>;

/** An ID token of a client, by direct authorisation. */
async function idTokenOf(of: RegisteredClient = wiki, sub = subjects.alive): Promise<string> {
  const { json, body } = await attacked.send({
    method: 'POST',
    path: '/direct-authz/rest/v2',
    bearer: attacked.program.directToken,
    headers: JSON_TYPE,
    body: JSON.stringify({ sub, client_id: of.client_id, scope: ['openid'], id_token: { issue: true } }),
  });
  assert.equal(typeof json['id_token'], 'string', body);
  attacked.secrets.add(String(json['access_token']));
  return String(json['id_token']);
}

const form = (of: RegisteredClient, fields: Fields): HostileRequest => ({
  method: 'POST',
  path: '/token',
  authorization: basic(of),
  headers: FORM_TYPE,
  body: String(new URLSearchParams(fields)),
});

const asking = (subject_token: string, fields: Fields = {}, of = wiki): HostileRequest =>
  form(of, {
    grant_type: TOKEN_EXCHANGE_GRANT,
    requested_token_type: ID_JAG_TYPE,
    subject_token,
    subject_token_type: ID_TOKEN_TYPE_URI,
    audience: CHAT,
    ...fields,
  });

function grant(claims: object = {}, header: object = {}, key = KEY): string {
  const { issuer } = attacked.program;
  const usual = { iss: IDP, sub: 'alice', aud: issuer, client_id: connector.client_id, jti: randomUUID() };
  const times = { iat: seconds(), exp: seconds() + 120 };
  return signedJwt(key, { ...usual, ...times, ...claims }, { typ: ID_JAG_TYP, ...header });
}

const presenting = (assertion: string, fields: Fields = {}, of = connector): HostileRequest =>
  form(of, { grant_type: JWT_BEARER_GRANT, assertion, ...fields });

function assertRefused({ status, json, body }: Answer, error: string, what: string): void {
  assert.deepEqual([status, json['error']], [400, error], `${what}: ${body}`);
}

const refuses = async (request: HostileRequest, error: string, what: string): Promise<void> =>
  assertRefused(await attacked.send(request), error, what);

test('H-620 no other JWT and no other client asserts an identity: 400 invalid_request (draft-ietf-oauth-identity-assertion-authz-grant-01 §4.3.1)', async () => {
  const idToken = await idTokenOf();
  assert.equal((await attacked.send(asking(idToken))).status, 200);
  const another = await register(attacked, WIKI);
  await refuses(asking(idToken, {}, another), 'invalid_request', 'another client');
  const [header = '', , signature = ''] = idToken.split('.');
  const claims = { iss: attacked.program.issuer, sub: subjects.alive, aud: wiki.client_id };
  const times = { iat: seconds(), exp: seconds() + 60 };
  const edited = Buffer.from(JSON.stringify({ ...claims, ...times })).toString('base64url');
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  const foreign = signedJwt(testKey('RS256'), { ...claims, ...times }, { typ: 'JWT' });
  const tokens = [
    `${header}.${edited}.${signature}`,
    `${none}.${edited}.`,
    foreign,
    grant(),
    '',
    'x'.repeat(9000),
  ];
  for (const token of tokens) await refuses(asking(token), 'invalid_request', token.slice(0, 60));
  for (const subject_token_type of [ACCESS_TOKEN_TYPE, JWT_TYPE, ID_JAG_TYPE, 'id_token', ''])
    await refuses(asking(idToken, { subject_token_type }), 'invalid_request', subject_token_type);
});

test('H-621 an audience, resource or scope outside the policy is 400 invalid_target or invalid_scope', async () => {
  const idToken = await idTokenOf();
  for (const audience of [`${CHAT}/`, `${CHAT}.evil.example`, attacked.program.issuer, '*', ''])
    await refuses(asking(idToken, { audience }), 'invalid_target', audience);
  for (const resource of [`${API}/`, CHAT, 'x'])
    await refuses(asking(idToken, { resource }), 'invalid_target', resource);
  for (const scope of ['chat.read chat.admin', 'CHAT.READ', 'openid', 'chat.read\t'])
    await refuses(asking(idToken, { scope }), 'invalid_scope', scope);
});

test('H-622 an ID token about a disabled or unknown account, or older than the registration of its client, is 400 invalid_request', async () => {
  await refuses(asking(await idTokenOf(wiki, subjects.disabled)), 'invalid_request', 'disabled');
  await refuses(asking(await idTokenOf(wiki, 'somebody')), 'invalid_request', 'unknown');
  const preferred_client_id = 'again';
  const first = await register(attacked, { ...WIKI, preferred_client_id });
  const inherited = await idTokenOf(first);
  const bearer = first.registration_access_token;
  assert.equal((await attacked.send({ method: 'DELETE', path: '/clients/again', bearer })).status, 204);
  await new Promise((resolve) => setTimeout(resolve, 1100 - (Date.now() % 1000)));
  const second = await register(attacked, { ...WIKI, preferred_client_id });
  await refuses(asking(inherited, {}, second), 'invalid_request', 'of its predecessor');
});

test('H-623 a grant that this server issued opens nothing here (draft-ietf-oauth-identity-assertion-authz-grant-01 §7.3)', async () => {
  const { json } = await attacked.send(asking(await idTokenOf()));
  const own = String(json['access_token']);
  attacked.secrets.add(own);
  await refuses(presenting(own), 'invalid_grant', 'as an assertion');
  await refuses(asking(own), 'invalid_request', 'as an identity');
  const subject = { grant_type: TOKEN_EXCHANGE_GRANT, subject_token: own, audience: CHAT };
  await refuses(form(wiki, { ...subject, subject_token_type: JWT_TYPE }), 'invalid_request', 'as a token');
  assert.equal((await attacked.send({ method: 'GET', path: '/userinfo', bearer: own })).status, 401);
});

test('H-624 a grant for another client or server, without jti or iat, or at another time is 400 invalid_grant (draft-ietf-oauth-identity-assertion-authz-grant-01 §4.4.1)', async () => {
  assert.equal((await attacked.send(presenting(grant()))).status, 200);
  const { issuer } = attacked.program;
  const rows = [
    { client_id: wiki.client_id },
    { client_id: undefined },
    { client_id: [connector.client_id] },
    { aud: 'https://other.example' },
    { aud: `${issuer}/` },
    { aud: [issuer, 'https://other.example'] },
    { aud: [] },
    { aud: undefined },
    { jti: undefined },
    { jti: '' },
    { jti: 7 },
    { iat: undefined },
    { iat: 'now' },
    { exp: undefined },
    { exp: seconds() - 120 },
    { exp: seconds() + 864_000 },
    { iat: seconds() - 864_000 },
    { nbf: seconds() + 600 },
    { iss: 'https://stranger.example' },
  ];
  for (const claims of rows)
    await refuses(presenting(grant(claims)), 'invalid_grant', JSON.stringify(Object.entries(claims)));
});

test('H-625 one grant in forty requests at two processes, and again after a restart: exactly one succeeds (RFC 7523 §3)', async () => {
  const folder = { folder: attacked.program.folder, environment };
  const request = presenting(grant());
  const statusAt = async (url: string): Promise<number> => {
    const headers = {
      authorization: request.authorization ?? '',
      'content-type': 'application/x-www-form-urlencoded',
    };
    const answer = await fetch(`${url}/token`, { method: 'POST', headers, body: String(request.body) });
    await answer.text();
    return answer.status;
  };
  const second = await startProgram(folder);
  try {
    const urls = Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0 ? attacked.program.url : second.url,
    );
    const statuses = await Promise.all(urls.map(statusAt));
    assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
    assert.equal(statuses.filter((status) => status === 400).length, 39, String(statuses));
  } finally {
    await second.stop();
  }
  const third = await startProgram(folder);
  try {
    assert.equal(await statusAt(third.url), 400, 'after a restart');
  } finally {
    await third.stop();
  }
});

test('H-626 a grant has its type, and its provider the use: everything else is 400 invalid_grant (RFC 8725 §3.11)', async () => {
  for (const typ of [
    'JWT',
    'at+jwt',
    'authorization-grant+jwt',
    'client-authentication+jwt',
    '',
    undefined,
    `x${ID_JAG_TYP}`,
  ])
    await refuses(presenting(grant({}, { typ })), 'invalid_grant', String(typ));
  await refuses(presenting(grant({ iss: OTHER })), 'invalid_grant', 'a provider of other JWTs');
  assert.equal((await attacked.send(presenting(grant({ iss: OTHER }, { typ: 'JWT' })))).status, 200);
  assert.equal(
    (await attacked.send(presenting(grant({}, { typ: `application/${ID_JAG_TYP}` })))).status,
    200,
  );
});

test('H-627 a token for a grant has no more scope and no other resource than the grant', async () => {
  const narrow = grant({ scope: 'read', resource: API });
  await refuses(presenting(narrow, { scope: 'write' }), 'invalid_scope', 'scope');
  await refuses(presenting(narrow, { resource: CHAT }), 'invalid_target', 'resource');
  const answer = await attacked.send(presenting(narrow));
  assert.equal(answer.json['scope'], 'read', 'a refused request has not used the grant up');
  for (const resource of [7, [], [null], ['a b'], {}, ''])
    await refuses(presenting(grant({ resource })), 'invalid_grant', JSON.stringify(resource));
  for (const resource of ['relative', `${API}#x`])
    await refuses(presenting(grant({ resource })), 'invalid_target', resource);
  await refuses(presenting(grant({ scope: 'admin' })), 'invalid_scope', 'nothing in common');
});

test('H-628 a grant with no signature, a MAC by the public key, another key, or a key in its header is 400 invalid_grant (RFC 8725 §2.1)', async () => {
  const [header = '', payload = ''] = grant().split('.');
  const none = Buffer.from(`{"alg":"none","typ":"${ID_JAG_TYP}"}`).toString('base64url');
  const hs = Buffer.from(`{"alg":"HS256","typ":"${ID_JAG_TYP}","kid":"idp"}`).toString('base64url');
  const mac = createHmac('sha256', JSON.stringify(KEY.jwk)).update(`${hs}.${payload}`).digest('base64url');
  const thief = testKey('ES256', 'idp');
  const rows = [
    `${none}.${payload}.`,
    `${hs}.${payload}.${mac}`,
    `${header}.${payload}.`,
    grant({}, {}, thief),
    grant({}, { jwk: thief.jwk }, thief),
    grant({}, { crit: ['exp'] }),
  ];
  for (const [index, jwt] of rows.entries()) await refuses(presenting(jwt), 'invalid_grant', String(index));
});

test('H-629 a grant about a client, or a subject that no person can read, and a public client: 400 invalid_grant', async () => {
  const named = await register(attacked, { ...CONNECTOR, preferred_client_id: 'idp:robot' }).catch(
    () => undefined,
  );
  assert.equal(named, undefined, 'no client has such an identifier');
  for (const sub of ['', 'a\u0000b', 'al\u200bice', ' alice', 'x'.repeat(300), 7, null])
    await refuses(presenting(grant({ sub })), 'invalid_grant', JSON.stringify(sub));
  const open = await register(attacked, {
    ...CONNECTOR,
    grant_types: [JWT_BEARER_GRANT],
    token_endpoint_auth_method: 'none',
  });
  const { authorization: _, ...anonymous } = presenting(grant({ client_id: open.client_id }), {
    client_id: open.client_id,
  });
  await refuses(anonymous, 'invalid_grant', 'public');
});

testInvariantsAtTheEnd(attacked);
