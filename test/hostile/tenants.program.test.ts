import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { addTenant } from '../../src/testing/storage/add-tenant.ts';
import { sha256 } from '../program/start.ts';
import { openProgramStorage } from '../program/storage-place.ts';
import { type Answer, attackedProgram, type HostileRequest } from './attacked-program.ts';
import { tokenRequest as assertionRequest, registerAsserting } from './client-assertions.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { basic, formOf, introspect } from './introspection-requests.ts';
import {
  authorise,
  getClient,
  JSON_TYPE,
  PLAIN,
  postClient,
  type RegisteredClient,
  register,
  SERVICE,
} from './registry.ts';

/**
 * Tries every kind of credential of one tenant at another one of the same process. The answer is byte for byte that to
 * an unknown credential (decision 38; docs/contract/hostile/lessons.md, Tenants).
 */
const RIVAL = '/rival';
const rivalMaster = randomBytes(32).toString('hex');
const rivalDirect = randomBytes(32).toString('hex');
const attacked = attackedProgram({}, async ({ program, secrets }) => {
  const storage = await openProgramStorage(program.folder);
  await addTenant(storage, {
    id: 'rival',
    issuer: `${program.issuer}${RIVAL}`,
    settings: {
      'registration.master-token-sha256': [sha256(rivalMaster)],
      'direct-authorization.token-sha256': [sha256(rivalDirect)],
    },
  });
  await storage.close();
  secrets.add(rivalMaster).add(rivalDirect);
});

const atRival = (request: HostileRequest): HostileRequest => ({ ...request, path: RIVAL + request.path });
const sendToRival = async (request: HostileRequest): Promise<Answer> => await attacked.send(atRival(request));

async function registerAtRival(metadata: object): Promise<RegisteredClient> {
  const answer = await sendToRival(postClient(metadata, rivalMaster));
  assert.equal(answer.status, 200, answer.body);
  return answer.json as unknown as RegisteredClient;
}

/** Both requests get the same answer from the rival, which is of this status. */
async function assertLikeUnknown(
  foreign: HostileRequest,
  unknown: HostileRequest,
  status: number,
): Promise<void> {
  const [answer, expected] = [await sendToRival(foreign), await sendToRival(unknown)];
  assert.equal(answer.status, status, `${answer.status} ${answer.body}`);
  assert.equal(answer.body, expected.body);
  assert.deepEqual({ ...answer.headers, date: '' }, { ...expected.headers, date: '' });
}

const NOBODY = 'x'.repeat(43);
const introspectionScope = (path = ''): string => `${attacked.program.issuer}${path}/token/introspect`;
const direct = (bearer: string, body: object): HostileRequest => ({
  method: 'POST',
  path: '/direct-authz/rest/v2',
  headers: JSON_TYPE,
  bearer,
  body: JSON.stringify(body),
});
const tokenRequest = (
  client: { client_id: string; client_secret: string },
  form: string,
): HostileRequest => ({
  ...formOf(form),
  path: '/token',
  authorization: basic(client),
});
const CREDENTIALS = 'grant_type=client_credentials';

test('the master token of a tenant is unknown at another (C-01)', async () => {
  const { masterToken } = attacked.program;
  const list = { method: 'GET', path: '/clients' };
  await assertLikeUnknown({ ...list, bearer: masterToken }, { ...list, bearer: NOBODY }, 401);
  assert.equal((await attacked.send({ ...list, bearer: rivalMaster })).status, 401);
  await assertLikeUnknown(postClient(SERVICE, masterToken), postClient(SERVICE, NOBODY), 401);
});

test('the token of the direct authorisation endpoint is one tenant’s', async () => {
  const body = { scope: 'client-reg' };
  await assertLikeUnknown(direct(attacked.program.directToken, body), direct(NOBODY, body), 401);
  assert.equal((await sendToRival(direct(rivalDirect, body))).status, 200);
});

test('an initial access token registers nothing at another tenant, and is not used up there (H-115)', async () => {
  const initial = await authorise(attacked, 'client-reg');
  await assertLikeUnknown(postClient(PLAIN, initial), postClient(PLAIN, NOBODY), 401);
  assert.equal((await attacked.send(postClient(PLAIN, initial))).status, 200);
});

test('a registration token and a client id lead nowhere at another tenant', async () => {
  const client = await register(attacked);
  const id = client.client_id;
  await assertLikeUnknown(getClient(id, client.registration_access_token), getClient(id, NOBODY), 401);
  await assertLikeUnknown(
    getClient(id, rivalMaster),
    getClient('unknown0unknown0unknown0', rivalMaster),
    404,
  );
});

test('client credentials are unknown at another tenant, and the same identifier may be there: nothing is mixed', async () => {
  const wanted = { ...SERVICE, preferred_client_id: 'in-both-tenants' };
  const ours = await register(attacked, wanted);
  const nobody = { client_id: 'unknown0unknown0unknown0', client_secret: NOBODY };
  assert.equal((await attacked.send(tokenRequest(ours, CREDENTIALS))).status, 200);
  await assertLikeUnknown(tokenRequest(ours, CREDENTIALS), tokenRequest(nobody, CREDENTIALS), 401);
  const theirs = await registerAtRival(wanted);
  assert.equal((await sendToRival(tokenRequest(theirs, CREDENTIALS))).status, 200);
  await assertLikeUnknown(tokenRequest(ours, CREDENTIALS), tokenRequest(nobody, CREDENTIALS), 401);
  assert.equal((await attacked.send(tokenRequest(theirs, CREDENTIALS))).status, 401);
  const gone = await sendToRival({
    method: 'DELETE',
    path: '/clients/in-both-tenants',
    bearer: theirs.registration_access_token,
  });
  assert.equal(gone.status, 204);
  assert.equal((await attacked.send(tokenRequest(ours, CREDENTIALS))).status, 200);
});

for (const encoding of ['IDENTIFIER', 'SELF_CONTAINED']) {
  test(`an access token (${encoding}) is inactive at another tenant, opens nothing there, and is not revoked there`, async () => {
    const scopes = `${introspectionScope()} ${introspectionScope(RIVAL)}`;
    const ours = await register(attacked, { ...SERVICE, scope: scopes });
    const theirs = await registerAtRival({ ...SERVICE, scope: scopes });
    const { client_id } = ours;
    const token = await authorise(attacked, scopes, { client_id, access_token: { encoding } });
    assert.equal((await attacked.send(introspect(ours, token))).json['active'], true);
    await assertLikeUnknown(introspect(theirs, token), introspect(theirs, 'junk'), 200);
    await assertLikeUnknown(
      { ...formOf(`token=${token}`), bearer: token },
      { ...formOf(`token=${token}`), bearer: NOBODY },
      401,
    );
    const revoke = (value: string): HostileRequest => ({
      ...introspect(theirs, value),
      path: '/token/revoke',
    });
    await assertLikeUnknown(revoke(token), revoke('junk'), 200);
    assert.equal((await attacked.send(introspect(ours, token))).json['active'], true);
  });
}

for (const method of ['private_key_jwt', 'client_secret_jwt'] as const) {
  test(`an assertion (${method}) of a client authenticates no client at another tenant, whichever issuer it names`, async () => {
    const client = await registerAsserting(attacked, method);
    for (const aud of [attacked.program.issuer, `${attacked.program.issuer}${RIVAL}`]) {
      const nobody = { iss: 'unknown0unknown0unknown0', sub: 'unknown0unknown0unknown0', aud };
      await assertLikeUnknown(
        assertionRequest(client.assert({ aud })),
        assertionRequest(client.assert(nobody)),
        401,
      );
    }
    assert.equal((await attacked.send(assertionRequest(client.assert()))).status, 200);
  });
}

test('a page of the list ends at the tenant, whosever cursor asks for the next one', async () => {
  const [first] = await attacked.list();
  assert.ok(first);
  const cursors = [first.client_id, Buffer.from(first.client_id).toString('base64url'), ''];
  const page = await attacked.send({
    method: 'GET',
    path: '/clients?limit=1',
    bearer: attacked.program.masterToken,
  });
  const next = /cursor=([^&>]+)/.exec(page.headers['link'] ?? '')?.[1] ?? assert.fail('no next page');
  const known = new Set((await attacked.list()).map(({ client_id }) => client_id));
  for (const cursor of [...cursors, next]) {
    const answer = await sendToRival({
      method: 'GET',
      path: `/clients?limit=100&cursor=${cursor}`,
      bearer: rivalMaster,
    });
    if (answer.status === 400) continue;
    assert.equal(answer.status, 200);
    const listed = JSON.parse(answer.body) as readonly { readonly client_id: string }[];
    assert.ok(
      listed.every(({ client_id }) => !known.has(client_id)),
      cursor,
    );
  }
});

test('H-154 headers that choose: twice, disagreeing, unknown, strange', async () => {
  const discovery = { method: 'GET', path: '/.well-known/openid-configuration' };
  for (const [headers, status] of choosingHeaders()) {
    const answer = await attacked.send({ ...discovery, headers });
    assert.equal(answer.status, status, headers.slice(0, 60));
    if (status === 404) assert.equal(answer.body, '');
  }
});

test('H-223 at POST /federation/clients the headers choose in the same way, before the endpoint answers', async () => {
  const request = { method: 'POST', path: '/federation/clients', body: 'e30.e30.c2ln' };
  // Neither tenant is in a federation: where the headers choose one, the endpoint says so.
  const expected = { 200: [400, 'federation_not_enabled'], 400: [400, 'invalid_request'], 404: [404, ''] };
  for (const [choosing, status] of choosingHeaders()) {
    const headers = `Content-Type: application/jose\r\n${choosing}`;
    const answer = await attacked.send({ ...request, headers });
    const found = [answer.status, answer.body === '' ? '' : answer.json['error']];
    assert.deepEqual(found, expected[status], choosing.slice(0, 60));
  }
});

/** Returns header lines, and the status of a discovery request that carries them. */
function choosingHeaders(): readonly (readonly [headers: string, status: 200 | 400 | 404])[] {
  const { issuer, tenant } = attacked.program;
  return [
    ['Tenant-ID: rival\r\n', 200],
    [`Issuer: ${issuer}\r\nTenant-ID: ${tenant}\r\n`, 200],
    [`Issuer: ${issuer}\r\nTenant-ID: rival\r\n`, 400],
    ['Tenant-ID: rival\r\nTenant-ID: rival\r\n', 400],
    [`Issuer: ${issuer}\r\nISSUER: ${issuer}\r\n`, 400],
    ['Tenant-ID: rival, rival\r\n', 404],
    ['Tenant-ID: \r\n', 404],
    ['Tenant-ID: __proto__\r\n', 404],
    [`Tenant-ID: ${'x'.repeat(8000)}\r\n`, 404],
    [`Issuer: ${issuer}/\r\n`, 404],
    [`Issuer: ${issuer.toUpperCase()}\r\n`, 404],
    [`Issuer: ${issuer.replace('https://', 'https://user@')}\r\n`, 404],
    [`Issuer: ${issuer.replace('example.com', 'example.com:443')}\r\n`, 404],
  ];
}

test('no address is built from a header: Host, Forwarded and their kin choose at most (H-154, trap S7)', async () => {
  const headers =
    'Forwarded: host=evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Prefix: /rival\r\n';
  const answer = await attacked.send({ method: 'GET', path: '/.well-known/openid-configuration', headers });
  assert.equal(answer.json['issuer'], attacked.program.issuer);
  assert.doesNotMatch(answer.body, /evil|rival/);
});

test('the clients of a tenant end one by one, and those of the other stay', async () => {
  const before = (await attacked.list()).length;
  const listed = await sendToRival({ method: 'GET', path: '/clients', bearer: rivalMaster });
  const clients = JSON.parse(listed.body) as readonly RegisteredClient[];
  assert.ok(clients.length > 0);
  for (const { client_id } of clients) {
    const gone = await sendToRival({ method: 'DELETE', path: `/clients/${client_id}`, bearer: rivalMaster });
    assert.equal(gone.status, 204);
  }
  assert.equal((await attacked.list()).length, before);
});

testInvariantsAtTheEnd(attacked);
