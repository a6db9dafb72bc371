import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './attacked-program.ts';
import { attackedProgram, encode } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { introspect } from './introspection-requests.ts';
import {
  assertAnswer,
  deleteClient,
  getClient,
  PLAIN,
  postClient,
  putClient,
  type RegisteredClient,
  register,
  SERVICE,
} from './registry.ts';

/** Parallel requests: updates, deletions, renewals and the list (C-03, C-04, C-21…C-23, C-29…C-31). */
const attacked = attackedProgram();
const shortLived = attackedProgram({
  environment: { CHANCERY_REGISTRATION_CLIENT_SECRET_LIFETIME: '1' },
});
const master = (): string => attacked.program.masterToken;
const repeated = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const successes = (answers: readonly Answer[]): readonly Answer[] =>
  answers.filter(({ status }) => status < 300);

test('C-21 parallel updates with one registration token: one wins, and what it was told is what is stored', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { client_id, registration_access_token } = await register(attacked);
    const answers = await attacked.sendAtOnce(
      repeated(8, (index) =>
        putClient(client_id, { ...PLAIN, client_name: `racer ${index}` }, registration_access_token),
      ),
    );
    const [winner, ...others] = successes(answers);
    assert.ok(winner !== undefined && others.length === 0);
    for (const answer of answers) if (answer !== winner) assertAnswer(answer, 'invalid_token');
    const token = String(winner.json['registration_access_token']);
    assert.equal((await attacked.send(getClient(client_id, token))).body, winner.body);
  }
});

test('C-22 an update and a deletion at once: the client is never there again afterwards', async () => {
  for (let round = 0; round < 15; round += 1) {
    const { client_id, registration_access_token: token } = await register(attacked);
    const [updated, deleted] = await attacked.sendAtOnce([
      putClient(client_id, PLAIN, token),
      deleteClient(client_id, master()),
    ]);
    assert.equal(deleted?.status, 204);
    assert.ok([200, 401].includes(updated?.status ?? 0));
    assert.equal((await attacked.send(getClient(client_id, master()))).status, 404);
  }
});

test('C-22 the same with the registration token alone: one wins, and the other is refused', async () => {
  for (let round = 0; round < 15; round += 1) {
    const { client_id, registration_access_token: token } = await register(attacked);
    const [updated, deleted] = await attacked.sendAtOnce([
      putClient(client_id, PLAIN, token),
      deleteClient(client_id, token),
    ]);
    const read = await attacked.send(getClient(client_id, master()));
    const outcome = [updated?.status, deleted?.status, read.status].join(' ');
    assert.ok(['200 401 200', '401 204 404'].includes(outcome), outcome);
  }
});

test('C-23 fifty deletions at once: one 204', async () => {
  for (const [bearerOf, other] of [
    [(client: RegisteredClient): string => client.registration_access_token, 401],
    [master, 404],
  ] as const) {
    const client = await register(attacked);
    const rows = await attacked.stored();
    const answers = await attacked.sendAtOnce(
      repeated(50, () => deleteClient(client.client_id, bearerOf(client))),
    );
    assert.equal(successes(answers).length, 1);
    assert.equal(answers.filter(({ status }) => status === other).length, 49);
    assert.equal((await attacked.stored()).clients, rows.clients - 1);
    assert.equal((await attacked.stored()).deleted, rows.deleted + 1);
  }
});

test('C-04 the list during registrations and deletions is whole each time', async () => {
  const settled = await register(attacked);
  const victims = await Promise.all(repeated(40, () => register(attacked, { ...PLAIN, data: { a: 1 } })));
  const changes = attacked.sendAtOnce([
    ...repeated(60, () => postClient(PLAIN, master())),
    ...victims.map(({ client_id }) => deleteClient(client_id, master())),
  ]);
  const lists = repeated(20, () => ({ method: 'GET', path: '/clients', bearer: master() }));
  const [, answers] = await Promise.all([changes, attacked.sendAtOnce(lists)]);
  for (const { body } of answers) {
    const clients = JSON.parse(body) as { client_id: string; registration_access_token: string }[];
    const ids = new Set(clients.map(({ client_id }) => client_id));
    assert.equal(ids.size, clients.length);
    assert.ok(ids.has(settled.client_id));
    for (const each of clients) assert.equal(each.registration_access_token.length, 43);
  }
});

test('C-03 a reader of a list of 60 MB that stops reading, and one that goes away, hold neither memory nor others', async (context) => {
  const data = { text: 'x'.repeat(60_000) };
  const body = postClient({ ...PLAIN, data }, master());
  for (let round = 0; round < 50; round += 1) await attacked.sendAtOnce(repeated(20, () => body));
  const rss = await attacked.metric('process_resident_memory_bytes');
  const request = encode({ method: 'GET', path: '/clients', bearer: master() });
  const readers = await Promise.all(
    repeated(2, async () => {
      const socket = connect(attacked.program.port, attacked.program.host);
      await once(socket, 'connect');
      socket.on('error', () => undefined).pause();
      for (const part of request) if (typeof part === 'string') socket.write(part);
      return socket;
    }),
  );
  try {
    await sleep(500);
    readers[0]?.resetAndDestroy();
    for (let round = 0; round < 20; round += 1) {
      assert.equal((await attacked.send({ method: 'GET', path: '/jwks.json' })).status, 200);
    }
    const grown = (await attacked.metric('process_resident_memory_bytes')) - rss;
    context.diagnostic(`an unread list of 60 MB: ${grown} bytes`);
    // Twice the list would be 120 MB as it stands in the socket, and more on its way there.
    assert.ok(grown < 80_000_000, `${grown} bytes`);
  } finally {
    for (const reader of readers) reader.destroy();
  }
  assert.equal((await attacked.list()).length, (await attacked.stored()).clients);
});

test('C-29…C-31 the first reader of an expired secret renews it, once, and the old one is dead', async () => {
  const { program } = shortLived;
  const scope = `${program.issuer}/token/introspect`;
  const client = await register(shortLived, { ...SERVICE, scope });
  await sleep(2_100);
  assert.equal((await shortLived.send(introspect(client, 'x'))).json['error'], 'invalid_client');
  const asked = Math.floor(Date.now() / 1_000);
  const bearers = [client.registration_access_token, program.masterToken];
  const answers = await shortLived.sendAtOnce(
    repeated(50, (index) => getClient(client.client_id, bearers[index % 2] ?? '')),
  );
  // A reader that came a second later may have found the renewed secret expired again.
  const secrets = new Map(
    answers.map(({ json }) => [json['client_secret'], json['client_secret_expires_at']]),
  );
  const expiries = [...secrets.values()].map(Number);
  assert.equal(new Set(expiries).size, secrets.size, 'two secrets of one second');
  for (const expiry of expiries) assert.ok(expiry > asked, `${expiry} at ${asked}`);
  assert.ok(!secrets.has(client.client_secret));
  assert.equal((await shortLived.send(introspect(client, 'x'))).status, 401);
});

testInvariantsAtTheEnd(attacked);
