import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { storageAt } from '../program/storage-place.ts';
import { chancery, type Ended } from './command.ts';
import { initialAccessToken } from './initial-access-token.ts';
import { jsonLines, type Members, requestToken } from './registry-commands.ts';

/** Takes a backup beside a running server and restores it (F31, C-40). */
const root = mkdtempSync(join(tmpdir(), 'chancery-backup-'));
const running: Program[] = [];
after(async () => {
  await Promise.all(running.map((program) => program.stop()));
  rmSync(root, { recursive: true, force: true });
});

const database = join(root, 'data', 'chancery.db');
const url = `sqlite:${database}`;

async function start(): Promise<Program> {
  const program = await startProgram({ folder: root, environment: { CHANCERY_STORAGE_URL: url } });
  running.push(program);
  return program;
}

async function attempt(key: string, ...words: readonly string[]): Promise<Ended> {
  return await chancery(words, {
    CHANCERY_ISSUER: 'https://op.example.com',
    CHANCERY_STORAGE_URL: url,
    CHANCERY_ENCRYPTION_KEY: key,
  });
}

async function run(...words: readonly string[]): Promise<string> {
  const { how, stdout, stderr } = await attempt(ENCRYPTION_KEY, ...words);
  assert.equal(how, 0, stderr);
  return stdout;
}

async function send(
  program: Program,
  method: string,
  path: string,
  token: string,
  json?: object,
): Promise<{ readonly status: number; readonly json: Members }> {
  const answer = await fetch(`${program.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await answer.text();
  return { status: answer.status, json: text === '' ? {} : (JSON.parse(text) as Members) };
}

const SERVICE = { grant_types: ['client_credentials'] };

test('a restored backup is the registry of then; a newer registration token is 401, and the alarm is raised (C-40)', async () => {
  const file = join(root, 'backup.db');
  let program = await start();
  const before = (await send(program, 'POST', '/clients', program.masterToken, SERVICE)).json;
  const initial = await initialAccessToken(program, ['client-reg']);
  const [manifest = {}] = jsonLines(await run('backup', 'create', '--out', file, '--json'));
  assert.equal(String(manifest['encryption_key']).length, 8);
  const path = `/clients/${String(before['client_id'])}`;
  const newer = (await send(program, 'PUT', path, program.masterToken, SERVICE)).json;
  const late = (await send(program, 'POST', '/clients', initial, { redirect_uris: ['https://rp.example/'] }))
    .json;
  await program.stop();

  const refused = await attempt(ENCRYPTION_KEY, 'backup', 'restore', file);
  assert.deepEqual([refused.how, /--move-aside/.test(refused.stderr)], [1, true], refused.stderr);
  const strange = await attempt('ab'.repeat(32), 'backup', 'restore', file, '--move-aside');
  assert.deepEqual([strange.how, /does not open what/.test(strange.stderr)], [1, true], strange.stderr);
  const told = await run('backup', 'restore', file, '--move-aside');
  for (const words of [/iat list/, /keys revoke KID/, /what stood there is at/, /registration token/]) {
    assert.match(told, words);
  }
  const aside = /what stood there is at (\S+)/.exec(told)?.[1] ?? '';
  const left = await storageAt(`sqlite:${aside}`);
  const acts = await left.forTenant(DEFAULT_TENANT).audit.page(0, 1000);
  assert.equal(acts.find(({ action }) => action === 'backup.create')?.detail, `to ${file}`);
  await left.close();

  program = await start();
  const token = String(before['registration_access_token']);
  assert.equal((await send(program, 'GET', path, token)).status, 200, 'the token of the backup');
  assert.doesNotMatch(program.output(), /newer than the restored record/);
  assert.equal((await send(program, 'GET', path, String(newer['registration_access_token']))).status, 401);
  await program.printed(/registration token is wrong, or newer than the restored record/);
  assert.equal((await requestToken(program, before['client_id'], before['client_secret'])).status, 200);
  assert.equal((await requestToken(program, newer['client_id'], newer['client_secret'])).status, 401);
  const gone = `/clients/${String(late['client_id'])}`;
  assert.equal((await send(program, 'GET', gone, program.masterToken)).status, 404);
  const again = await send(program, 'POST', '/clients', initial, { redirect_uris: ['https://rp.example/'] });
  assert.ok([200, 201].includes(again.status), 'an initial access token is good again, as the list says');
  await program.stop();
  const storage = await storageAt(url);
  const events = await storage.forTenant(DEFAULT_TENANT).audit.page(0, 1000);
  const restored = events.find(({ action }) => action === 'storage.restore');
  assert.ok((restored?.sequence ?? 0) > 1_000_000_000);
  assert.match(restored?.detail ?? '', /^backup of 20/);
  await storage.close();
});

test('what other tools restored is declared as such; a damaged backup and a wrong call are one line', async () => {
  const declared = await run('backup', 'restored', '--taken-at', '2026-11-21T10:00:00Z', '--json');
  assert.equal(jsonLines(declared)[0]?.['taken_at'], 1_795_255_200);
  const storage = await storageAt(url);
  assert.equal((await storage.restoration())?.taken_at, 1_795_255_200);
  await storage.close();
  for (const [words, code, line] of [
    [['backup', 'create', '--out', join(root, 'backup.db')], 1, /is there already/],
    [['backup', 'delete', '../data/chancery'], 1, /no such backup/],
    [['backup', 'download', 'x', '--out', join(root, 'x')], 2, /--server is missing/],
    [['backup', 'restored', '--taken-at', 'yesterday'], 2, /--taken-at must be a time/],
    [['backup', 'verify', database], 1, /not a backup/],
    [
      ['backup', 'verify', join(import.meta.dirname, 'backup.test.ts')],
      1,
      /is not a backup: it is not a SQLite/,
    ],
    [['backup', 'restore', join(root, 'absent')], 1, /no file/],
  ] as const) {
    const { how, stderr } = await attempt(ENCRYPTION_KEY, ...words);
    assert.deepEqual([how, line.test(stderr)], [code, true], stderr);
  }
  assert.match(await run('backup', 'verify', join(root, 'backup.db')), /as when it was made/);
});

test('backups in the folder of the server: commands here and over HTTP make, list, verify, download and delete the same ones', async () => {
  const program = await start();
  const folder = `${database}.backups`;
  const [here = {}] = jsonLines(await run('backup', 'create', '--json'));
  assert.equal(here['out'], join(folder, `${String(here['id'])}.db`));
  const tokens = join(root, 'admin.token');
  writeFileSync(tokens, program.adminToken, { mode: 0o600 });
  const remote = ['--server', program.managementUrl, '--token-file', tokens, '--json'];
  const copy = join(root, 'downloaded.db');
  const [there = {}] = jsonLines(await run('backup', 'create', '--out', copy, ...remote));
  assert.equal(there['state'], 'complete');
  assert.deepEqual([statSync(copy).size, statSync(copy).mode & 0o777], [there['bytes'], 0o600]);
  assert.match(await run('backup', 'verify', copy), /as when it was made/);
  const ids = [there['id'], here['id']];
  const lists = [await run('backup', 'list', '--json'), await run('backup', 'list', ...remote)];
  for (const lines of lists)
    assert.deepEqual(
      jsonLines(lines).map(({ id }) => id),
      ids,
    );
  assert.deepEqual(jsonLines(lists[0] ?? ''), jsonLines(lists[1] ?? ''));

  const verified = await run('backup', 'verify', String(here['id']), ...remote);
  assert.match(verified, /"state":"passed"/);
  const again = await attempt(
    ENCRYPTION_KEY,
    'backup',
    'download',
    String(here['id']),
    '--out',
    copy,
    ...remote,
  );
  assert.deepEqual([again.how, /is there already/.test(again.stderr)], [1, true], again.stderr);
  writeFileSync(here['out'], 'another content', { flag: 'r+' });
  const changed = await attempt(ENCRYPTION_KEY, 'backup', 'verify', String(here['id']), ...remote);
  assert.deepEqual([changed.how, /not as it was made/.test(changed.stderr)], [1, true], changed.stderr);
  const to = join(root, 'changed.db');
  const other = await attempt(
    ENCRYPTION_KEY,
    'backup',
    'download',
    String(here['id']),
    '--out',
    to,
    ...remote,
  );
  assert.deepEqual([other.how, /another digest/.test(other.stderr)], [1, true], other.stderr);
  assert.ok(!existsSync(to));

  await run('backup', 'delete', String(here['id']), ...remote);
  await run('backup', 'delete', String(there['id']));
  assert.equal(await run('backup', 'list', '--json'), '');
  const acts = async (action: string): Promise<readonly unknown[]> =>
    jsonLines(await run('audit', 'list', '--action', action, '--json')).map(({ detail }) => detail);
  for (const action of ['backup.create', 'backup.delete'])
    assert.deepEqual(new Set(await acts(action)), new Set(ids), action);
  const metrics = await (await fetch(`${program.managementUrl}/metrics`)).text();
  assert.doesNotMatch(metrics, /^chancery_backup_timestamp_seconds /mu);
});
