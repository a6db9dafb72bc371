import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TenantId } from '../../src/spec/identifiers.ts';
import { openProgramStorage } from '../program/storage-place.ts';
import { type Answer, attackedProgram, type HostileRequest } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import {
  assertAnswer,
  deleteClient,
  getClient,
  JSON_TYPE,
  PLAIN,
  postClient,
  putClient,
  type RegisteredClient,
  register,
  SERVICE,
} from './registry.ts';

const attacked = attackedProgram({
  environment: {
    CHANCERY_ADMIN_LISTENERS: 'both',
    CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
    CHANCERY_HISTORY_VERSIONS_PER_CLIENT: '3',
  },
});

const administration = (method: string, path: string, body?: object): HostileRequest => ({
  method,
  path: `/admin/v1/${path}`,
  bearer: attacked.program.adminToken,
  headers: `${body === undefined ? '' : JSON_TYPE}If-Match: *\r\n`,
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

const admin = async (method: string, path: string, body?: object): Promise<Answer> =>
  await attacked.send(administration(method, path, body));

const itemsOf = ({ json }: Answer): readonly Readonly<Record<string, unknown>>[] =>
  json['items'] as readonly Readonly<Record<string, unknown>>[];

async function authenticates({ client_id, client_secret }: RegisteredClient): Promise<boolean> {
  const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  const headers = 'Content-Type: application/x-www-form-urlencoded\r\n';
  const body = 'grant_type=client_credentials';
  const { status } = await attacked.send({ method: 'POST', path: '/token', authorization, headers, body });
  return status === 200;
}

test('H-520 a client that a stranger registers, changes and deletes in a loop leaves at most three versions, and nothing at the end', async () => {
  for (let loop = 0; loop < 3; loop += 1) {
    let client = (await attacked.send(postClient(PLAIN))).json as unknown as RegisteredClient;
    const { client_id } = client;
    for (let time = 0; time < 6; time += 1) {
      const { registration_access_token: token } = client;
      client = (
        await attacked.send(
          putClient(client_id, { ...PLAIN, client_uri: `https://rp.example.com/${time}` }, token),
        )
      ).json as unknown as RegisteredClient;
    }
    const versions = itemsOf(await admin('GET', `clients/${client_id}/versions`));
    assert.deepEqual(
      versions.map(({ version }) => version),
      [7, 6, 5, 4],
    );
    const gone = await attacked.send(deleteClient(client_id, client.registration_access_token));
    assert.equal(gone.status, 204);
  }
  assert.deepEqual(itemsOf(await admin('GET', 'deleted-clients')), []);
  const storage = await openProgramStorage(attacked.program.folder);
  try {
    const { clientHistory } = storage.forTenant(attacked.program.tenant as TenantId);
    assert.deepEqual(await clientHistory.sealedPage(undefined, 10), []);
  } finally {
    await storage.close();
  }
});

test('H-521 of restorations and registrations of one identifier at once, exactly one succeeds', async () => {
  const { client_id } = await register(attacked, { ...SERVICE, preferred_client_id: 'contested' });
  for (let round = 0; round < 3; round += 1) {
    assert.equal((await admin('DELETE', `clients/${client_id}`)).status, 204);
    const restorations = Array.from({ length: 4 }, () =>
      administration('POST', `deleted-clients/${client_id}/restore`, {}),
    );
    const again = { ...SERVICE, preferred_client_id: client_id };
    const registrations = Array.from({ length: 4 }, () => postClient(again, attacked.program.masterToken));
    const requests = restorations.flatMap((one, index) => [one, registrations[index] ?? one]);
    const statuses = (await attacked.sendAtOnce(requests)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
    assert.equal(statuses.filter((status) => [400, 404, 409].includes(status)).length, 7, statuses.join());
  }
});

test('H-523 a deleted client comes back without its secret, registration token and tokens', async () => {
  const client = await register(attacked, SERVICE);
  const { client_id, registration_access_token } = client;
  assert.equal((await attacked.send(deleteClient(client_id, attacked.program.masterToken))).status, 204);
  const { status, json } = await admin('POST', `deleted-clients/${client_id}/restore`, {});
  assert.equal(status, 200);
  assert.equal(await authenticates(client), false);
  assert.equal(await authenticates({ ...client, client_secret: String(json['client_secret']) }), true);
  assertAnswer(await attacked.send(getClient(client_id, registration_access_token)), 'invalid_token');
});

test('H-524 after a purge no table holds what the client held', async () => {
  const person = 'ada.lovelace@person.example';
  const { client_id } = await register(attacked, { ...SERVICE, data: { person } });
  assertAnswer(
    await attacked.send(putClient(client_id, SERVICE, attacked.program.masterToken)),
    'registered',
  );
  const held = async (): Promise<boolean> => {
    const storage = await openProgramStorage(attacked.program.folder);
    try {
      const { clientHistory, audit } = storage.forTenant(attacked.program.tenant as TenantId);
      const rows = [
        await clientHistory.deletedPage(undefined, 100),
        await clientHistory.sealedPage(undefined, 1000),
        await audit.page(0, 1000),
      ];
      return JSON.stringify(rows).includes(person);
    } finally {
      await storage.close();
    }
  };
  assert.equal(await held(), true);
  assert.equal((await admin('DELETE', `clients/${client_id}?purge=true`)).status, 204);
  assert.equal(await held(), false);
  assert.equal((await admin('POST', `deleted-clients/${client_id}/restore`, {})).status, 404);
});

test('H-525 versions and differences over the wire hold no secret and no token', async () => {
  const client = await register(attacked, SERVICE);
  const { client_id } = client;
  const changed = await attacked.send(
    putClient(client_id, { ...SERVICE, client_uri: 'https://rp.example.com' }, attacked.program.masterToken),
  );
  const secrets = [client, changed.json as unknown as RegisteredClient].flatMap((each) => [
    each.client_secret,
    each.registration_access_token,
  ]);
  for (const path of ['versions', 'versions/1', 'versions/2', 'diff', 'diff?from=2&to=1']) {
    const { status, body } = await admin('GET', `clients/${client_id}/${path}`);
    assert.equal(status, 200, body);
    for (const secret of secrets) assert.ok(!body.includes(secret), path);
  }
});

test('H-526 a version cannot be restored with a token that may only read, nor without one', async () => {
  const { client_id } = await register(attacked, SERVICE);
  assertAnswer(
    await attacked.send(putClient(client_id, SERVICE, attacked.program.masterToken)),
    'registered',
  );
  const request = administration('POST', `clients/${client_id}/restore`, {});
  const { bearer: _, ...anonymous } = request;
  assert.equal((await attacked.send(anonymous)).status, 401);
  const own = await attacked.send({ ...request, bearer: attacked.program.masterToken });
  assert.equal(own.status, 401, 'the master token of the registry does not open the administration');
  assert.equal((await attacked.send(request)).status, 200);
});

testInvariantsAtTheEnd(attacked);
