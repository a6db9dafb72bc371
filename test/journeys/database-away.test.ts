import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgresSchema } from '../../src/storage/postgres/migrations.ts';
import { administer, startTestServer, type TestServer } from '../../src/testing/postgres/server.ts';
import { freePort } from '../program/free-port.ts';
import { launchProgram, type Program, startProgram } from '../program/start.ts';
import { chancery } from './command.ts';
import { production } from './production.ts';
import { assertOneLine, attemptAt } from './start-attempts.ts';

const folder = mkdtempSync(join(tmpdir(), 'chancery-away-'));
const SECRET = 'correct-horse-battery';
/** The only role for which the server asks for a password. */
const GUARDED = 'guarded';
const ACCESS = `host all ${GUARDED} 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n`;
let server: TestServer;
let program: Program | undefined;

before(async () => {
  server = await startTestServer({ files: { 'pg_hba.conf': ACCESS } });
});

after(async () => {
  await program?.stop();
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function migrated(): Promise<string> {
  const url = await server.createDatabase();
  const schema = openPostgresSchema(url, 5000);
  await schema.up(0);
  await schema.close();
  return url;
}

const withPassword = (url: string): string => url.replace('://chancery@', `://chancery:${SECRET}@`);

async function readiness({
  managementUrl,
}: Program): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const answer = await fetch(`${managementUrl}/health/ready`);
    return { status: answer.status, body: await answer.text() };
  } catch {
    return { status: 0, body: '' };
  }
}

async function untilReadiness(of: Program, status: number): Promise<string> {
  for (let attempt = 0; attempt < 1500; attempt += 1) {
    const found = await readiness(of);
    if (found.status === status) return found.body;
    await sleep(40);
  }
  assert.fail(`never ${status}:\n${of.output()}`);
}

/** Lines of the log that say that the database is away. */
const waiting = (of: Program): readonly string[] =>
  of
    .output()
    .split('\n')
    .filter((line) => line.includes('the database is away'));

test('a server whose database is away lives, is not ready, answers 500, says once that it waits, and serves when the database comes (F9)', async () => {
  const url = await migrated();
  await server.kill();
  program = await launchProgram({ folder, environment: { CHANCERY_STORAGE_URL: withPassword(url) } });
  const running = program;
  assert.deepEqual(JSON.parse(await untilReadiness(running, 503)), { status: 'starting' });
  assert.equal((await fetch(`${running.managementUrl}/health/live`)).status, 200);
  for (let round = 0; waiting(running).length === 0 && round < 500; round += 1) await sleep(20);
  // Long enough for several attempts.
  await sleep(3000);
  for (const path of ['/token/introspect', '/nowhere']) {
    const answer = await fetch(`${running.url}${path}`, { method: 'POST', body: 'token=x' });
    assert.deepEqual({ status: answer.status, body: await answer.text() }, { status: 500, body: '' });
  }
  assert.equal(waiting(running).length, 1, running.output());
  assert.match(waiting(running)[0] ?? '', /"level":"warn".*ECONNREFUSED/u);
  await server.start();
  await untilReadiness(running, 200);
  const answer = await fetch(`${running.url}/clients`, {
    headers: { authorization: `Bearer ${running.masterToken}` },
  });
  assert.equal(answer.status, 200);
  await running.printed(/"msg":"the database is there"/u);
  await running.printed(/^chancery serves /mu);
  assert.doesNotMatch(running.output(), new RegExp(SECRET, 'u'));
});

test('the rounds of a server go on while its database is away: it lives, says what could not be done, and is ready again', async () => {
  const url = await migrated();
  const environment = {
    CHANCERY_STORAGE_URL: url,
    CHANCERY_STORAGE_SWEEP_INTERVAL: '1',
    CHANCERY_LOGOUT_DELIVERY_INTERVAL: '1',
    CHANCERY_STORAGE_TENANT_CHECK_INTERVAL: '1',
  };
  const working = await startProgram({ environment });
  await server.kill();
  const failures = [
    working.printed(/what has expired could not be removed/u),
    working.printed(/logout notifications could not be delivered/u),
    working.printed(/the tenants could not be read/u),
  ];
  const ended = working.exited.then((how) => assert.fail(`it ended with ${how}: ${working.output()}`));
  await Promise.race([Promise.all(failures), ended]);
  await server.start();
  await Promise.race([untilReadiness(working, 200), ended]);
  ended.catch(() => undefined);
  working.signal('SIGTERM');
  assert.equal(await working.exited, 0, working.output());
});

test('SIGTERM while a server waits for its database: it ends with 0', async () => {
  const url = `postgres://chancery:${SECRET}@127.0.0.1:${await freePort()}/nobody?sslmode=disable`;
  const stopped = await launchProgram({ environment: { CHANCERY_STORAGE_URL: url } });
  await untilReadiness(stopped, 503);
  stopped.signal('SIGTERM');
  assert.equal(await stopped.exited, 0, stopped.output());
  await stopped.stop();
});

test('what does not mend itself ends the start in one line: an unknown database, an unknown role, a wrong password, a role without rights, a schema that is behind', async () => {
  const site = await production();
  const [behind, guarded] = [await server.createDatabase(), await migrated()];
  await makeRoles(guarded);
  const as = (role: string, password = SECRET): string =>
    guarded.replace('chancery@', `${role}:${password}@`);
  const cases = [
    [behind.replace(/\/test_\w+/u, '/nobody'), /database "nobody" does not exist \(SQLSTATE 3D000\)/u],
    [as('stranger'), /role "stranger" does not exist \(SQLSTATE 28000\)/u],
    [as(GUARDED, `${SECRET}-of-yesterday`), /password authentication failed .*\(SQLSTATE 28P01\)/u],
    [guarded.replace('chancery@', `${GUARDED}@`), /the server asks for a password, and there is none/u],
    [as(GUARDED), /permission denied for table schema_migration \(SQLSTATE 42501\)/u],
    [as('onlooker'), /permission denied for table \w+ \(SQLSTATE 42501\)/u],
    [behind, /the schema of the database is behind this program: run chancery migrate up/u],
  ] as const;
  try {
    for (const [storage, pattern] of cases) {
      const ended = await attemptAt(site, 'serve', { CHANCERY_STORAGE_URL: storage });
      assertOneLine(ended, pattern);
      assert.doesNotMatch(ended.stderr, new RegExp(SECRET, 'u'));
    }
  } finally {
    site.remove();
  }
});

/** One that may do nothing but connect, with a password; and one that may read everything and write nothing. */
async function makeRoles(url: string): Promise<void> {
  const database = new URL(url).pathname.slice(1);
  for (const statement of [
    `CREATE ROLE ${GUARDED} LOGIN PASSWORD '${SECRET}'`,
    'CREATE ROLE onlooker LOGIN',
    'GRANT SELECT ON ALL TABLES IN SCHEMA public TO onlooker',
  ]) {
    await administer(server.port, database, statement);
  }
}

test('a command with a wrong password, or for a database that is not there, ends with 1 and one line without the password', async () => {
  const site = await production();
  const wrong = `postgres://${GUARDED}:${SECRET}-of-yesterday@127.0.0.1:${server.port}/postgres?sslmode=disable`;
  const absent = `postgres://chancery:${SECRET}@127.0.0.1:${server.port}/nobody?sslmode=disable`;
  const copy = ['storage', 'copy', '--from', wrong, '--to', `sqlite:${site.database}`];
  try {
    for (const [words, url, pattern] of [
      [['clients', 'list'], wrong, /SQLSTATE 28P01/u],
      [['storage', 'check'], wrong, /SQLSTATE 28P01/u],
      [copy, wrong, /SQLSTATE 28P01/u],
      [['migrate', 'up'], absent, /SQLSTATE 3D000/u],
    ] as const) {
      const ended = await chancery(words, { ...site.environment, CHANCERY_STORAGE_URL: url });
      assertOneLine(ended, pattern);
      assert.doesNotMatch(ended.stderr, new RegExp(SECRET, 'u'));
    }
  } finally {
    site.remove();
  }
});
