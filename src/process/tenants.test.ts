import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../ports/log.ts';
import type { Storage } from '../ports/storage.ts';
import type { StoredTenant } from '../ports/tenant-store.ts';
import { ProcessCaches } from '../spec/caches.ts';
import type { TenantId } from '../spec/identifiers.ts';
import { openSqliteStorage } from '../storage/sqlite/open.ts';
import { prometheusMetrics } from '../system/metrics.ts';
import { sealerWith } from '../system/sealer.ts';
import { testSettings } from '../testing/settings.ts';
import { EVENT } from '../testing/storage/stored-examples.ts';
import { inTurn } from './in-turn.ts';
import { openTenants, type Tenants } from './tenants.ts';

const ISSUER = 'https://op.example.com';
const TENANTS = 200;

const aTenant = (index: number, settings = '{}'): StoredTenant => ({
  id: `t${index}` as TenantId,
  version: 1,
  issuer: `${ISSUER}/t${index}`,
  aliases: [],
  settings,
  owner: null,
  created_at: 0,
  disabled_at: null,
  deleted_at: null,
});

interface World {
  readonly storage: Storage;
  readonly tenants: Tenants;
  /** Records that the list of tenants was read with, in order. */
  readonly read: number[];
  readonly lines: readonly string[];
  /** From now on the storage fails: the version of the tenants later than the rest. */
  readonly takeAway: () => void;
}

async function world(context: TestContext, last = aTenant(TENANTS - 1)): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-tenants-'));
  const opened = await openSqliteStorage(join(folder, 'chancery.db'), { writer: 'main' });
  for (let index = 0; index < TENANTS - 1; index += 1) await opened.tenants.create(aTenant(index), EVENT);
  await opened.tenants.create(last, EVENT);
  const read: number[] = [];
  const counted = <Found>(found: Found, records: number): Found => {
    read.push(records);
    return found;
  };
  let isAway = false;
  const away = async (): Promise<never> => await Promise.reject(new Error('the storage is away'));
  const storage: Storage = {
    ...opened,
    tenants: {
      ...opened.tenants,
      version: async () => {
        if (!isAway) return await opened.tenants.version();
        await sleep(5);
        return await away();
      },
      withLogouts: async () => await (isAway ? away() : opened.tenants.withLogouts()),
      withWebhooks: async () => await (isAway ? away() : opened.tenants.withWebhooks()),
      all: async () => {
        const all = await opened.tenants.all();
        return counted(all, all.length);
      },
      changedSince: async (after, until) => {
        const changes = await opened.tenants.changedSince(after, until);
        return counted(changes, changes === undefined ? -1 : changes.tenants.length + changes.gone.length);
      },
    },
  };
  const lines: string[] = [];
  const log: Log = {
    info: () => undefined,
    warn: (_, message) => void lines.push(message),
    error: ({ tenant }, message) => void lines.push(`${String(tenant)}: ${message}`),
  };
  const tenants = await openTenants({
    settings: testSettings({ issuer: ISSUER }),
    mode: 'production',
    storage,
    sealer: sealerWith([Buffer.alloc(32, 1)]),
    log,
    metrics: prometheusMetrics(),
    caches: new ProcessCaches(10_000_000),
    certificateAuthorities: () => [],
  });
  context.after(async () => {
    await tenants.close();
    await opened.close();
    rmSync(folder, { recursive: true });
  });
  const takeAway = (): void => {
    isAway = true;
  };
  return { storage, tenants, read, lines, takeAway };
}

/** Chooses by path, in a turn of its own. */
async function chosen({ tenants }: World, path: string): Promise<string> {
  await sleep(1);
  const choice = (await tenants.tenancy.names()).choose({
    issuer: undefined,
    tenantId: undefined,
    host: 'op.example.com',
    path,
  });
  return typeof choice === 'string' ? choice : choice.tenant;
}

test('H-304: one tenant of 200 that changes is one record read, and the others stay as they are', async (context) => {
  const around = await world(context);
  const { storage, read } = around;
  assert.deepEqual(read, [TENANTS]);
  assert.equal(await chosen(around, '/t7/token'), 't7');
  const content = { aliases: [`${ISSUER}/seven`], settings: '{}', owner: null, disabled_at: null };
  await storage.tenants.replace('t7' as TenantId, 1, content, EVENT);
  assert.equal(await chosen(around, '/seven/token'), 't7');
  await storage.tenants.create(aTenant(TENANTS), EVENT);
  assert.equal(await chosen(around, `/t${TENANTS}/token`), `t${TENANTS}`);
  await storage.tenants.replace('t8' as TenantId, 1, { ...content, aliases: [], disabled_at: 1 }, EVENT);
  assert.equal(await chosen(around, '/t8/token'), 'unknown');
  assert.equal(await chosen(around, '/t9/token'), 't9');
  assert.deepEqual(read, [TENANTS, 1, 1, 1]);
});

test('a tenant that is being deleted is closed in the next request; another one gets its name when it is gone', async (context) => {
  const around = await world(context);
  const { tenants } = around.storage;
  assert.equal(await chosen(around, '/t5/token'), 't5');
  await tenants.beginDeletion('t5' as TenantId, 1, 1, EVENT);
  assert.equal(await chosen(around, '/t5/token'), 'unknown');
  await tenants.endDeletion('t5' as TenantId, 1, EVENT);
  await tenants.create({ ...aTenant(5), id: 'heir' as TenantId }, EVENT);
  assert.equal(await chosen(around, '/t5/token'), 'heir');
  assert.deepEqual(around.read, [TENANTS, 1, 2]);
});

test('H-304: a name goes from one tenant to another, whatever the order of their ids', async (context) => {
  const around = await world(context);
  const { tenants } = around.storage;
  const content = { aliases: [`${ISSUER}/moving`], settings: '{}', owner: null, disabled_at: null };
  await tenants.replace('t2' as TenantId, 1, content, EVENT);
  assert.equal(await chosen(around, '/moving/token'), 't2');
  await tenants.replace('t2' as TenantId, 2, { ...content, aliases: [] }, EVENT);
  await tenants.replace('t1' as TenantId, 1, content, EVENT);
  assert.equal(await chosen(around, '/moving/token'), 't1');
  assert.equal(await chosen(around, '/t2/token'), 't2');
});

test('a change that an older program made is found in the whole list', async (context) => {
  const around = await world(context);
  const { tenants } = around.storage;
  const content = { aliases: [], settings: '{}', owner: null, disabled_at: 1 };
  await tenants.replace('t3' as TenantId, 1, content, EVENT);
  await tenants.replace('t3' as TenantId, 2, { ...content, disabled_at: null }, EVENT);
  assert.equal(await chosen(around, '/t3/token'), 't3');
  assert.deepEqual(around.read, [TENANTS, -1, TENANTS], 'two changes of one tenant look the same');
});

test('the settings of a tenant are read when it is called: bad ones are told then, once, and it answers nothing', async (context) => {
  const around = await world(context, aTenant(TENANTS - 1, '{"access-token.lifetime":0}'));
  const { tenancy } = around.tenants;
  assert.deepEqual(around.lines, []);
  const choice = (await tenancy.names()).choose({
    issuer: undefined,
    tenantId: `t${TENANTS - 1}`,
    host: undefined,
    path: '/',
  });
  if (typeof choice === 'string') assert.fail(choice);
  for (let call = 0; call < 2; call += 1) {
    assert.equal((await tenancy.router(choice, () => '')).find('/jwks.json'), undefined);
  }
  assert.deepEqual(around.lines, [`t${TENANTS - 1}: a tenant with these settings is not served`]);
});

test('H-305: a round asks for open tenants and a tenth of the closed ones, so that each has its turn in ten rounds', async (context) => {
  const { tenants } = await world(context);
  assert.deepEqual(
    (await tenants.open()).map(({ id }) => id),
    ['default'],
  );
  const seen: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    const some = await tenants.someClosed();
    assert.equal(some.length, TENANTS / 10);
    seen.push(...some.map(({ id }) => id));
  }
  assert.equal(new Set(seen).size, TENANTS);
});

test('rounds fail while the storage is away, without an unhandled rejection', async (context) => {
  const { tenants, takeAway } = await world(context);
  takeAway();
  await assert.rejects(tenants.withLogouts(), /the storage is away/u);
  await assert.rejects(tenants.withWebhooks(), /the storage is away/u);
});

test('items of a list that shrinks and grows have their turns', () => {
  const pick = inTurn<number>(3);
  assert.deepEqual(pick([1, 2, 3, 4]), [1, 2]);
  assert.deepEqual(pick([1, 2, 3, 4]), [3, 4]);
  assert.deepEqual(pick([1, 2]), [1]);
  assert.deepEqual(pick([]), []);
  assert.deepEqual(pick([1, 2, 3]), [1]);
});
