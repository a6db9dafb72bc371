import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { dpopKey } from '../../src/testing/dpop.ts';
import { type Program } from '../program/start.ts';
import {
  ADMIN_PATH,
  addRival,
  administering,
  ask,
  askManagement,
  assertRefused,
  authorizationOf,
  createClient,
  FORM_TYPE,
  operationsAt,
  RIVAL,
  rivalAdmin,
  secondNode,
  tokenOf,
  tokenWith,
} from './admin-requests.ts';
import { type Answer, attackedProgram, type HostileRequest } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { authorise, JSON_TYPE, PLAIN, register } from './registry.ts';

/** H-490…H-509: requests to the administration, on both listeners. */
const attacked = attackedProgram({ environment: { CHANCERY_ADMIN_LISTENERS: 'both' } }, addRival);

const KEYS = '/keys';
const admin = (method: string, path: string, more?: Parameters<typeof administering>[3]): HostileRequest =>
  administering(attacked, method, path, more);
const list = async (more: Parameters<typeof administering>[3]): Promise<Answer> =>
  await attacked.send(admin('GET', KEYS, more));
const JUNK = 'x'.repeat(43);

const atManagement = async (request: HostileRequest, headers?: string): Promise<Answer> =>
  await askManagement(attacked, request, headers);

test('H-490 each operation without credentials, with a junk token or with another scheme: 401 that names its scope, on both listeners', async () => {
  for (const { method, path, scope } of operationsAt(attacked)) {
    const address = path.slice(ADMIN_PATH.length).replaceAll(/\{[a-z_]+\}/gu, 'x');
    const { bearer: _, ...bare } = admin(method, address);
    const refused = await attacked.send(bare);
    assertRefused(refused, 401, 'invalid_token');
    assert.ok(refused.headers['www-authenticate']?.startsWith(`Bearer scope="${scope}", DPoP `), path);
    for (const authorization of [`Bearer ${JUNK}`, 'Basic YWRtaW46YWRtaW4=', 'DPoP x'])
      assertRefused(await atManagement({ ...bare, authorization }), 401, 'invalid_token');
  }
});

test('H-491 a token in the query, in the form or in a cookie opens nothing', async () => {
  const { adminToken } = attacked.program;
  const { bearer: _, ...bare } = admin('GET', KEYS);
  assertRefused(
    await attacked.send({ ...bare, path: `${bare.path}?access_token=${adminToken}` }),
    401,
    'invalid_token',
  );
  const { bearer: __, ...rotate } = admin('POST', '/keys/rotate', {
    headers: FORM_TYPE,
    body: `access_token=${adminToken}`,
  });
  assertRefused(await attacked.send(rotate), 401, 'invalid_token');
  for (const cookie of [
    `access_token=${adminToken}`,
    `chancery-session=${adminToken}`,
    `Authorization=Bearer ${adminToken}`,
  ])
    assertRefused(await attacked.send({ ...bare, headers: `Cookie: ${cookie}\r\n` }), 401, 'invalid_token');
  const both = await list({});
  assert.equal(both.status, 200);
  assertRefused(await list({ bearer: `${adminToken},` }), 401, 'invalid_token');
});

test('H-492 an ID token and a refresh token are no access token, and an access token of a person has no such scope', async () => {
  const client = await register(attacked, {
    ...PLAIN,
    scope: 'openid',
    grant_types: ['authorization_code', 'refresh_token'],
  });
  const answer = await attacked.send({
    method: 'POST',
    path: '/direct-authz/rest/v2',
    headers: JSON_TYPE,
    bearer: attacked.program.directToken,
    body: JSON.stringify({
      sub: 'someone',
      client_id: client.client_id,
      scope: ['openid'],
      id_token: { issue: true },
      refresh_token: { issue: true },
    }),
  });
  assert.equal(answer.status, 200, answer.body);
  for (const member of ['id_token', 'refresh_token']) {
    const bearer = String(answer.json[member]);
    assert.ok(bearer.length > 20);
    assertRefused(await list({ bearer }), 401, 'invalid_token');
  }
  assertRefused(await list({ bearer: String(answer.json['access_token']) }), 403, 'insufficient_scope');
});

test('H-493 registration tokens, initial access tokens and master tokens are no tokens of the administration, nor the reverse', async () => {
  const { masterToken, directToken, adminToken } = attacked.program;
  const client = await register(attacked);
  const initial = await authorise(attacked, 'client-reg');
  for (const bearer of [client.registration_access_token, initial, masterToken, directToken])
    assertRefused(await list({ bearer }), 401, 'invalid_token');
  assert.equal((await attacked.send({ method: 'GET', path: '/clients', bearer: adminToken })).status, 401);
  const direct = {
    method: 'POST',
    path: '/direct-authz/rest/v2',
    headers: JSON_TYPE,
    body: '{"scope":"client-reg"}',
  };
  assert.equal((await attacked.send({ ...direct, bearer: adminToken })).status, 401);
});

test('H-494 a token of another scope: 403 that names the missing one; look-alikes permit nothing', async () => {
  const bearer = await tokenWith(attacked, 'admin:clients:read admin:settings:read');
  const refused = await list({ bearer });
  assertRefused(refused, 403, 'insufficient_scope');
  assert.match(refused.headers['www-authenticate'] ?? '', /scope="admin:keys:read"$/u);
  const write = admin('POST', '/keys/rotate', {
    bearer: await tokenWith(attacked, 'admin:keys:read'),
    json: {},
  });
  assertRefused(await attacked.send(write), 403, 'insufficient_scope');
  const lookAlike = await tokenWith(attacked, 'Admin:keys:read keys:read admin.keys:read');
  assertRefused(await list({ bearer: lookAlike }), 403, 'insufficient_scope');
  const unknown = { metadata: { grant_types: ['client_credentials'], scope: 'admin:everything' } };
  const made = await attacked.send(admin('POST', '/clients', { json: unknown }));
  // A value of the prefix that has no meaning yet must not get one later.
  assertRefused(made, 400, 'invalid_client_metadata');
});

test('H-495 a revoked token is refused at once, on the other node too, and so is the token of a deleted client', async () => {
  const node = await other();
  const scope = 'admin:keys:read';
  const client = await createClient(attacked, { grant_types: ['client_credentials'], scope });
  const [revoked, orphaned] = [
    await tokenOf(attacked, client, scope),
    await tokenOf(attacked, client, scope),
  ];
  for (const bearer of [revoked, orphaned])
    assert.equal((await ask(node, admin('GET', KEYS, { bearer }))).status, 200);
  const done = await attacked.send({
    method: 'POST',
    path: '/token/revoke',
    authorization: authorizationOf(client),
    headers: FORM_TYPE,
    body: `token=${revoked}`,
  });
  assert.equal(done.status, 200, done.body);
  assertRefused(await ask(node, admin('GET', KEYS, { bearer: revoked })), 401, 'invalid_token');
  assert.equal((await ask(node, admin('GET', KEYS, { bearer: orphaned }))).status, 200);
  const path = `/clients/${client.client_id}`;
  const removed = await attacked.send(admin('DELETE', path, { headers: 'If-Match: *\r\n' }));
  assert.equal(removed.status, 204, removed.body);
  assertRefused(await ask(node, admin('GET', KEYS, { bearer: orphaned })), 401, 'invalid_token');
  assertRefused(await list({ bearer: orphaned }), 401, 'invalid_token');
});

test('H-496 tokens of one tenant open no other one, whatever headers the request has', async () => {
  const bearer = await tokenWith(attacked, 'admin:keys:read');
  const atRival = { ...admin('GET', KEYS), path: `${RIVAL}${ADMIN_PATH}${KEYS}` };
  assertRefused(await attacked.send({ ...atRival, bearer }), 401, 'invalid_token');
  assertRefused(await list({ bearer: rivalAdmin }), 401, 'invalid_token');
  assert.equal((await attacked.send({ ...atRival, bearer: rivalAdmin })).status, 200);
  const { issuer, tenant } = attacked.program;
  for (const headers of [`Tenant-ID: ${tenant}\r\n`, `Issuer: ${issuer}\r\n`])
    assertRefused(
      await atManagement(admin('GET', KEYS, { bearer: rivalAdmin }), headers),
      401,
      'invalid_token',
    );
  for (const headers of ['Tenant-ID: rival\r\n', `Issuer: ${issuer}${RIVAL}\r\n`]) {
    assert.equal((await atManagement(admin('GET', KEYS, { bearer: rivalAdmin }), headers)).status, 200);
    assertRefused(await atManagement(admin('GET', KEYS, { bearer }), headers), 401, 'invalid_token');
  }
});

test('H-497 a token of the default tenant opens another one with admin:all-tenants only, and no more than its scope says', async (context) => {
  if (attacked.program.tenant !== 'default')
    return context.skip('the attacked tenant is not the default one');
  const atRival = { ...admin('GET', KEYS), path: `${RIVAL}${ADMIN_PATH}${KEYS}` };
  const all = await tokenWith(attacked, 'admin:keys:read admin:all-tenants');
  assert.equal((await attacked.send({ ...atRival, bearer: all })).status, 200);
  const rotate = {
    ...admin('POST', '/keys/rotate', { json: {} }),
    path: `${RIVAL}${ADMIN_PATH}/keys/rotate`,
  };
  assertRefused(await attacked.send({ ...rotate, bearer: all }), 403, 'insufficient_scope');
  assertRefused(
    await attacked.send({ ...atRival, bearer: await tokenWith(attacked, 'admin:keys') }),
    401,
    'invalid_token',
  );
  assert.equal((await attacked.send({ ...atRival, bearer: attacked.program.adminToken })).status, 200);
});

test('H-498 a stolen bound token, and one proof in twenty requests over two nodes and two tenants: one is answered (RFC 9449 §11.1)', async () => {
  const node = await other();
  const key = dpopKey();
  const scope = 'admin:keys:read admin:all-tenants';
  const client = await createClient(attacked, { grant_types: ['client_credentials'], scope });
  const now = Math.floor(Date.now() / 1000);
  const { issuer, managementUrl } = attacked.program;
  const proven = key.proof({ method: 'POST', address: `${issuer}/token`, now });
  const issued = await attacked.send({
    method: 'POST',
    path: '/token',
    authorization: authorizationOf(client),
    headers: `${FORM_TYPE}DPoP: ${proven}\r\n`,
    body: `grant_type=client_credentials&scope=${encodeURIComponent(scope)}`,
  });
  const accessToken = String(issued.json['access_token']);
  assert.equal(issued.json['token_type'], 'DPoP', issued.body);
  const { bearer: _, ...bare } = admin('GET', KEYS);
  const asked = (scheme: string, headers = ''): HostileRequest => ({
    ...bare,
    authorization: `${scheme} ${accessToken}`,
    headers,
  });
  const proof = (by = key, address = issuer): string =>
    `DPoP: ${by.proof({ method: 'GET', address: `${address}${ADMIN_PATH}${KEYS}`, now, accessToken })}\r\n`;
  assertRefused(await attacked.send(asked('Bearer')), 401, 'invalid_token');
  assertRefused(await attacked.send(asked('Bearer', proof())), 401, 'invalid_token');
  assertRefused(await attacked.send(asked('DPoP')), 401, 'invalid_dpop_proof');
  assertRefused(await attacked.send(asked('DPoP', proof(dpopKey()))), 401, 'invalid_token');
  const one = proof();
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async (_each, index) => {
      const { status } = await ask(index % 2 === 0 ? attacked.program : node, asked('DPoP', one));
      return status;
    }),
  );
  assert.deepEqual(
    statuses.filter((status) => status !== 401),
    [200],
  );
  const shared = proof(key, managementUrl);
  const tenants = [attacked.program.tenant, 'rival'].map((tenant) => `Tenant-ID: ${tenant}\r\n`);
  const answers = await Promise.all(
    tenants.map(async (headers) => await atManagement(asked('DPoP', shared), headers)),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 401]));
});

test('H-500 repeated Authorization, Tenant-ID or Issuer, and two tenants at once: 400; a repeated key is no key', async () => {
  const { adminToken, tenant } = attacked.program;
  const request = admin('GET', KEYS);
  for (const headers of [
    `Authorization: Bearer ${adminToken}\r\n`,
    'Tenant-ID: rival\r\nTenant-ID: rival\r\n',
    'Issuer: a\r\nIssuer: a\r\n',
    `Tenant-ID: ${tenant}\r\nIssuer: ${attacked.program.issuer}${RIVAL}\r\n`,
  ])
    assert.equal((await atManagement({ ...request, headers }, '')).status, 400, headers);
  const keys = 'Idempotency-Key: a\r\nIdempotency-Key: b\r\n';
  assertRefused(
    await attacked.send(admin('POST', '/keys/rotate', { headers: keys, json: {} })),
    400,
    'invalid_parameter',
  );
});

test('H-501 a method override, in a header or in the query, changes no method', async () => {
  const client = await createClient(attacked, { grant_types: ['client_credentials'] });
  const path = `/clients/${client.client_id}`;
  for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
    const read = await attacked.send(admin('GET', path, { headers: `${name}: DELETE\r\nIf-Match: *\r\n` }));
    assert.equal(read.json['client_id'], client.client_id);
  }
  assertRefused(await attacked.send(admin('GET', `${path}?_method=DELETE`)), 400, 'unknown_parameter');
  assert.equal((await attacked.send(admin('GET', path))).status, 200);
});

test('H-503 other spellings of a path, and names of no resource, reach nothing', async () => {
  const paths = [
    '/keys/',
    '//keys',
    '/./keys',
    '/keys/../settings',
    '/KEYS',
    '/keys/x/y',
    '/keys%2frotate',
    '/keys/{kid}/revoke/x',
  ];
  for (const path of paths) {
    const answer = await attacked.send(admin('GET', path));
    assert.equal(answer.status, 404, `${path}: ${answer.body}`);
  }
  for (const path of [
    '/keys/..%2fsettings',
    '/keys/%00',
    '/keys/%ff',
    '/keys/__proto__',
    '/settings/constructor',
  ])
    assertRefused(await attacked.send(admin('GET', path)), 404, 'not_found');
});

test('H-504 an unknown tenant on the management listener: 404, and never the default one', async () => {
  for (const headers of [
    'Tenant-ID: nobody\r\n',
    'Issuer: https://other.example\r\n',
    'Tenant-ID: RIVAL\r\n',
  ])
    assert.equal((await atManagement(admin('GET', KEYS), headers)).status, 404, headers);
  const health = await atManagement({ method: 'GET', path: '/health/live' }, 'Tenant-ID: nobody\r\n');
  assert.equal(health.status, 200);
});

let second: Promise<Program> | undefined;
const other = async (): Promise<Program> => {
  second ??= secondNode(attacked);
  return await second;
};
after(async () => await (await second)?.stop());

test('H-505 twenty changes of one version at once, over two nodes: one is made, the others answer 412', async () => {
  const node = await other();
  const client = await createClient(attacked, { grant_types: ['client_credentials'] });
  const path = `/clients/${client.client_id}`;
  const { headers } = await attacked.send(admin('GET', path));
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const request = admin('PATCH', path, {
        headers: `If-Match: ${headers['etag']}\r\nContent-Type: application/merge-patch+json\r\n`,
        body: JSON.stringify({ metadata: { client_name: `name ${index}` } }),
      });
      return await ask(index % 2 === 0 ? attacked.program : node, request);
    }),
  );
  const made = answers.filter(({ status }) => status === 200);
  assert.equal(made.length, 1, answers.map(({ status }) => status).join());
  for (const each of answers.filter((answer) => answer !== made[0]))
    assertRefused(each, 412, 'precondition_failed');
});

test('H-506 twenty creations at once with one Idempotency-Key, over two nodes: one client', async () => {
  const node = await other();
  const before = (await attacked.stored()).clients;
  const request = admin('POST', '/clients', {
    headers: 'Idempotency-Key: one-client\r\n',
    json: { metadata: { grant_types: ['client_credentials'] } },
  });
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      async (_, index) => await ask(index % 2 === 0 ? attacked.program : node, request),
    ),
  );
  const made = answers.filter(({ status }) => status === 201);
  assert.equal(new Set(made.map(({ body }) => body)).size, 1);
  for (const each of answers.filter(({ status }) => status !== 201))
    assertRefused(each, 409, 'idempotency_key_in_use');
  assert.equal((await attacked.stored()).clients, before + 1);
  const [first] = made;
  for (const { client_secret } of [first?.json ?? {}]) attacked.secrets.add(String(client_secret));
});

test('H-507 the Idempotency-Key of another caller tells nothing, and belongs to that caller', async () => {
  const bearer = await tokenWith(attacked, 'admin:clients:write');
  const request = admin('POST', '/clients', {
    bearer,
    headers: 'Idempotency-Key: one-client\r\n',
    json: { metadata: { grant_types: ['client_credentials'] } },
  });
  const made = await attacked.send(request);
  assert.equal(made.status, 201, made.body);
  const again = await attacked.send({ ...request, bearer: attacked.program.adminToken });
  assert.notEqual(again.json['client_id'], made.json['client_id']);
});

test('H-509 a caller cannot choose the address that the audit names', async () => {
  const headers = 'X-Forwarded-For: 203.0.113.7\r\nForwarded: for=203.0.113.7\r\nX-Real-IP: 203.0.113.7\r\n';
  const made = await attacked.send(
    admin('POST', '/clients', { headers, json: { metadata: { grant_types: ['client_credentials'] } } }),
  );
  assert.equal(made.status, 201);
  const { body } = await attacked.send(admin('GET', '/audit?limit=200'));
  assert.ok(body.includes('"items"') && !body.includes('203.0.113'));
});

testInvariantsAtTheEnd(attacked);
