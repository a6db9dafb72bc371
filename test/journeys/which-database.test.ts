import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { childrenOf } from '../program/children.ts';
import { startProgram } from '../program/start.ts';
import { chancery } from './command.ts';
import { call, register, SERVICE } from './conformance-exchange.ts';
import { type Production, production } from './production.ts';
import { assertOneLine, attemptAt } from './start-attempts.ts';

/** A server starts on the database that it was made for, and on no other one (ADR 38). */
let site: Production;

beforeEach(async () => {
  site = await production();
});

afterEach(() => site.remove());

test('serve where there is no SQLite file is refused, in one process and with workers: one line names the path and both ways, and nothing is made (F41)', async () => {
  const path = join(site.folder, 'elsewhere', 'chancery.db');
  const changes = { CHANCERY_STORAGE_URL: `sqlite:${path}`, CHANCERY_STORAGE_CREATE: '' };
  for (const workers of ['1', '2']) {
    const ended = await attemptAt(site, 'serve', { ...changes, CHANCERY_WORKERS: workers });
    assertOneLine(ended, /there is no database at \S*\/elsewhere\/chancery\.db .*--create.*storage\.create/u);
    assert.ok(ended.stderr.includes(path));
  }
  assert.ok(!existsSync(join(site.folder, 'elsewhere')));
});

test('serve --create makes the SQLite file; a worker that is replaced later does not make another one (F41)', {
  skip: process.platform !== 'linux' && 'workers and /proc as Linux has them',
}, async () => {
  const environment = { CHANCERY_STORAGE_URL: `sqlite:${site.database}`, CHANCERY_WORKERS: '2' };
  const program = await startProgram({ folder: site.folder, environment });
  try {
    const files = ['', '-wal', '-shm'].map((suffix) => `${site.database}${suffix}`);
    for (const file of files) renameSync(file, `${file}.away`);
    const [worker] = childrenOf(program.pid);
    assert.ok(worker !== undefined);
    process.kill(worker, 'SIGKILL');
    await program.printed(/there is no database at/u);
    assert.ok(files.every((file) => !existsSync(file)));
    for (const file of files) renameSync(`${file}.away`, file);
    await program.printed(/chancery serves /u);
  } finally {
    await program.stop();
  }
});

test('another issuer than the one of the database is refused by serve, until it is confirmed: clients and opaque tokens stay (F42)', async () => {
  const first = await startProgram({ folder: site.folder });
  const client = await register(first, SERVICE);
  const basic = [client.client_id, client.client_secret] as const;
  const form = { grant_type: 'client_credentials' };
  const issued = await call(first, { method: 'POST', path: '/token', basic, form });
  assert.equal(issued.status, 200, issued.text);
  await first.stop();

  const other = { CHANCERY_ISSUER: 'https://other.example.org' };
  const refusal =
    /^chancery serve: the database was made for the issuer https:\/\/op\.example\.com, and issuer is https:\/\/other\.example\.org: .*chancery storage confirm-issuer/u;
  assertOneLine(await attemptAt(site, 'serve', other), refusal);
  const changed = { ...site.environment, ...other };
  const confirmed = await chancery(['storage', 'confirm-issuer', '--json'], changed);
  assert.equal(confirmed.how, 0, confirmed.stderr);
  assert.deepEqual(JSON.parse(confirmed.stdout), {
    issuer: 'https://other.example.org',
    former: 'https://op.example.com',
  });
  assertOneLine(await attemptAt(site, 'serve'), /was made for the issuer https:\/\/other\.example\.org/u);

  const again = await startProgram({ folder: site.folder, environment: other });
  try {
    const token = String(issued.json['access_token']);
    const answer = await call(again, { method: 'POST', path: '/token/revoke', basic, form: { token } });
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await call(again, { method: 'POST', path: '/token', basic, form })).status, 200);
  } finally {
    await again.stop();
  }
});
