import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Storage, StorageUnavailable, type TenantStorage } from '../../ports/storage.ts';
import type { Digest } from '../../spec/identifiers.ts';
import { emptyDatabase, openTestDatabase } from '../../testing/postgres/database.ts';
import { startProxy, type TestProxy } from '../../testing/postgres/proxy.ts';
import {
  aClient,
  aCode,
  aGrant,
  anEvent,
  aTenant,
  aToken,
  aTokenOf,
  EVENT,
  NOW,
  OPEN,
  TENANT,
  times,
} from '../../testing/storage/stored-examples.ts';
import { openPostgresStorage } from './open.ts';

/** The database accepts every message and never answers. No call of the storage waits longer than its deadline. */
const DEADLINE_MS = 1000;
/** Each call has its own deadline. Otherwise each would wait for those before it, half a minute in all. */
const WAITING = 30;
const OPTIONS = { connections_max: 4, deadline_ms: DEADLINE_MS, migrate: false, replica: '' };
const client = aClient();
const grant = aGrant(client);

let url: string;
let proxy: TestProxy;
let storage: Storage;
let tenant: TenantStorage;

before(async () => {
  const direct = await emptyDatabase();
  const prepared = await openTestDatabase(direct);
  await prepared.forTenant(TENANT).clients.create(client, OPEN);
  await prepared.close();
  const { port } = new URL(direct.replace('postgres:', 'http:'));
  proxy = await startProxy(Number(port));
  url = direct.replace(port, String(proxy.port));
  storage = await openPatiently();
  tenant = storage.forTenant(TENANT);
});
after(async () => {
  await storage.close();
  await proxy.close();
});

/** A busy machine may need more than one deadline. */
async function openPatiently(): Promise<Storage> {
  try {
    return await openPostgresStorage(url, OPTIONS);
  } catch (error) {
    assert.ok(error instanceof StorageUnavailable);
    await sleep(20);
    return await openPatiently();
  }
}

const { refresh_token } = grant;
const refreshing = {
  grant_id: grant.grant_id,
  presented: refresh_token?.digest ?? ('' as Digest),
  next: { digest: 'next' as Digest, expires_at: null },
  expires_at: null,
  token: aTokenOf(grant),
  now: NOW,
};

/** A verb of each way in which something is asked or done. */
const VERBS: Readonly<Record<string, () => unknown>> = {
  'a look-up': () => tenant.clients.find(client.client_id),
  'a look-up of several records': () => tenant.accessTokens.findInitial(aToken().key),
  rows: () => tenant.journal.since(0),
  'rows that may take their time': () => tenant.clients.page(undefined, 10),
  'rows of all tenants': () => storage.tenants.all(),
  'a quick act': () => tenant.accessTokens.issue(aToken()),
  'a quick act that takes the turn': () => tenant.audit.append(anEvent()),
  'a quick act that may need steps': () => tenant.grants.refresh(refreshing),
  'a redemption': () =>
    tenant.authorizationCodes.redeem(aCode(client).key, { grant, token: aTokenOf(grant) }),
  'an act of several steps': () => tenant.clients.delete(client, EVENT),
  'an act on all tenants': () => storage.tenants.create(aTenant(), EVENT),
  'the question whether it can be used': () => storage.ready(),
};

test('a database that does not answer: every kind of question and act is refused by the deadline, however many wait (F14)', {
  timeout: (WAITING / 2) * DEADLINE_MS,
}, async () => {
  proxy.hold(true);
  try {
    const kinds = Object.entries(VERBS).map(async ([what, verb]) => {
      for (const each of await Promise.allSettled(times(WAITING, async () => await verb()))) {
        assert.equal(each.status, 'rejected', what);
        assert.ok(each.reason instanceof StorageUnavailable, `${what}: ${String(each.reason)}`);
      }
    });
    await Promise.all(kinds);
  } finally {
    proxy.hold(false);
  }
});

test('a database that does not even take connections is given up by the deadline', {
  timeout: 60 * DEADLINE_MS,
}, async () => {
  proxy.hold(true);
  try {
    await assert.rejects(openPostgresStorage(url, OPTIONS), StorageUnavailable);
  } finally {
    proxy.hold(false);
  }
});

test('when it answers again, so does the storage, and nothing that was refused happens later (F14)', {
  timeout: 60_000,
}, async () => {
  const usable = async (): Promise<void> => {
    const failure = await storage.ready().catch((error: unknown) => error);
    if (failure === undefined) return;
    assert.ok(failure instanceof StorageUnavailable);
    await sleep(20);
    await usable();
  };
  await usable();
  const request_id = 'refused before';
  proxy.hold(true);
  const refused = times(WAITING, () => tenant.audit.append(anEvent({ request_id })));
  const answers = await Promise.allSettled(refused);
  assert.ok(answers.every(({ status }) => status === 'rejected'));
  proxy.hold(false);
  await usable();
  const seen = async (): Promise<number> =>
    (await tenant.audit.page(0, 1000)).filter((event) => event.request_id === request_id).length;
  const first = await seen();
  await usable();
  assert.equal(await seen(), first);
});
