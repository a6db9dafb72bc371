import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditRows } from '../program/audit-events.ts';
import { masterToken as randomMasterToken } from '../program/master-token.ts';
import { type Program, startProgram } from '../program/start.ts';
import {
  type Answer,
  assertInvalidToken,
  type Call,
  call,
  type Registration,
  registrationOf,
  SERVICE,
} from './conformance-exchange.ts';
import { initialAccessToken } from './initial-access-token.ts';

/** Two server processes on one SQLite file are one registry. */
const MASTER = randomMasterToken();
const LIFETIME = 5;
const WEB = { redirect_uris: ['https://client.example/callback'] };
const PUBLIC = { ...WEB, token_endpoint_auth_method: 'none' };
const OPEN_MAX = 7;
const folder = mkdtempSync(join(tmpdir(), 'chancery-two-'));
let one: Program;
let other: Program;
/** Client secrets never expire in these, and expire quickly in that one. */
let shortLived: Program;

before(async () => {
  const environment = {
    CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: hash('sha256', MASTER),
    CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
    CHANCERY_REGISTRATION_OPEN_IDEMPOTENT: 'true',
    CHANCERY_REGISTRATION_OPEN_CLIENTS_MAX: String(OPEN_MAX),
  };
  one = await startProgram({ folder, environment });
  [other, shortLived] = await Promise.all([
    startProgram({ folder, environment }),
    startProgram({
      folder,
      environment: { ...environment, CHANCERY_REGISTRATION_CLIENT_SECRET_LIFETIME: String(LIFETIME) },
    }),
  ]);
});

after(async () => {
  await Promise.all([one, other, shortLived].map(async (program) => await program.stop()));
  rmSync(folder, { recursive: true, force: true });
});

/** Fifty at once, every second one to the other process. */
async function fifty(request: Call, programs: readonly Program[] = [one, other]): Promise<readonly Answer[]> {
  return await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const program = programs[index % programs.length];
      assert.ok(program !== undefined);
      return await call(program, request);
    }),
  );
}

const withStatus = (answers: readonly Answer[], status: number): readonly Answer[] =>
  answers.filter((answer) => answer.status === status);

async function clients(program: Program): Promise<ReadonlySet<string>> {
  const answer = await call(program, { method: 'GET', path: '/clients', bearer: MASTER });
  const listed = JSON.parse(answer.text) as readonly { readonly client_id: string }[];
  return new Set(listed.map(({ client_id }) => client_id));
}

async function registered(program: Program, json: object = WEB): Promise<Registration> {
  const answer = await call(program, { method: 'POST', path: '/register', bearer: MASTER, json });
  assert.equal(answer.status, 201, answer.text);
  return registrationOf(answer);
}

const read = (client: Registration, bearer = client.registration_access_token): Call => ({
  method: 'GET',
  path: `/clients/${client.client_id}`,
  bearer,
});

test('one initial access token, twenty-five registrations at each of two processes at once: one client (decision 7)', async () => {
  for (let round = 0; round < 3; round += 1) {
    const bearer = await initialAccessToken(one, ['client-reg']);
    const before = await clients(one);
    const answers = await fifty({ method: 'POST', path: '/register', bearer, json: WEB });
    assert.equal(withStatus(answers, 201).length, 1);
    for (const answer of answers) if (answer.status !== 201) assertInvalidToken(answer);
    const made = (await clients(other)).difference(before);
    assert.deepEqual([...made], [withStatus(answers, 201)[0]?.json['client_id']]);
    assertInvalidToken(await call(other, { method: 'POST', path: '/register', bearer, json: WEB }));
  }
});

test('fifty readers of an expired secret at two processes at once get one new secret, and the audit has one renewal (decision 10)', async () => {
  const client = await registered(shortLived, SERVICE);
  await sleep((LIFETIME + 1) * 1000);
  const answers = await fifty(read(client));
  assert.equal(withStatus(answers, 200).length, 50);
  const [secret, ...others] = new Set(answers.map(({ json }) => json['client_secret']));
  assert.equal(others.length, 0);
  assert.notEqual(secret, client.client_secret);
  const form = { grant_type: 'client_credentials' };
  for (const program of [one, other]) {
    const token = async (password: unknown): Promise<number> =>
      (
        await call(program, {
          method: 'POST',
          path: '/token',
          basic: [client.client_id, String(password)],
          form,
        })
      ).status;
    assert.equal(await token(secret), 200);
    assert.equal(await token(client.client_secret), 401);
  }
  const renewals = (await auditRows(one)).filter(
    ({ client_id, detail }) => client_id === client.client_id && detail === 'expired secret renewed',
  );
  assert.equal(renewals.length, 1);
});

test('a client that is deleted, updated or registered at one process is so at the other in the very next request', async () => {
  for (let round = 0; round < 20; round += 1) {
    const [here, there] = round % 2 === 0 ? [one, other] : [other, one];
    const client = await registered(here);
    // Read twice, so that it is in the memory of both.
    for (const program of [there, here, there]) {
      assert.equal((await call(program, read(client))).status, 200);
    }
    const json = { ...WEB, client_name: `Round ${round}` };
    const updated = await call(here, { ...read(client), method: 'PUT', json });
    assert.equal(updated.status, 200);
    assertInvalidToken(await call(there, read(client)));
    const renamed = registrationOf(updated);
    assert.equal((await call(there, read(renamed))).text, updated.text);
    assert.equal((await call(here, { ...read(renamed), method: 'DELETE' })).status, 204);
    assertInvalidToken(await call(there, read(renamed)));
    assert.equal((await call(there, read(renamed, MASTER))).status, 404);
  }
});

test('fifty updates with one registration token at two processes at once: one wins', async () => {
  const client = await registered(one);
  const answers = await fifty({ ...read(client), method: 'PUT', json: WEB });
  const [winner, ...more] = withStatus(answers, 200);
  assert.ok(winner !== undefined && more.length === 0);
  for (const program of [one, other]) {
    assert.equal((await call(program, read(registrationOf(winner)))).text, winner.text);
  }
});

test('fifty deletions at two processes at once: one 204, and the audit has one deletion', async () => {
  const client = await registered(one);
  const answers = await fifty({ ...read(client, MASTER), method: 'DELETE' });
  assert.equal(withStatus(answers, 204).length, 1);
  assert.equal(withStatus(answers, 404).length, 49);
  const deletions = (await auditRows(one)).filter(
    ({ action, client_id, outcome }) =>
      action === 'client.delete' && client_id === client.client_id && outcome === 'done',
  );
  assert.equal(deletions.length, 1);
});

test('fifty identical public registrations at two processes at once: one client; the cap holds for both together', async () => {
  const before = await clients(one);
  const shared = await fifty({ method: 'POST', path: '/register', json: PUBLIC });
  assert.equal(new Set(shared.map(({ text }) => text)).size, 1);
  assert.equal((await clients(other)).difference(before).size, 1);
  const confidential = await fifty({ method: 'POST', path: '/register', json: WEB });
  assert.equal(withStatus(confidential, 201).length, OPEN_MAX - 1);
  assert.equal(withStatus(confidential, 401).length, 50 - (OPEN_MAX - 1));
  assert.equal((await clients(other)).difference(before).size, OPEN_MAX);
});
