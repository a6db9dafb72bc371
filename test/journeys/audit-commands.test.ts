import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEvent } from '../../src/ports/audit-log.ts';
import type { Storage, TenantStorage } from '../../src/ports/storage.ts';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { PROGRAM } from '../../src/testing/program.ts';
import { endedWithTests } from '../program/children.ts';
import { inheritedEnvironment } from '../program/inherited-environment.ts';
import { ENCRYPTION_KEY } from '../program/start.ts';
import { openProgramStorage, storageUrl } from '../program/storage-place.ts';
import { jsonLines, type Members, registryCommands } from './registry-commands.ts';

/** The operator reads and follows the audit. */
const folder = mkdtempSync(join(tmpdir(), 'chancery-audit-'));
const registry = registryCommands(folder);
const PATIENCE_MS = 30_000;
let storage: Storage;
let tenant: TenantStorage;

before(async () => {
  await registry.run('tenants', 'create', 'acme', '--issuer', 'https://acme.example.com');
  storage = await openProgramStorage(folder);
  tenant = storage.forTenant(DEFAULT_TENANT);
});
after(async () => {
  await storage.close();
  rmSync(folder, { recursive: true });
});

const now = Math.floor(Date.now() / 1000);

function anEvent(members: Partial<AuditEvent>): AuditEvent {
  const rest = { actor: 'server', client_id: null, request_id: 'r', detail: null } as const;
  return { at: now, action: 'client.read', outcome: 'done', ...rest, ...members };
}

const detailsOf = (events: readonly Members[]): readonly unknown[] => events.map(({ detail }) => detail);

test('audit list selects by time, action, actor, client, sub, address and outcome, has the latest with --limit, and knows tenants', async () => {
  await tenant.audit.append(anEvent({ detail: 'old', at: now - 7200 }));
  await tenant.audit.append(
    anEvent({ detail: 'a', action: 'client.delete', actor: 'master:ops', client_id: 'c' }),
  );
  await tenant.audit.append(
    anEvent({ detail: 'b', action: 'session.create', sub: 's', address: '192.0.2.1', actor: 'end-user' }),
  );
  await tenant.audit.append(anEvent({ detail: 'c', outcome: 'refused', actor: 'master:dev' }));
  const { audit } = storage.forTenant('acme' as typeof DEFAULT_TENANT);
  await audit.append(anEvent({ detail: 'of acme', at: now + 60 }));
  const rows: readonly (readonly [words: readonly string[], details: readonly string[]])[] = [
    [['--until', '1h'], ['old']],
    [
      ['--since', '1h', '--actor', 'master'],
      ['a', 'c'],
    ],
    [['--action', 'client', '--client', 'c'], ['a']],
    [
      ['--action', 'session.create', '--action', 'client.delete'],
      ['a', 'b'],
    ],
    [['--sub', 's', '--outcome', 'done'], ['b']],
    [['--address', '192.0.2.1'], ['b']],
    [['--outcome', 'refused'], ['c']],
    [
      ['--limit', '2'],
      ['b', 'c'],
    ],
    [
      ['--tenant', 'acme'],
      ['https://acme.example.com', 'of acme'],
    ],
    [['--sub', 'unknown'], []],
  ];
  for (const [words, details] of rows)
    assert.deepEqual(detailsOf(await registry.json('audit', 'list', ...words)), details, words.join(' '));
  const [event] = await registry.json('audit', 'list', '--sub', 's');
  const stored = (await tenant.audit.page(0, 100)).find(({ sub }) => sub === 's');
  assert.deepEqual(event, stored);
  const { how, stderr } = await registry.attempt('audit', 'list', '--tenant', 'none');
  assert.deepEqual([how, stderr], [1, 'chancery audit list: there is no tenant "none"\n']);
});

test('audit list shows what people sent without letting it steer the terminal', async () => {
  const user_agent = 'evil\u001b[2J\u202e\nagent';
  await tenant.audit.append(anEvent({ detail: 'hostile', actor: 'cli', sub: 'hostile', user_agent }));
  const shown = await registry.run('audit', 'list', '--sub', 'hostile');
  const [heads = '', line = '', ...more] = shown.trimEnd().split('\n');
  assert.deepEqual(more, []);
  assert.match(heads, /^TIME +ACTION +OUTCOME +ACTOR +CLIENT_ID +SUB +ADDRESS +DETAIL +USER AGENT$/);
  assert.match(line, /evil\\u\{1b\}\[2J\\u\{202e\}\\u\{a\}agent$/);
  const json = await registry.run('audit', 'list', '--sub', 'hostile', '--json');
  for (const steering of ['\u001b', '\u202e']) assert.equal(json.includes(steering), false);
  assert.equal(jsonLines(json)[0]?.['user_agent'], user_agent);
});

const tail = async (...options: readonly string[]) =>
  endedWithTests(
    spawn(process.execPath, [PROGRAM, 'audit', 'tail', ...options], {
      env: {
        ...inheritedEnvironment(),
        CHANCERY_ISSUER: 'https://op.example.com',
        CHANCERY_STORAGE_URL: await storageUrl(folder),
        CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );

test('audit tail prints every event once while others write, and ends on SIGINT with 0', async () => {
  const child = await tail('--json', '--sub', 'followed', '--interval', '1');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const printed = async (count: number): Promise<void> => {
    const deadline = Date.now() + PATIENCE_MS;
    while (output.split('\n').length <= count && Date.now() < deadline) await sleep(10);
  };
  const detail = (number: number): string => `followed ${number}`;
  const append = async (number: number): Promise<void> =>
    await tenant.audit.append(anEvent({ sub: 'followed', detail: detail(number) }));
  await append(0);
  await printed(1);
  const later = Array.from({ length: 1200 }, (_, index) => index + 1);
  await Promise.all(later.map(append));
  await printed(1201);
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  assert.deepEqual(await exited, [0, null]);
  const events = jsonLines(output);
  assert.deepEqual(new Set(detailsOf(events)), new Set([0, ...later].map(detail)));
  const sequences = events.map(({ sequence }) => Number(sequence));
  assert.equal(sequences.length, 1201);
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b),
  );
});

test('audit tail ends when its reader is gone, and refuses an interval of 0', async () => {
  const refused = await registry.attempt('audit', 'tail', '--interval', '0');
  assert.deepEqual([refused.how, refused.stdout], [2, '']);
  const child = await tail();
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const deadline = Date.now() + PATIENCE_MS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    await tenant.audit.append(anEvent({ detail: 'after the reader' }));
    await sleep(100);
  }
  assert.deepEqual(await exited, [0, null]);
});
