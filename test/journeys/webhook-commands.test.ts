import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { type Program, startProgram } from '../program/start.ts';
import { jsonOf, type Run } from './command-here.ts';
import { commandPlaces, oneOf } from './command-places.ts';

const folder = mkdtempSync(join(tmpdir(), 'chancery-webhooks-'));
const SETTINGS = {
  CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
  CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
  CHANCERY_OUTBOUND_PORTS: 'any',
  CHANCERY_WEBHOOKS_ATTEMPTS_MAX: '1',
  CHANCERY_WEBHOOKS_DELIVERY_INTERVAL: '1s',
};
const received: string[] = [];
let program: Program;
let receiver: Server;
let origin: string;

before(async () => {
  receiver = createServer((request, response) => {
    received.push(request.url ?? '');
    response.writeHead(request.url === '/closed' ? 500 : 204).end();
  }).listen(0, '127.0.0.1');
  const port = await listeningPort(receiver);
  origin = `http://127.0.0.1:${port}`;
  program = await startProgram({ mode: 'dev', folder, environment: SETTINGS });
});

after(async () => {
  await program.stop();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const { onDatabase, overHttp } = commandPlaces(folder, () => program, {
  words: ['--mode', 'development'],
  environment: SETTINGS,
});

const statesOf = async (ask: Run, id: string): Promise<readonly unknown[]> =>
  (await jsonOf(ask, 'webhooks', 'deliveries', id)).map(({ state }) => state);

/** Records an event, and waits until the server has failed to deliver it to the webhook. */
async function failDelivery(id: string): Promise<void> {
  const before = (await statesOf(onDatabase, id)).length;
  assert.equal((await onDatabase('iat', 'create')).code, 0);
  while (true) {
    const states = await statesOf(onDatabase, id);
    if (states.length > before && states.every((state) => state === 'failed')) return;
    await sleep(50);
  }
}

for (const [where, ask] of [
  ['on a database', onDatabase],
  ['over HTTP', overHttp],
] as const) {
  test(`webhook commands ${where} create, change, test, rotate and delete a webhook; its secret is printed once`, async () => {
    const made = await oneOf(ask, 'webhooks', 'create', `${origin}/open?key=hidden`, '--action', 'client');
    const id = String(made['id']);
    assert.match(String(made['secret']), /^[A-Za-z0-9]{43}$/u);
    const shown = await ask('webhooks', 'show', id);
    const listed = await ask('webhooks', 'list');
    for (const { out } of [shown, listed]) {
      assert.ok(out.includes(id), out);
      assert.ok(!out.includes(String(made['secret'])) && !out.includes('hidden'), out);
    }
    const changed = await oneOf(ask, 'webhooks', 'update', id, '--description', 'Ours', '--all-actions');
    assert.deepEqual(
      [changed['description'], changed['actions'], changed['url']],
      ['Ours', [], `${origin}/open`],
    );
    assert.deepEqual(await oneOf(ask, 'webhooks', 'test', id), { accepted: true, problem: null });
    assert.ok(received.includes('/open?key=hidden'), 'the change of other members keeps the query');
    const rotated = await oneOf(ask, 'webhooks', 'rotate-secret', id);
    assert.notEqual(rotated['secret'], made['secret']);
    assert.equal((await oneOf(ask, 'webhooks', 'disable', id))['enabled'], false);
    assert.equal((await oneOf(ask, 'webhooks', 'enable', id, '--from-now'))['enabled'], true);
    assert.equal((await ask('webhooks', 'update', id, '--url', `${origin}/closed`)).code, 0);
    const refused = await ask('webhooks', 'test', id);
    assert.equal(refused.code, 1);
    assert.match(refused.out, /^problem +status 500$/mu);
    assert.match(refused.err, /the receiver did not accept the delivery/);
    assert.equal((await ask('webhooks', 'delete', id)).code, 0);
    assert.match((await ask('webhooks', 'show', id)).err, /there is no such webhook/);
    const actions = (await jsonOf(onDatabase, 'audit', 'list', '--action', 'webhook')).filter(({ detail }) =>
      String(detail).startsWith(id),
    );
    assert.deepEqual(
      actions.map(({ action }) => action),
      [
        'webhook.create',
        'webhook.update',
        'webhook.secret',
        'webhook.update',
        'webhook.update',
        'webhook.update',
        'webhook.delete',
      ],
    );
  });

  test(`webhook commands ${where} list failed deliveries, try one again and discard all`, async () => {
    const id = String((await oneOf(ask, 'webhooks', 'create', `${origin}/closed`))['id']);
    await failDelivery(id);
    await failDelivery(id);
    // No server attempts a delivery to a disabled webhook.
    await ask('webhooks', 'disable', id);
    const listed = await jsonOf(ask, 'webhooks', 'deliveries', id);
    const failed = listed.filter(({ state }) => state === 'failed');
    const first = String(failed[0]?.['id']);
    assert.match((await ask('webhooks', 'redeliver', id)).err, /DELIVERY/);
    assert.deepEqual(await oneOf(ask, 'webhooks', 'redeliver', id, first), { deliveries: 1 });
    assert.match((await ask('webhooks', 'drop', id, first)).err, /there is no such failed delivery/);
    assert.deepEqual(await oneOf(ask, 'webhooks', 'drop', id, '--all'), { deliveries: failed.length - 1 });
    assert.ok((await statesOf(ask, id)).every((state) => state === 'waiting'));
  });
}

test('webhook commands refuse an address, an action and a change of nothing in the words of the API', async () => {
  for (const ask of [onDatabase, overHttp]) {
    const wrong = await ask('webhooks', 'create', 'ftp://receiver.example', '--action', 'client.made');
    assert.equal(wrong.code, 1);
    assert.match(
      wrong.err,
      /\/url must be an address that the server may call.*\/actions\/0 must be an action/,
    );
    const nothing = await ask('webhooks', 'update', 'x');
    assert.deepEqual([nothing.code, nothing.out], [2, '']);
    assert.match(nothing.err, /name at least one member to change/);
  }
});
