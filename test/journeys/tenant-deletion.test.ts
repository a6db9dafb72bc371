import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage } from '../../src/ports/storage.ts';
import type { TenantId } from '../../src/spec/identifiers.ts';
import { PROGRAM } from '../../src/testing/program.ts';
import { addTenant } from '../../src/testing/storage/add-tenant.ts';
import { aClient, OPEN, times } from '../../src/testing/storage/stored-examples.ts';
import { endedWithTests } from '../program/children.ts';
import { type FeedCaller, followFeed } from '../program/feed-stream.ts';
import { inheritedEnvironment } from '../program/inherited-environment.ts';
import { ENCRYPTION_KEY, type Program, sha256, startProgram } from '../program/start.ts';
import { openProgramStorage, storageUrl } from '../program/storage-place.ts';
import { type RegistryCommands, registryCommands } from './registry-commands.ts';

/** Two servers on one database, and the command that deletes a tenant beside them. Neither server removes rows itself. */
const MASTER = 'master-of-doomed';
const BREAK_GLASS = 'break-glass-of-the-default-tenant';
const OWN_BREAK_GLASS = 'break-glass-of-the-tenant-itself';
const CLIENTS = 200;
const DISCOVERY = '/.well-known/openid-configuration';
/** One batch is small, so that a command can be killed between two of them. */
const SETTINGS = { CHANCERY_STORAGE_SWEEP_BATCH: '2', CHANCERY_STORAGE_SWEEP_INTERVAL: '86400' };

let first: Program;
let second: Program;
let storage: Storage;
let commands: RegistryCommands;

before(async () => {
  const environment = { ...SETTINGS, CHANCERY_ADMIN_TOKEN_SHA256: sha256(BREAK_GLASS) };
  first = await startProgram({ environment });
  second = await startProgram({ folder: first.folder, environment });
  storage = await openProgramStorage(first.folder);
  commands = registryCommands(first.folder, ENCRYPTION_KEY, SETTINGS);
});
after(async () => {
  await storage.close();
  await second.stop();
  await first.stop();
});

async function doomed(id: string, clients = 0): Promise<TenantId> {
  const settings = {
    'registration.master-token-sha256': [`ops:${sha256(MASTER)}`],
    'admin.token-sha256': [`own:${sha256(OWN_BREAK_GLASS)}`],
  };
  await addTenant(storage, { id, issuer: `${first.issuer}/${id}`, settings });
  const own = storage.forTenant(id as TenantId).clients;
  await Promise.all(times(clients, async () => await own.create(aClient(), OPEN)));
  return id as TenantId;
}

const statusOf = async ({ url }: Program, id: string): Promise<number> =>
  (await fetch(`${url}/${id}${DISCOVERY}`)).status;

const rowsOf = async (id: TenantId): Promise<number> =>
  (await storage.tenants.contents(id, 10_000)).reduce((sum, { rows }) => sum + rows, 0);

/** Starts a deletion and kills it with SIGKILL when it has removed some rows. */
async function killedDeletion(id: TenantId): Promise<void> {
  const child = endedWithTests(
    spawn(process.execPath, [PROGRAM, 'tenants', 'delete', id, '--force', '--confirm', id], {
      env: {
        ...inheritedEnvironment(),
        ...SETTINGS,
        CHANCERY_ISSUER: 'https://op.example.com',
        CHANCERY_STORAGE_URL: await storageUrl(first.folder),
        CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
      },
      stdio: 'ignore',
    }),
  );
  const before = await rowsOf(id);
  while ((await rowsOf(id)) >= before) await sleep(1);
  child.kill('SIGKILL');
  if (child.signalCode === null) await once(child, 'exit');
  assert.equal(child.signalCode, 'SIGKILL');
}

test('tenants delete refuses a tenant in service, another id as confirmation, no terminal, and the default tenant', async () => {
  const id = await doomed('kept', 3);
  const refused = async (exit: number, words: RegExp, ...given: readonly string[]): Promise<void> => {
    const { how, stderr } = await commands.attempt('tenants', 'delete', ...given);
    assert.match(stderr, words);
    assert.equal(how, exit);
  };
  await refused(1, /is in service: disable it with chancery tenants disable kept, or add --force/u, id);
  await refused(1, /"Kept" is not the id kept/u, id, '--force', '--confirm', 'Kept');
  await refused(2, /not a terminal.*--confirm/u, id, '--force');
  await refused(1, /there is no tenant "unknown"/u, 'unknown', '--confirm', 'unknown');
  await refused(1, /the default tenant/u, 'default', '--confirm', 'default');
  const [shown] = await commands.json('tenants', 'delete', id, '--dry-run');
  const { client, audit_event, session } = (shown?.['rows'] ?? {}) as Readonly<Record<string, number>>;
  assert.deepEqual([client, audit_event, session], [3, 4, undefined]);
  assert.equal(await statusOf(first, id), 200);
});

test('H-540, H-541: a deletion that is killed in between stays closed on every server, and the next call ends it; the id is never used again', async () => {
  const id = await doomed('acme', CLIENTS);
  for (const server of [first, second]) assert.equal(await statusOf(server, id), 200);
  await killedDeletion(id);
  assert.ok((await rowsOf(id)) > 0, 'rows are left');
  for (const server of [first, second]) assert.equal(await statusOf(server, id), 404);
  assert.match(await commands.run('tenants', 'list'), /acme .*is being deleted/u);
  const enabled = await commands.attempt('tenants', 'enable', id);
  assert.match(enabled.stderr, /the tenant acme is being deleted/u);

  assert.match(await commands.run('tenants', 'delete', id), /deleted the tenant acme: \d+ rows/u);
  assert.equal(await rowsOf(id), 0);
  assert.match(await commands.run('tenants', 'delete', id), /acme was deleted at .*, and nothing is left/u);
  const issuer = `${first.issuer}/acme`;
  const again = await commands.attempt('tenants', 'create', id, '--issuer', issuer);
  assert.match(again.stderr, /the id acme belonged to a tenant that was deleted, and is never used again/u);
  await commands.run('tenants', 'create', 'heir', '--issuer', issuer);
  for (const server of [first, second]) assert.equal(await statusOf(server, id), 200);
  const events = (await commands.audit()).filter(({ action }) => action.startsWith('tenant.'));
  assert.deepEqual(
    events.map(({ action, actor, detail }) => [action, actor, detail]),
    [
      ['tenant.delete', 'cli', `acme ${issuer} audit dropped`],
      ['tenant.clear', 'cli', 'acme'],
    ],
  );
});

test('the audit is written to a file before it goes, and the event of the deletion has the SHA-256 of that file', async () => {
  const id = await doomed('audited', 2);
  await commands.run('tenants', 'disable', id);
  const file = join(first.folder, 'audited.jsonl');
  const call = ['tenants', 'delete', id, '--confirm', id, '--audit-file', file];
  await commands.run(...call);
  const text = readFileSync(file, 'utf8');
  const kept = text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { action: string }).action);
  assert.deepEqual(kept, ['tenant.create', 'client.create', 'client.create', 'tenant.disable']);
  const digest = createHash('sha256').update(text).digest('hex');
  const event = (await commands.audit()).find(({ detail }) => detail?.startsWith('audited ') === true);
  assert.equal(event?.detail, `audited ${first.issuer}/audited audit exported events=4 sha256=${digest}`);
  assert.equal(await rowsOf(id), 0);
});

test('H-542: a request that was under way when its tenant was deleted may write a row: a server removes it in its next round, and ends a killed deletion', async () => {
  const id = await doomed('late', 3);
  const body = JSON.stringify({ redirect_uris: ['https://rp.example/cb'] });
  const underWay = request(`${second.url}/${id}/clients`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${MASTER}`,
      'content-type': 'application/json',
      'content-length': body.length,
      // The answer to it shows that the server has chosen the tenant and waits for the body.
      expect: '100-continue',
    },
  });
  const answered = once(underWay, 'response') as Promise<[IncomingMessage]>;
  underWay.flushHeaders();
  await once(underWay, 'continue');
  await commands.run('tenants', 'delete', id, '--force', '--confirm', id);
  assert.equal(await rowsOf(id), 0);
  underWay.end(body);
  const [answer] = await answered;
  assert.equal(answer.statusCode, 200);
  answer.resume();
  assert.ok((await rowsOf(id)) > 0, 'the request wrote rows');

  const killed = await doomed('killed', CLIENTS);
  await killedDeletion(killed);
  const third = await startProgram({
    folder: first.folder,
    environment: { ...SETTINGS, CHANCERY_STORAGE_SWEEP_INTERVAL: '1' },
  });
  try {
    while ((await rowsOf(id)) + (await rowsOf(killed)) > 0) await sleep(50);
    const ended = await storage.tenants.deleted();
    assert.ok(ended.every(({ cleared_at }) => cleared_at !== null));
  } finally {
    await third.stop();
  }
});

test('H-543: the operations about all tenants are those of the default tenant: no token of another one opens them, whatever header it sends', async () => {
  const id = await doomed('own', 1);
  const ask = async (token: string, path: string, init: RequestInit = {}): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
    return (await fetch(`${first.managementUrl}/admin/v1${path}`, { ...init, headers })).status;
  };
  const asTenant = { 'tenant-id': id };
  const everyVersion = { 'if-match': '*' };
  assert.equal(await ask(OWN_BREAK_GLASS, '/keys', { headers: asTenant }), 200);
  for (const path of ['/tenants', `/tenants/${id}`, '/tenants/default']) {
    assert.equal(await ask(OWN_BREAK_GLASS, path), 401, path);
    assert.equal(await ask(OWN_BREAK_GLASS, path, { headers: asTenant }), 404, path);
    const forced = `${path}?force=true`;
    assert.equal(
      await ask(OWN_BREAK_GLASS, forced, { method: 'DELETE', headers: everyVersion }),
      path === '/tenants' ? 405 : 401,
    );
  }
  assert.equal(await statusOf(second, id), 200);
});

test('H-544: DELETE of a tenant in service is refused; with force=true it is closed on every server, and its own token opens nothing', async () => {
  const id = await doomed('http', 3);
  const remove = async (query: string): Promise<Response> =>
    await fetch(`${first.managementUrl}/admin/v1/tenants/${id}${query}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${BREAK_GLASS}`, 'if-match': '*' },
    });
  assert.equal((await remove('')).status, 409);
  assert.equal((await remove('?force=true&dry_run=true')).status, 200);
  for (const server of [first, second]) assert.equal(await statusOf(server, id), 200);
  const deleted = await remove('?force=true');
  assert.equal(deleted.status, 202);
  for (const server of [first, second]) {
    assert.equal(await statusOf(server, id), 404);
    const headers = { authorization: `Bearer ${OWN_BREAK_GLASS}`, 'tenant-id': id };
    assert.equal((await fetch(`${server.managementUrl}/admin/v1/keys`, { headers })).status, 404);
  }
  const again = await remove('');
  assert.equal(((await again.json()) as { state: string }).state, 'deleted');
  assert.equal(await rowsOf(id), 0);
});

test('H-647: the streams of revocations of a tenant end on every server when it is deleted', async () => {
  const id = await doomed('followed');
  const of = (server: Program): Program => ({
    ...server,
    url: `${server.url}/${id}`,
    issuer: `${first.issuer}/${id}`,
  });
  const registered = await fetch(`${of(first).url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${MASTER}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      grant_types: ['client_credentials'],
      scope: `${of(first).issuer}/token/introspect`,
    }),
  });
  assert.equal(registered.status, 200);
  const caller = (await registered.json()) as FeedCaller;
  const streams = await Promise.all(
    [first, second].map(async (server) => await followFeed(of(server), caller)),
  );
  for (const stream of streams) await stream.until(() => stream.claims.length > 0);
  await commands.run('tenants', 'delete', id, '--force', '--confirm', id);
  for (const stream of streams) {
    await stream.done;
    assert.equal(stream.end, 'tenant-changed');
  }
});
