import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientId } from '../../spec/identifiers.ts';
import { sealerWith } from '../../system/sealer.ts';
import { ampleCaches } from '../../testing/caches.ts';
import {
  type ClientInformation,
  MASTER,
  SERVICE,
  START,
  type TestTenant,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';
import type { AuditTrail } from '../audit-trail.ts';
import { clientInformation } from '../client-information.ts';
import { clientUses } from '../upkeep/client-uses.ts';
import { pruneIdleClients } from '../upkeep/prune-clients.ts';
import { resealClients } from './client-secrets.ts';
import { retireSecret, rotateSecret, secretsOf } from './rotate-secret.ts';

const trail = (): AuditTrail => ({
  action: 'client.secret',
  request_id: 'cli',
  actor: 'cli',
  client_id: null,
});

async function status(tenant: TestTenant, { client_id }: ClientInformation, secret: string): Promise<number> {
  const request = { basic: [client_id, secret], form: { grant_type: 'client_credentials' } } as const;
  return (await tenant.send('token', request)).status;
}

test('a rotated secret works at once, the previous one during its grace period, and the evidence shows which is used', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  const id = client.client_id as ClientId;
  await rotateSecret(await tenant.registry(), id, { keepPreviousSeconds: 60 }, trail());
  const { json } = await tenant.send('client-read', { bearer: client.registration_access_token, id });
  const fresh = String(json['client_secret']);
  assert.deepEqual(
    [await status(tenant, client, client.client_secret), await status(tenant, client, fresh)],
    [200, 200],
  );
  const stored = await tenant.storage.clients.find(id);
  assert.ok(stored !== undefined);
  const evidence = await secretsOf(await tenant.registry(), stored);
  assert.deepEqual(
    evidence.map(({ expires_at }) => expires_at),
    [0, START + 60],
  );
  tenant.clock.advance(60);
  assert.deepEqual(
    [await status(tenant, client, client.client_secret), await status(tenant, client, fresh)],
    [401, 200],
  );
});

test('a retired secret is invalid at once; the last one cannot be retired', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  const id = client.client_id as ClientId;
  const rotated = await rotateSecret(await tenant.registry(), id, { keepPreviousSeconds: 60 }, trail());
  const [kept, old] = await secretsOf(await tenant.registry(), rotated);
  assert.ok(kept !== undefined && old !== undefined);
  await retireSecret(await tenant.registry(), id, old.name, trail());
  assert.equal(await status(tenant, client, client.client_secret), 401);
  await assert.rejects(retireSecret(await tenant.registry(), id, old.name, trail()), { name: 'NotFound' });
  await assert.rejects(retireSecret(await tenant.registry(), id, kept.name, trail()), {
    code: 'invalid_request',
  });
});

test('if all secrets are retired in parallel, one is refused and the client can still authenticate', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(SERVICE);
  const id = client_id as ClientId;
  await rotateSecret(await tenant.registry(), id, { keepPreviousSeconds: 60 }, trail());
  const rotated = await rotateSecret(await tenant.registry(), id, { keepPreviousSeconds: 60 }, trail());
  const evidence = await secretsOf(await tenant.registry(), rotated);
  assert.equal(evidence.length, 3);
  const settled = await Promise.allSettled(
    evidence.map(async ({ name }) => await retireSecret(await tenant.registry(), id, name, trail())),
  );
  assert.equal(settled.filter((one) => one.status === 'fulfilled').length, 2);
  assert.equal((await tenant.storage.clients.find(id))?.secrets.length, 1);
});

test('after parallel rotations every returned secret works', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  const id = client.client_id as ClientId;
  const keep = { keepPreviousSeconds: 60 };
  const rotated = await Promise.all(
    Array.from({ length: 5 }, async () => await rotateSecret(await tenant.registry(), id, keep, trail())),
  );
  const secrets = rotated.map(({ secrets: [first] }) => first?.digest);
  const stored = (await tenant.storage.clients.find(id))?.secrets.map(({ digest }) => digest) ?? [];
  assert.equal(stored.length, 6);
  for (const secret of secrets) assert.ok(secret !== undefined && stored.includes(secret));
});

test('the last live secret cannot be retired even if an expired one remains', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(SERVICE);
  const id = client_id as ClientId;
  const rotated = await rotateSecret(await tenant.registry(), id, { keepPreviousSeconds: 60 }, trail());
  const [kept, old] = await secretsOf(await tenant.registry(), rotated);
  assert.ok(kept !== undefined && old !== undefined);
  tenant.clock.advance(60);
  await assert.rejects(retireSecret(await tenant.registry(), id, kept.name, trail()), {
    code: 'invalid_request',
  });
  await retireSecret(await tenant.registry(), id, old.name, trail());
  assert.equal((await tenant.storage.clients.find(id))?.secrets.length, 1);
});

test('a client that updates itself repeatedly within the grace period keeps its ten newest secrets', async () => {
  const tenant = testTenant({ settings: { 'registration.previous-secret-grace': 86_400 } });
  const first = await tenant.register(SERVICE);
  const secrets = [first.client_secret];
  for (let update = 0; update < 15; update += 1) {
    const { json } = await tenant.send('client-update', {
      bearer: MASTER,
      id: first.client_id,
      json: SERVICE,
    });
    secrets.unshift(String(json['client_secret']));
  }
  const statuses = await Promise.all(secrets.map(async (secret) => await status(tenant, first, secret)));
  assert.deepEqual(statuses, [...Array(10).fill(200), ...Array(6).fill(401)]);
});

test('the renewal of an expired secret keeps an older secret that lives longer', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  const id = client.client_id as ClientId;
  const settings = { ...(await tenant.registry()).settings, 'registration.client-secret-lifetime': 10 };
  await rotateSecret({ ...(await tenant.registry()), settings }, id, { keepPreviousSeconds: 60 }, trail());
  tenant.clock.advance(10);
  const { json } = await tenant.send('client-read', { bearer: client.registration_access_token, id });
  assert.notEqual(json['client_secret'], client.client_secret);
  assert.equal(await status(tenant, client, String(json['client_secret'])), 200);
  assert.equal(await status(tenant, client, client.client_secret), 200);
  tenant.clock.advance(50);
  assert.equal(await status(tenant, client, client.client_secret), 401);
});

test('rotating fails for a public client and for an unknown client', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  const keep = { keepPreviousSeconds: 0 };
  await assert.rejects(rotateSecret(await tenant.registry(), client_id as ClientId, keep, trail()), {
    code: 'invalid_client_metadata',
  });
  await assert.rejects(rotateSecret(await tenant.registry(), 'nobody' as ClientId, keep, trail()), {
    name: 'NotFound',
  });
});

test('uses are recorded in batches, each client and secret at most once in ten minutes', async () => {
  const tenant = testTenant();
  await tenant.register(SERVICE);
  const [stored] = await tenant.storage.clients.page(undefined, 1);
  assert.ok(stored !== undefined);
  const [secret] = stored.secrets;
  const uses = clientUses({ ...(await tenant.registry()), caches: ampleCaches() });
  const recorded = (): number => tenant.watch.calls.filter((call) => call === 'clients.recordUses').length;
  for (let time = 0; time < 100; time += 1) uses.note(stored, secret);
  uses.note(stored, undefined);
  await uses.flush();
  assert.equal(recorded(), 1);
  const found = await tenant.storage.clients.uses(stored);
  assert.deepEqual(
    found.map(({ last_used_at }) => last_used_at),
    [START, START],
  );
  tenant.clock.advance(599);
  uses.note(stored, secret);
  await uses.flush();
  assert.equal(recorded(), 1);
  tenant.clock.advance(1);
  uses.note(stored, secret);
  await uses.flush();
  assert.equal(recorded(), 2);
});

test('a failure to record uses is logged and affects no request', async () => {
  const tenant = testTenant();
  await tenant.register(SERVICE);
  const [stored] = await tenant.storage.clients.page(undefined, 1);
  assert.ok(stored !== undefined);
  const uses = clientUses({ ...(await tenant.registry()), caches: ampleCaches() });
  tenant.watch.fail(new Error('full'), 'clients.recordUses');
  uses.note(stored, undefined);
  await uses.flush();
  assert.ok(tenant.log.some(({ message }) => message === 'client uses could not be recorded'));
});

test('a flush waits for a write in progress', async () => {
  const tenant = testTenant();
  await tenant.register(SERVICE);
  const [stored] = await tenant.storage.clients.page(undefined, 1);
  assert.ok(stored !== undefined);
  const { promise, resolve } = Promise.withResolvers<void>();
  const order: string[] = [];
  const recordUses = async (): Promise<void> => {
    await promise;
    order.push('recorded');
  };
  const uses = clientUses({ ...(await tenant.registry()), clients: { recordUses }, caches: ampleCaches() });
  uses.note(stored, undefined);
  void uses.flush();
  const second = uses.flush().then(() => order.push('flushed'));
  await new Promise((turn) => setImmediate(turn));
  assert.deepEqual(order, []);
  resolve();
  await second;
  assert.deepEqual(order, ['recorded', 'flushed']);
});

const DAY = 86_400;
const prune = { idleSeconds: 30 * DAY, tokenLifetimeMax: DAY, actor: 'cli', request_id: 'cli' };

test('only idle open clients are pruned; a dry run lists them and keeps them', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  const idle = String((await tenant.send('client-registration', { json: WEB_CLIENT })).json['client_id']);
  await tenant.register(WEB_CLIENT);
  tenant.clock.advance(29 * DAY);
  const young = String((await tenant.send('client-registration', { json: WEB_CLIENT })).json['client_id']);
  tenant.clock.advance(DAY + 1);
  assert.deepEqual(await pruneIdleClients(await tenant.registry(), { ...prune, dryRun: true }), [idle]);
  assert.equal((await tenant.send('client-read', { bearer: MASTER, id: idle })).status, 200);
  assert.deepEqual(await pruneIdleClients(await tenant.registry(), { ...prune, dryRun: false }), [idle]);
  assert.equal((await tenant.send('client-read', { bearer: MASTER, id: idle })).status, 404);
  assert.equal((await tenant.send('client-read', { bearer: MASTER, id: young })).status, 200);
});

/** Waits until uses are recorded, which requests do not do. */
async function recordedUse(tenant: TestTenant, id: string): Promise<void> {
  const client = await tenant.storage.clients.find(id as ClientId);
  assert.ok(client !== undefined);
  for (let turn = 0; turn < 1000; turn += 1) {
    if ((await tenant.unwatched.clients.uses(client)).length > 0) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail('the use was not recorded');
}

test('clients of a token and clients in use are not pruned, among several pages of idle ones', async () => {
  const tenant = testTenant({
    settings: { 'registration.allow-open-registration': true, 'registration.open-idempotent': true },
  });
  const open = async (client_name: string): Promise<string> => {
    const json = { ...WEB_CLIENT, client_name, token_endpoint_auth_method: 'none' };
    return String((await tenant.send('client-registration', { json })).json['client_id']);
  };
  const idle = new Set<string>();
  for (let number = 0; number < 230; number += 1) idle.add(await open(`idle ${number}`));
  const initial = await tenant.initialToken('client-reg');
  const byToken = String(
    (await tenant.send('client-registration', { bearer: initial, json: WEB_CLIENT })).json['client_id'],
  );
  const byMaster = (await tenant.register(WEB_CLIENT)).client_id;
  const again = await open('registers at every start');
  idle.delete(again);
  tenant.clock.advance(20 * DAY);
  assert.equal(await open('registers at every start'), again);
  await recordedUse(tenant, again);
  tenant.clock.advance(20 * DAY);
  const pruned = await pruneIdleClients(await tenant.registry(), { ...prune, dryRun: false });
  assert.deepEqual(new Set(pruned), idle);
  for (const id of [byToken, byMaster, again]) {
    assert.equal((await tenant.send('client-read', { bearer: MASTER, id })).status, 200);
  }
});

test('an idle client that is changed during the pruning stays', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  const id = String((await tenant.send('client-registration', { json: WEB_CLIENT })).json['client_id']);
  tenant.clock.advance(40 * DAY);
  tenant.watch.before('clients.delete', async () => {
    assert.equal((await tenant.send('client-update', { bearer: MASTER, id, json: WEB_CLIENT })).status, 200);
  });
  assert.deepEqual(await pruneIdleClients(await tenant.registry(), { ...prune, dryRun: false }), []);
  assert.equal((await tenant.send('client-read', { bearer: MASTER, id })).status, 200);
});

test('a client that may have a live token is not idle, however short the requested idle time is', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  await tenant.send('client-registration', { json: WEB_CLIENT });
  tenant.clock.advance(DAY);
  assert.deepEqual(
    await pruneIdleClients(await tenant.registry(), { ...prune, idleSeconds: 1, dryRun: false }),
    [],
  );
  tenant.clock.advance(3601);
  assert.equal(
    (await pruneIdleClients(await tenant.registry(), { ...prune, idleSeconds: 1, dryRun: false })).length,
    1,
  );
});

test('re-encryption moves every client to the current key, once; clients see no change', async () => {
  const tenant = testTenant();
  const [old, fresh] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const needs = { ...(await tenant.registry()), sealer: sealerWith([old]) };
  const client = await tenant.register(SERVICE);
  const [stored] = await tenant.storage.clients.page(undefined, 1);
  assert.ok(stored !== undefined);
  const rotated = await rotateSecret(needs, stored.client_id, { keepPreviousSeconds: 0 }, trail()).then(
    (changed) => ({
      ...changed,
      registration_token_sealed: needs.sealer.seal(
        client.registration_access_token,
        `registration token ${changed.instance} ${changed.client_id}`,
      ),
      version: changed.version + 1,
    }),
  );
  await tenant.storage.clients.replace(rotated, rotated.version - 1);
  const ring = sealerWith([fresh, old]);
  assert.equal(await resealClients(tenant.storage.clients, ring), 1);
  assert.equal(await resealClients(tenant.storage.clients, ring), 0);
  const [after] = await tenant.storage.clients.page(undefined, 1);
  assert.ok(after !== undefined);
  assert.equal(
    clientInformation({ issuer: needs.issuer, sealer: sealerWith([fresh]) }, after),
    clientInformation({ issuer: needs.issuer, sealer: sealerWith([old]) }, rotated),
  );
});

test('re-encryption keeps a parallel change of a client', async () => {
  const tenant = testTenant();
  const client = await tenant.register({ ...WEB_CLIENT, client_name: 'Before' });
  const { sealer } = await tenant.registry();
  const moving = { ...sealer, isCurrent: () => false };
  let changed = false;
  const others = async (): Promise<void> => {
    if (changed) return;
    changed = true;
    const json = { ...WEB_CLIENT, client_name: 'After' };
    await tenant.send('client-update', { bearer: MASTER, id: client.client_id, json });
  };
  tenant.watch.before('clients.replace', others);
  await resealClients(tenant.storage.clients, moving);
  const read = await tenant.send('client-read', { bearer: MASTER, id: client.client_id });
  assert.equal(read.json['client_name'], 'After');
});
