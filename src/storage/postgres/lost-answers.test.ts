import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Storage, StorageUnavailable, type TenantStorage } from '../../ports/storage.ts';
import { emptyDatabase, openTestDatabase } from '../../testing/postgres/database.ts';
import { startProxy, type TestProxy } from '../../testing/postgres/proxy.ts';
import { openTestRows, type TestRows } from '../../testing/postgres/rows.ts';
import {
  aClient,
  aGrant,
  anEvent,
  aTenant,
  aToken,
  aTokenOf,
  EVENT,
  NOW,
  OPEN,
  TENANT,
} from '../../testing/storage/stored-examples.ts';
import { openPostgresStorage } from './open.ts';

/**
 * Retries after lost answers. A write whose answer was lost may have happened: it is reported as a failure and never
 * retried, because a retry could execute it twice. A write that the database rolled back has not happened, and is retried.
 */
const DEADLINE_MS = 10_000;
let url: string;
let proxy: TestProxy;
let storage: Storage;
let tenant: TenantStorage;
let rows: TestRows;

before(async () => {
  url = await emptyDatabase();
  await (await openTestDatabase(url)).close();
  rows = await openTestRows(url);
  const { port } = new URL(url.replace('postgres:', 'http:'));
  proxy = await startProxy(Number(port));
  storage = await openPostgresStorage(url.replace(port, String(proxy.port)), {
    connections_max: 2,
    deadline_ms: DEADLINE_MS,
    migrate: false,
    replica: '',
  });
  tenant = storage.forTenant(TENANT);
});
after(async () => {
  await storage.close();
  await proxy.close();
  await rows.close();
});

const count = async (table: string, condition = '1 = 1'): Promise<number> =>
  Number((await rows.ask(`SELECT count(*) AS found FROM ${table} WHERE ${condition}`))[0]?.['found']);

/** Each write, the server's message when it is done, and its visible effect: once, not twice. */
const LOST: readonly {
  readonly what: string;
  readonly said: string;
  readonly act: () => Promise<unknown>;
  readonly happened: () => Promise<unknown>;
}[] = [
  {
    what: 'an event of the audit',
    said: 'INSERT 0 1',
    act: () => tenant.audit.append(anEvent({ request_id: 'lost' })),
    happened: () => count('audit_event', "request_id = 'lost'"),
  },
  {
    what: 'an access token',
    said: 'INSERT 0 1',
    act: () => tenant.accessTokens.issue(aToken(undefined, { introspection: 'lost' })),
    happened: () => count('access_token', "introspection = 'lost'"),
  },
  {
    what: 'something that may be used once',
    said: 'INSERT 0 1',
    act: () => tenant.replays.rememberOnce('client-assertion', 'lost', 'value', NOW),
    happened: () => count('remembered_once', "owner = 'lost'"),
  },
  {
    what: 'a registration',
    said: 'SELECT 1',
    act: () => tenant.clients.create(aClient({ metadata: 'lost' }), OPEN),
    happened: () => count('client', "metadata = 'lost'"),
  },
  {
    what: 'a grant',
    said: 'INSERT 0 1',
    act: () => {
      const grant = aGrant(aClient(), { sub: 'lost' });
      return tenant.grants.create(grant, aTokenOf(grant));
    },
    happened: () => count('authorization_grant', "sub = 'lost'"),
  },
  {
    what: 'a tenant',
    said: 'COMMIT',
    act: () => storage.tenants.create(aTenant({ settings: 'lost' }), EVENT),
    happened: () => count('tenant', "settings = 'lost'"),
  },
];

for (const { what, said, act, happened } of LOST) {
  test(`${what}, whose answer was lost on the way: it happened once, is told as a failure, and is not done again`, async () => {
    proxy.breakAt(said);
    await assert.rejects(act(), StorageUnavailable);
    assert.equal(await happened(), 1);
    await storage.ready();
    assert.equal(await happened(), 1);
  });
}

test('a refresh token whose answer was lost is spent: the refresh is not done again', async () => {
  const client = aClient();
  await tenant.clients.create(client, OPEN);
  const grant = aGrant(client);
  await tenant.grants.create(grant, aTokenOf(grant));
  const { refresh_token } = grant;
  assert.ok(refresh_token !== null);
  const next = { digest: 'next' as typeof refresh_token.digest, expires_at: NOW + 3600 };
  const token = aTokenOf(grant, { introspection: 'refreshed' });
  const expires_at = NOW + 3600;
  proxy.breakAt('INSERT 0 1');
  const { grant_id } = grant;
  const presented = refresh_token.digest;
  await assert.rejects(
    tenant.grants.refresh({ grant_id, presented, next, expires_at, token, now: NOW }),
    StorageUnavailable,
  );
  assert.deepEqual((await tenant.grants.find(grant_id))?.refresh_token, next);
  assert.equal(await count('access_token', "introspection = 'refreshed'"), 1);
});

test('a deletion whose answer was lost has happened, and nothing is done twice', async () => {
  const client = aClient();
  await tenant.clients.create(client, OPEN);
  const deleted = await count('deleted_client');
  proxy.breakAt('COMMIT');
  await assert.rejects(tenant.clients.delete(client, EVENT), StorageUnavailable);
  assert.equal(await count('deleted_client'), deleted + 1);
  assert.equal(await tenant.clients.delete(client, EVENT), 'absent');
});

test('an act of several steps whose connection broke before its end has not happened, and is not tried again', async () => {
  const client = aClient();
  await tenant.clients.create(client, OPEN);
  proxy.breakAt('DELETE 1');
  await assert.rejects(tenant.clients.delete(client, EVENT), StorageUnavailable);
  assert.deepEqual(await tenant.clients.find(client.client_id), client);
  assert.equal(await tenant.clients.delete(client, EVENT), 'done');
});

test('a question whose answer was lost is asked again: look-ups, rows, and what takes its time', async () => {
  const client = aClient();
  await tenant.clients.create(client, OPEN);
  proxy.breakAt('SELECT 1');
  assert.deepEqual(await tenant.clients.find(client.client_id), client);
  proxy.breakAt('SELECT 1');
  assert.ok((await tenant.journal.head()) >= 0);
  proxy.breakAt('SELECT');
  assert.ok((await tenant.clients.page(undefined, 100)).length > 0);
});

/** The database refuses the first `refusals` attempts to write `table`, as it would for a reason of its own. */
async function refuse(table: string, refusals: number, errcode: string): Promise<void> {
  for (const statement of [
    'DROP SEQUENCE IF EXISTS attempts CASCADE',
    'CREATE SEQUENCE attempts',
    `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
       IF nextval('attempts') <= ${refusals} THEN RAISE EXCEPTION 'refused' USING ERRCODE = '${errcode}'; END IF;
       RETURN NEW; END $$`,
    `DROP TRIGGER IF EXISTS refuse ON ${table}`,
    `CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`,
  ])
    await rows.ask(statement);
}

const attempts = async (): Promise<number> =>
  Number((await rows.ask('SELECT last_value FROM attempts'))[0]?.['last_value']);

test('what the database undid for another transaction is tried again, quick acts and those of several steps', async () => {
  for (const errcode of ['40001', '40P01']) {
    await refuse('audit_event', 3, errcode);
    const request_id = `undone ${errcode}`;
    await tenant.audit.append(anEvent({ request_id }));
    assert.equal(await attempts(), 4);
    assert.equal(await count('audit_event', `request_id = '${request_id}'`), 1);
    await rows.ask('DROP TRIGGER refuse ON audit_event');
    const client = aClient();
    await tenant.clients.create(client, OPEN);
    await refuse('deleted_client', 3, errcode);
    assert.equal(await tenant.clients.delete(client, EVENT), 'done');
    assert.equal(await attempts(), 4);
  }
  await rows.ask('DROP TRIGGER refuse ON deleted_client');
});

test('what is undone again and again is told as a failure after five attempts, and other errors after the first', async () => {
  for (const [errcode, tried] of [
    ['40001', 5],
    ['57014', 1],
    ['53100', 1],
    ['XX000', 1],
  ] as const) {
    await refuse('audit_event', 100, errcode);
    await assert.rejects(tenant.audit.append(anEvent()), StorageUnavailable, errcode);
    assert.equal(await attempts(), tried, errcode);
  }
  await rows.ask('DROP TRIGGER refuse ON audit_event');
});
