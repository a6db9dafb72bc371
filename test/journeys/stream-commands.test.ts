import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage } from '../../src/ports/storage.ts';
import { DEFAULT_TENANT, type StreamId } from '../../src/spec/identifiers.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { type Program, startProgram } from '../program/start.ts';
import { openProgramStorage } from '../program/storage-place.ts';
import { type StreamClient, streamClient } from '../program/stream-client.ts';
import { jsonOf } from './command-here.ts';
import { commandPlaces, oneOf } from './command-places.ts';

const folder = mkdtempSync(join(tmpdir(), 'chancery-streams-'));
const SETTINGS = {
  CHANCERY_SIGNALS_ENABLED: 'true',
  CHANCERY_SIGNALS_ATTEMPTS_MAX: '1',
  CHANCERY_SIGNALS_DELIVERY_INTERVAL: '1s',
  CHANCERY_SIGNALS_VERIFICATION_INTERVAL: '0s',
  CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
  CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
  CHANCERY_OUTBOUND_PORTS: 'any',
};
let program: Program;
let storage: Storage;
let receiver: Server;
let origin: string;
let client: StreamClient;

before(async () => {
  // Refuses every event.
  receiver = createServer((_, response) => response.writeHead(500).end()).listen(0, '127.0.0.1');
  origin = `http://127.0.0.1:${await listeningPort(receiver)}`;
  program = await startProgram({ mode: 'dev', folder, environment: SETTINGS });
  storage = await openProgramStorage(folder);
  client = await streamClient(program);
});

after(async () => {
  await storage.close();
  await program.stop();
  receiver.closeAllConnections();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const { onDatabase, overHttp } = commandPlaces(folder, () => program, {
  words: ['--mode', 'development'],
  environment: SETTINGS,
});

async function aStream(delivery?: object): Promise<string> {
  const made = await client.send(program, 'POST', '/streams', delivery === undefined ? {} : { delivery });
  assert.equal(made.status, 201, made.text);
  return String(made.json['stream_id']);
}

async function verify(stream_id: string): Promise<void> {
  assert.equal((await client.send(program, 'POST', '/verify', { stream_id })).status, 204);
}

/** Waits until this many events of a stream have failed. */
async function untilFailed(id: string, count: number): Promise<void> {
  const { eventStreams } = storage.forTenant(DEFAULT_TENANT);
  while ((await eventStreams.events(id as StreamId, 'failed', 0, count)).length < count) await sleep(50);
}

const statusOf = async (id: string): Promise<unknown> =>
  (await client.send(program, 'GET', `/status?stream_id=${id}`)).json['status'];

for (const [where, ask] of [
  ['on a database', onDatabase],
  ['over HTTP', overHttp],
] as const) {
  test(`streams commands ${where} list and show a stream, pause, enable, disable and delete it; the client reads its status`, async () => {
    const id = await aStream();
    const listed = (await jsonOf(ask, 'streams', 'list')).find((item) => item['id'] === id);
    assert.deepEqual(await oneOf(ask, 'streams', 'show', id), listed);
    assert.equal(listed?.['client_id'], client.client_id);
    for (const [verb, status] of [
      ['pause', 'paused'],
      ['enable', 'enabled'],
      ['disable', 'disabled'],
    ] as const) {
      assert.equal((await oneOf(ask, 'streams', verb, id))['status'], status);
      assert.equal(await statusOf(id), status);
    }
    const told = await client.send(program, 'POST', `/poll/${id}`, { returnImmediately: true });
    assert.ok(Object.keys(told.json['sets'] as object).length > 0, 'a disabled stream says that it is');
    assert.equal((await ask('streams', 'delete', id)).code, 0);
    assert.match((await ask('streams', 'show', id)).err, /there is no such (?:event )?stream/);
    const actions = (await jsonOf(onDatabase, 'audit', 'list', '--action', 'stream')).filter(({ detail }) =>
      String(detail).startsWith(id),
    );
    assert.deepEqual(
      actions.map(({ action }) => action),
      ['stream.create', 'stream.update', 'stream.update', 'stream.update', 'stream.delete'],
    );
  });

  test(`streams commands ${where} try failed events again, and discard them; no command shows the query of an address`, async () => {
    const id = await aStream({ method: 'urn:ietf:rfc:8935', endpoint_url: `${origin}/events?key=hidden` });
    await verify(id);
    await verify(id);
    await untilFailed(id, 2);
    const shown = await ask('streams', 'show', id);
    assert.match(shown.out, /^problem +status 500$/mu);
    for (const { out } of [shown, await ask('streams', 'list')]) assert.ok(!out.includes('hidden'), out);
    assert.deepEqual(await oneOf(ask, 'streams', 'redeliver', id), { events: 2 });
    await untilFailed(id, 2);
    assert.deepEqual(await oneOf(ask, 'streams', 'drop', id), { events: 2 });
    assert.equal((await oneOf(ask, 'streams', 'show', id))['held'], 0);
    assert.equal((await ask('streams', 'delete', id)).code, 0);
  });
}
