import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { migratedDatabase } from '../../src/testing/postgres/database.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { chancery } from './command.ts';
import { call, register, SERVICE } from './conformance-exchange.ts';
import { jsonLines } from './registry-commands.ts';

/** Instead of a standby a database of its own, in which nothing is: what is read there is seen at once. */
let folder: string;
let program: Program;
let databases: Readonly<Record<'CHANCERY_STORAGE_URL' | 'CHANCERY_STORAGE_REPLICA_URL', string>>;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chancery-replica-'));
  databases = {
    CHANCERY_STORAGE_URL: await migratedDatabase(),
    CHANCERY_STORAGE_REPLICA_URL: await migratedDatabase(),
  };
  program = await startProgram({ folder, environment: databases });
});
after(async () => {
  await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('storage.replica-url: the list of clients is read there; a client, its token, and every command are not', async () => {
  const client = await register(program, SERVICE);
  const bearer = program.masterToken;
  const listed = await call(program, { method: 'GET', path: '/clients', bearer });
  assert.deepEqual([listed.status, listed.text], [200, '[]']);
  const one = await call(program, { method: 'GET', path: `/clients/${client.client_id}`, bearer });
  assert.equal(one.status, 200);
  const basic = [client.client_id, client.client_secret] as const;
  const form = { grant_type: 'client_credentials' };
  assert.equal((await call(program, { method: 'POST', path: '/token', basic, form })).status, 200);
  const environment = {
    ...databases,
    CHANCERY_ISSUER: program.issuer,
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  };
  const { how, stdout, stderr } = await chancery(['clients', 'list', '--json'], environment);
  assert.deepEqual([how, stderr], [0, '']);
  assert.deepEqual(
    jsonLines(stdout).map(({ client_id }) => client_id),
    [client.client_id],
  );
});
