import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { anEvent, times } from '../../src/testing/storage/stored-examples.ts';
import { startProgram } from '../program/start.ts';
import { ENGINE_VARIABLE, openProgramStorage } from '../program/storage-place.ts';
import { call, registrationOf, WEB_CLIENT } from './conformance-exchange.ts';

const EVENTS = 3_000;
const DETAIL = 'x'.repeat(3_000);
const PATIENCE_MS = 30_000;
const skip = process.env[ENGINE_VARIABLE] === 'postgres' ? 'PostgreSQL manages its own space' : false;

test('H-272 a running server sweeps old audit events, and the SQLite file shrinks while it serves', {
  skip,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-space-'));
  try {
    const storage = await openProgramStorage(folder);
    const { audit } = storage.forTenant(DEFAULT_TENANT);
    await Promise.all(times(EVENTS, async () => await audit.append(anEvent({ at: 1, detail: DETAIL }))));
    await storage.close();
    const file = join(folder, 'chancery.db');
    const before = statSync(file).size;
    const program = await startProgram({ folder, environment: { CHANCERY_STORAGE_SWEEP_INTERVAL: '1' } });
    const bearer = program.masterToken;
    const registered = await call(program, { method: 'POST', path: '/clients', bearer, json: WEB_CLIENT });
    const { client_id } = registrationOf(registered);
    const space = async (part: string): Promise<number> => {
      const text = await (await fetch(`${program.managementUrl}/metrics`)).text();
      return Number(new RegExp(`^chancery_sqlite_bytes\\{part="${part}"\\} (\\d+)$`, 'mu').exec(text)?.[1]);
    };
    const deadline = Date.now() + PATIENCE_MS;
    while (!((await space('file')) < before / 2) && Date.now() < deadline) await sleep(100);
    assert.ok((await space('file')) < before / 2, `${before} bytes, then ${await space('file')}`);
    assert.ok((await space('free')) >= 0 && (await space('log')) > 0);
    const read = await call(program, { method: 'GET', path: `/clients/${client_id}`, bearer });
    assert.equal(read.status, 200);
    await program.stop();
    assert.ok(statSync(file).size < before / 2, 'the last connection moves the log into the file');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
