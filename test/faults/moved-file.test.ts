import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { call, type Registration, register, SERVICE } from '../journeys/conformance-exchange.ts';
import { type Program, startProgram } from '../program/start.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-moved-'));
after(() => rmSync(root, { recursive: true }));

interface World {
  readonly program: Program;
  readonly client: Registration;
  readonly path: string;
}

/** Runs on one program in a folder that stays. */
async function inUse(
  name: string,
  workers: number,
  act: (world: World) => Promise<void>,
): Promise<{ readonly folder: string; readonly client: Registration }> {
  const folder = mkdtempSync(join(root, `${name}-`));
  const environment = { CHANCERY_WORKERS: String(workers) };
  const program = await startProgram({ folder, environment });
  try {
    const client = await register(program, SERVICE);
    await act({ program, client, path: join(folder, 'chancery.db') });
    return { folder, client };
  } finally {
    await program.stop();
  }
}

/** Each call has a connection of its own, so that all workers are asked. */
const CALLS = 6;
const headers = { connection: 'close' };

async function assertWritesStopped({ program, client }: World, reason: RegExp): Promise<void> {
  for (let turn = 0; turn < CALLS; turn += 1) {
    const refused = await call(program, {
      method: 'POST',
      path: '/clients',
      bearer: program.masterToken,
      json: SERVICE,
      headers,
    });
    assert.equal(refused.status, 503, refused.text);
    assert.equal(refused.json['error'], 'temporarily_unavailable');
    assert.equal(refused.headers.get('retry-after'), '60');
    const { client_id, registration_access_token: bearer } = client;
    const read = await call(program, { method: 'GET', path: `/clients/${client_id}`, bearer, headers });
    assert.equal(read.status, 200, 'reads go on');
  }
  const ready = await fetch(`${program.managementUrl}/health/ready`);
  assert.equal(ready.status, 503);
  const { status, reason: said } = (await ready.json()) as {
    readonly status: string;
    readonly reason: string;
  };
  assert.equal(status, 'not-ready');
  assert.match(said, reason);
}

async function assertAllWell({ program, client }: World): Promise<void> {
  assert.equal((await fetch(`${program.managementUrl}/health/ready`)).status, 200);
  const { client_id, registration_access_token: bearer } = client;
  const path = `/clients/${client_id}`;
  assert.equal((await call(program, { method: 'GET', path, bearer })).status, 200);
  await register(program, SERVICE);
}

for (const workers of [1, 2]) {
  test(`the database file is moved, then replaced, ${workers} worker(s): writes are 503 and readiness says why, until it is back (F40)`, async () => {
    await inUse('moved', workers, async (world) => {
      const { path } = world;
      const moved = /was moved, removed or replaced while it was in use/u;
      renameSync(path, `${path}.away`);
      await assertWritesStopped(world, moved);
      copyFileSync(`${path}.away`, path);
      await assertWritesStopped(world, moved);
      renameSync(`${path}.away`, path);
      await assertAllWell(world);
    });
  });
}

test('-wal and -shm are both removed: writes are 503 and readiness says why; a stop saves what was acknowledged (F40)', async () => {
  const { folder, client } = await inUse('log', 2, async (world) => {
    for (const suffix of ['-wal', '-shm']) rmSync(`${world.path}${suffix}`);
    await assertWritesStopped(world, /the log of the database .* was removed or replaced/u);
  });
  const program = await startProgram({ folder });
  try {
    await assertAllWell({ program, client, path: '' });
  } finally {
    await program.stop();
  }
});
