import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { GRANT_TYPES } from '../../src/spec/grant-types.ts';
import { PROGRAM } from '../../src/testing/program.ts';
import { endedWithTests } from '../program/children.ts';
import { inheritedEnvironment } from '../program/inherited-environment.ts';
import { ENCRYPTION_KEY, startProgram } from '../program/start.ts';
import { storageUrl } from '../program/storage-place.ts';
import { chancery } from './command.ts';
import { type Members, one, registryCommands } from './registry-commands.ts';

const folders: string[] = [];
after(() => {
  for (const made of folders) rmSync(made, { recursive: true, force: true });
});

function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'chancery-mishaps-'));
  folders.push(made);
  return made;
}

const HEADER = { chancery_export: 1, issuer: 'https://op.example.com', exported_at: 1_790_000_000 };

/** A line of an export, of a client that anyone had registered long ago. */
function exported(client_id: string, members: Members = {}): Members {
  const privileges = { grant_types: ['authorization_code'], scope: [], data: false, redirect_hosts: 'any' };
  return {
    client_id,
    issued_at: 1_600_000_000,
    registered_via: 'open',
    shared: false,
    secrets: [
      { client_secret: `${client_id}-secret`.padEnd(43, 'x'), created_at: 1_600_000_000, expires_at: 0 },
    ],
    registration_access_token: `${client_id}-token`.padEnd(43, 'x'),
    privileges: { ...privileges, set_id: false, set_secret: false },
    metadata: { redirect_uris: ['https://rp.example/cb'] },
    last_used: [],
    ...members,
  };
}

const jsonLinesOf = (lines: readonly Members[]): string =>
  [HEADER, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');

function exportFile(...lines: readonly Members[]): string {
  const file = join(newFolder(), 'clients.jsonl');
  writeFileSync(file, jsonLinesOf(lines));
  return file;
}

type Running = ChildProcessByStdio<Writable, Readable, Readable>;

/** A command that is still under way, with its standard input and output in the test's hands. */
async function underWay(folder: string, ...words: readonly string[]): Promise<Running> {
  return endedWithTests(
    spawn(process.execPath, [PROGRAM, ...words], {
      env: {
        ...inheritedEnvironment(),
        CHANCERY_ISSUER: 'https://op.example.com',
        CHANCERY_STORAGE_URL: await storageUrl(folder),
        CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: 90_000,
      killSignal: 'SIGKILL',
    }),
  );
}

test('clients import, killed half-way and run again: every client is there once, and those that were brought are left as they are', async () => {
  const folder = newFolder();
  const registry = registryCommands(folder);
  const lines = Array.from({ length: 120 }, (_, index) =>
    exported(`client-${String(index).padStart(3, '0')}`),
  );
  const killed = await underWay(folder, 'clients', 'import', '-');
  killed.stdin.write(jsonLinesOf(lines.slice(0, 70)));
  const deadline = Date.now() + 60_000;
  let brought = 0;
  while (brought < 70 && Date.now() < deadline) {
    await sleep(50);
    const listed = await registry.attempt('clients', 'list', '--json');
    brought = listed.stdout.split('\n').length - 1;
  }
  assert.equal(brought, 70);
  killed.kill('SIGKILL');
  await once(killed, 'close');
  const tally = await one(registry.json('clients', 'import', exportFile(...lines)));
  assert.deepEqual(tally, { imported: 50, replaced: 0, unchanged: 70, refused: 0, dry_run: false });
  assert.equal((await registry.json('clients', 'list')).length, 120);
});

test('clients export to a reader that stops early: no stack trace, exit code 0', async () => {
  const folder = newFolder();
  const registry = registryCommands(folder);
  const lines = Array.from({ length: 400 }, (_, index) => exported(`client-${index}`));
  await registry.run('clients', 'import', exportFile(...lines));
  const running = await underWay(folder, 'clients', 'export');
  await once(running.stdout, 'readable');
  running.stdout.destroy();
  const [[code], stderr] = await Promise.all([once(running, 'close'), text(running.stderr)]);
  assert.deepEqual([code, stderr], [0, '']);
});

test('clients export --out, where no file can be: one line, exit code 1, and no draft with secrets stays behind', async () => {
  const folder = newFolder();
  const registry = registryCommands(folder);
  await registry.run('clients', 'import', exportFile(exported('somebody')));
  const taken = join(folder, 'taken');
  mkdirSync(taken);
  const { how, stdout, stderr } = await registry.attempt('clients', 'export', '--out', taken);
  assert.deepEqual([how, stdout], [1, '']);
  assert.match(stderr, /^chancery clients export: EISDIR.*\n$/u);
  assert.ok(!existsSync(`${taken}.new`));
});

test('the last use of a secret that was replaced goes with the export: the client is not pruned as idle elsewhere', async () => {
  const registry = registryCommands(newFolder());
  const at = Math.floor(Date.now() / 1000) - 60;
  const used = exported('used', { last_used: [{ secret: 0, at }] });
  await registry.run('clients', 'import', exportFile(used, exported('idle')));
  for (const id of ['used', 'idle'])
    await registry.run('clients', 'rotate-secret', id, '--keep-previous', '0');
  const file = join(newFolder(), 'clients.jsonl');
  await registry.run('clients', 'export', '--out', file);

  const other = registryCommands(newFolder());
  await other.run('clients', 'import', file);
  const [idle, stillUsed] = await other.json('clients', 'list');
  assert.deepEqual([idle?.['last_used_at'], stillUsed?.['last_used_at']], [null, at]);
  const prune = await other.run('clients', 'prune', '--idle', String(90 * 86_400));
  assert.equal(prune, 'idle\n1 idle clients deleted\n');
});

test('iat revoke --cascade: the audit has each end once, and none where nothing was ended', async () => {
  const folder = newFolder();
  const registry = registryCommands(folder);
  const { id, access_token } = await one(
    registry.json('iat', 'create', '--scope', 'client-reg:grant:client'),
  );
  const program = await startProgram({ folder });
  try {
    const answer = await fetch(`${program.url}/clients`, {
      method: 'POST',
      headers: { authorization: `Bearer ${String(access_token)}`, 'content-type': 'application/json' },
      body: '{"grant_types":["client_credentials"]}',
    });
    assert.equal(answer.status, 200);
  } finally {
    await program.stop();
  }
  const ends = async (): Promise<readonly string[]> =>
    (await registry.audit())
      .filter(({ action }) => action === 'initial-access-token.revoke' || action === 'client.delete')
      .map(({ action, outcome, actor }) => `${action} ${outcome} ${actor}`);
  await registry.run('iat', 'revoke', String(id), '--cascade');
  const ended = ['client.delete done cli', 'initial-access-token.revoke done cli'];
  assert.deepEqual((await ends()).toSorted(), ended);
  assert.equal((await registry.attempt('iat', 'revoke', String(id), '--cascade')).how, 1);
  assert.deepEqual((await ends()).toSorted(), ended);
});

test('iat create: the printed registration works for every grant type that a token can permit', async () => {
  const folder = newFolder();
  const program = await startProgram({
    folder,
    environment: { CHANCERY_TOKEN_EXCHANGE_ENABLED: 'true', CHANCERY_CIBA_ENABLED: 'true' },
  });
  try {
    const registry = registryCommands(folder);
    for (const [grant, { scope }] of Object.entries(GRANT_TYPES)) {
      const printed = await registry.run('iat', 'create', '--scope', scope);
      const [, token, body] = /^curl .*Bearer (\S+)' .* -d '(.*)' \S+\/clients$/mu.exec(printed) ?? [];
      const answer = await fetch(`${program.url}/clients`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: body ?? '',
      });
      const registered = (await answer.json()) as Members;
      assert.deepEqual([answer.status, registered['grant_types']], [200, [grant]], printed);
    }
  } finally {
    await program.stop();
  }
});

test('iat create with a scope that permits no grant type: exit code 2, and no token is made', async () => {
  const registry = registryCommands(newFolder());
  await registry.run('iat', 'create', '--scope', 'client-reg:grant:code client-reg:scope:openid');
  const useless = await registry.attempt('iat', 'create', '--scope', 'client-reg:scope:openid');
  assert.deepEqual([useless.how, useless.stdout], [2, '']);
  assert.match(useless.stderr, /^chancery iat create: --scope permits no grant type.*\n$/u);
  assert.equal((await registry.json('iat', 'list')).length, 1);
});

test('--mode development on a folder that is not there: one line, and neither the folder nor a key is made', async () => {
  const mistyped = join(newFolder(), 'mistyped');
  const { how, stdout, stderr } = await chancery(['clients', 'list', '--mode', 'development'], {
    CHANCERY_STORAGE_URL: `sqlite:${join(mistyped, 'chancery.db')}`,
  });
  assert.deepEqual([how, stdout], [1, '']);
  assert.match(stderr, /^chancery clients list: there is no database at .*\n$/u);
  assert.ok(!existsSync(mistyped));
});

test('what anyone wrote into a label does not steer the terminal that lists it', async () => {
  const registry = registryCommands(newFolder());
  await registry.run('iat', 'create', '--label', 'safe\u{202e}txt.exe');
  const listed = await registry.run('iat', 'list');
  assert.ok(listed.includes('safe\\u{202e}txt.exe') && !listed.includes('\u{202e}'), listed);
});
