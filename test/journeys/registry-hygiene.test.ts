import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditRows } from '../program/audit-events.ts';
import { usesOf } from '../program/client-uses.ts';
import { askProgramRows } from '../program/program-rows.ts';
import { type Program, startProgram } from '../program/start.ts';
import { call, register, SERVICE } from './conformance-exchange.ts';

/** A running server deletes idle open clients and old audit events, and nothing else. */
const DAY = 86_400;
const PATIENCE_MS = 60_000;
const PUBLIC = { redirect_uris: ['https://client.example/callback'], token_endpoint_auth_method: 'none' };
let program: Program;

before(async () => {
  program = await startProgram({
    environment: {
      CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
      CHANCERY_REGISTRATION_OPEN_IDEMPOTENT: 'true',
      CHANCERY_REGISTRATION_IDLE_CLIENT_LIFETIME: String(30 * DAY),
      CHANCERY_AUDIT_LIFETIME: String(365 * DAY),
      CHANCERY_STORAGE_SWEEP_INTERVAL: '1',
    },
  });
});

after(async () => await program.stop());

async function registerOpenly(client_name: string): Promise<string> {
  const json = { ...PUBLIC, client_name };
  const answer = await call(program, { method: 'POST', path: '/register', json });
  assert.equal(answer.status, 201, answer.text);
  return String(answer.json['client_id']);
}

/** Back-dates the rows, because a test cannot wait for weeks. */
async function backdate(statement: string, ...values: readonly (string | number)[]): Promise<void> {
  const changed = await askProgramRows(program.folder, `${statement} RETURNING 1 AS changed`, ...values);
  assert.ok(changed.length > 0);
}

const ISSUED = 'UPDATE client SET issued_at = ? WHERE client_id = ?';

async function status(client_id: string): Promise<number> {
  const path = `/clients/${client_id}`;
  return (await call(program, { method: 'GET', path, bearer: program.masterToken })).status;
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, `${what}:\n${program.output().slice(-1000)}`);
    await sleep(50);
  }
}

test('an open client that was idle for long is ended by the server, with one event; no other client is', async () => {
  const idle = await registerOpenly('idle');
  const again = await registerOpenly('registers at every start');
  const young = await registerOpenly('young');
  const ofToken = await register(program, PUBLIC);
  const service = await register(program, SERVICE);
  const now = Math.floor(Date.now() / 1000);
  assert.equal(await registerOpenly('registers at every start'), again);
  await until('the use is recorded', async () => (await usesOf(program, again)).length > 0);
  for (const id of [again, ofToken.client_id, service.client_id]) await backdate(ISSUED, now - 400 * DAY, id);
  await backdate(ISSUED, now - 29 * DAY, young);
  await backdate(ISSUED, now - 31 * DAY, idle);
  await until('the idle client is ended', async () => (await status(idle)) === 404);
  for (const id of [again, young, ofToken.client_id, service.client_id]) assert.equal(await status(id), 200);
  const pruned = (await auditRows(program)).filter(({ action }) => action === 'client.prune');
  assert.deepEqual(
    pruned.map(({ actor, outcome, client_id }) => [actor, outcome, client_id]),
    [['server', 'done', idle]],
  );
  assert.notEqual(await registerOpenly('idle'), idle, 'who comes back is another client');
});

test('audit events are removed once they are older than they are kept', async () => {
  await registerOpenly('audited');
  const rows = await auditRows(program);
  const [first] = rows;
  const last = rows.at(-1);
  assert.ok(first !== undefined && last !== undefined);
  const now = Math.floor(Date.now() / 1000);
  await backdate('UPDATE audit_event SET at = ? WHERE sequence = ?', now - 366 * DAY, first.sequence);
  await backdate('UPDATE audit_event SET at = ? WHERE sequence = ?', now - 364 * DAY, last.sequence);
  const sequences = async (): Promise<readonly number[]> =>
    (await auditRows(program)).map(({ sequence }) => sequence);
  await until('the old event is gone', async () => !(await sequences()).includes(first.sequence));
  assert.ok((await sequences()).includes(last.sequence));
});
