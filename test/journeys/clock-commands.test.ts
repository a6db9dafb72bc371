import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { nowOf, shiftedClock } from '../faults/shifted-clock.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { ENGINE_VARIABLE, openProgramStorage, storageUrl } from '../program/storage-place.ts';
import { chancery, type Ended } from './command.ts';

/** Shows a doubtful clock to an operator, and ends the doubt, against the started program (ADR 43). */
const DAY = 86_400;
const SWEEPING = { CHANCERY_STORAGE_SWEEP_INTERVAL: '1' };
const PATIENCE_MS = 20_000;
const folder = mkdtempSync(join(tmpdir(), 'chancery-clock-'));
const programs: Program[] = [];

async function started(environment: Readonly<Record<string, string>> = {}): Promise<Program> {
  const program = await startProgram({ folder, environment: { ...SWEEPING, ...environment } });
  programs.push(program);
  return program;
}

async function command(words: readonly string[], environment = {}): Promise<Ended> {
  return await chancery(words, {
    CHANCERY_ISSUER: 'https://op.example.com',
    CHANCERY_STORAGE_URL: await storageUrl(folder),
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    ...environment,
  });
}

async function doubtOf(program: Program): Promise<number> {
  const text = await (await fetch(`${program.managementUrl}/metrics`)).text();
  return Number(/^chancery_clock_doubt_seconds (\S+)$/mu.exec(text)?.[1]);
}

async function untilDoubtEnds(program: Program): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while ((await doubtOf(program)) !== 0 && Date.now() < deadline) await sleep(50);
  assert.equal(await doubtOf(program), 0);
}

async function remembered(): Promise<number> {
  const storage = await openProgramStorage(folder);
  try {
    return (await storage.time.remembered())?.latest ?? 0;
  } finally {
    await storage.close();
  }
}

before(async () => void (await started()));

after(async () => {
  for (const program of programs) await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('F37 a second server with a clock that is 400 days ahead is in doubt; the first one is not, and the remembered time stays right', async () => {
  const wrong = shiftedClock(folder, 'wrong', 400 * DAY);
  const second = await started(wrong.environment);
  await sleep(2_500);
  assert.ok((await doubtOf(second)) > 399 * DAY);
  assert.equal(await doubtOf(programs[0] ?? second), 0);
  assert.ok(Math.abs((await remembered()) - Date.now() / 1000) < 60);
  const shown = await command(['clock', 'show'], wrong.environment);
  assert.equal(shown.how, 1);
  assert.match(shown.stdout, /^state +in doubt: \d+ s ahead of the remembered time/mu);
  assert.match(shown.stdout, /^held +sweeps .*rotation and removal of server keys$/mu);
  const pruned = await command(['clients', 'prune', '--idle', '1'], wrong.environment);
  assert.deepEqual([pruned.how, pruned.stdout], [1, '']);
  assert.match(pruned.stderr, /nothing is deleted/u);
  if (process.env[ENGINE_VARIABLE] === 'postgres') {
    const refused = await command(['clock', 'confirm'], wrong.environment);
    assert.equal(refused.how, 1);
    assert.match(refused.stderr, /and that of the database server .*: set them right first/u);
  }
  await second.stop();
  const right = await command(['clock', 'show', '--json']);
  assert.equal(right.how, 0);
  const { machine, doubt } = JSON.parse(right.stdout) as { readonly machine: number; readonly doubt: null };
  assert.ok(Math.abs(machine - Date.now() / 1000) < 60);
  assert.equal(doubt, null);
});

test('F38 a server that starts after three days is in doubt until chancery clock confirm, and sweeps again afterwards', async () => {
  await Promise.all(programs.splice(0).map((program) => program.stop()));
  const storage = await openProgramStorage(folder);
  await storage.time.confirm(Math.floor(Date.now() / 1000) - 3 * DAY);
  await storage.close();
  const program = await started();
  assert.ok((await doubtOf(program)) > 2 * DAY);
  const ready = await fetch(`${program.managementUrl}/health/ready`);
  assert.equal(ready.status, 200);
  assert.match(await ready.text(), /"clock":"in doubt".*chancery clock confirm/u);
  const confirmed = await command(['clock', 'confirm']);
  assert.deepEqual([confirmed.how, confirmed.stderr], [0, '']);
  assert.match(confirmed.stdout, /^confirmed \S+Z; it was \S+Z$/mu);
  await untilDoubtEnds(program);
  assert.ok(Math.abs((await remembered()) - Date.now() / 1000) < 60);
  assert.equal(
    await (await fetch(`${program.managementUrl}/health/ready`)).text(),
    '{"status":"ready","checks":{"storage":"passed"}}',
  );
});

test('F38 a server that starts 400 days behind serves the remembered time', async () => {
  await Promise.all(programs.splice(0).map((program) => program.stop()));
  const behind = shiftedClock(folder, 'behind', -400 * DAY);
  assert.ok(nowOf(behind) < Date.now() / 1000 - 399 * DAY);
  const program = await started(behind.environment);
  assert.ok((await doubtOf(program)) < -399 * DAY);
  const answer = await fetch(`${program.url}/direct-authz/rest/v2`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${program.directToken}` },
    body: JSON.stringify({ scope: ['client-reg'] }),
  });
  assert.equal(answer.status, 200);
  const registered = await fetch(`${program.url}/clients`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${program.masterToken}` },
    body: JSON.stringify({ redirect_uris: ['https://rp.example/callback'] }),
  });
  const { client_id_issued_at } = (await registered.json()) as { readonly client_id_issued_at: number };
  assert.ok(Math.abs(client_id_issued_at - Date.now() / 1000) < 60, String(client_id_issued_at));
});
