import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Storage, TenantStorage } from '../../src/ports/storage.ts';
import type { ClientId, StreamId, Subject, TenantId } from '../../src/spec/identifiers.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { opened, type SecurityEvent } from '../../src/testing/signals.ts';
import { aSession, NEW_SESSION } from '../../src/testing/storage/end-user-examples.ts';
import { anEvent } from '../../src/testing/storage/stored-examples.ts';
import type { Answered } from '../program/administration.ts';
import { type Program, startProgram } from '../program/start.ts';
import { openProgramStorage } from '../program/storage-place.ts';
import { type StreamClient, streamClient } from '../program/stream-client.ts';

/** H-653…H-668: two nodes and their receivers, crashes, foreign streams and forged answers. */
const PATIENCE_MS = 90_000;
const CALLBACK = 'https://client.example/cb';
const environment = {
  CHANCERY_SIGNALS_ENABLED: 'true',
  CHANCERY_SIGNALS_DELIVERY_INTERVAL: '1s',
  CHANCERY_SIGNALS_RETRY_DELAY: '1s',
  CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
  CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.1/32',
  CHANCERY_OUTBOUND_PORTS: 'any',
  CHANCERY_OUTBOUND_TIMEOUT: '1s',
};

const folder = mkdtempSync(join(tmpdir(), 'chancery-signals-'));
let one: Program;
let two: Program;
let receiver: Server;
let origin: string;
let storage: Storage;
/** While set, pushes to `/held` get no answer. */
let isHolding = false;
const received: { readonly path: string; readonly event: SecurityEvent }[] = [];

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const path = request.url ?? '';
  received.push({ path, event: opened(body) });
  if (path === '/held' && isHolding) return;
  if (path === '/moved') response.writeHead(302, { location: `${origin}/secret` }).end();
  else response.writeHead(202).end();
}

before(async () => {
  receiver = createServer((request, response) => {
    void text(request).then((body) => answer(request, response, body));
  }).listen(0, '127.0.0.1');
  const port = await listeningPort(receiver);
  origin = `http://127.0.0.1:${port}`;
  one = await startProgram({ mode: 'dev', folder, environment });
  two = await startProgram({
    mode: 'dev',
    folder,
    environment: { ...environment, CHANCERY_ISSUER: one.issuer },
  });
  storage = await openProgramStorage(folder);
});

after(async () => {
  await storage.close();
  await Promise.all([one.stop(), two.stop()]);
  receiver.closeAllConnections();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const aCaller = async (): Promise<StreamClient> =>
  await streamClient(one, {
    grant_types: ['client_credentials', 'authorization_code'],
    redirect_uris: [CALLBACK],
  });

const tenantOf = (): TenantStorage => storage.forTenant(one.tenant as TenantId);

async function aStream(caller: StreamClient, path?: string): Promise<StreamId> {
  const delivery = { method: 'urn:ietf:rfc:8935', endpoint_url: `${origin}${path ?? ''}` };
  const made = await caller.send(one, 'POST', '/streams', path === undefined ? {} : { delivery });
  assert.equal(made.status, 201, made.text);
  return String(made.json['stream_id']) as StreamId;
}

/** Ends a session in which the client takes part, as another process could. */
async function end({ client_id }: StreamClient, sub: string): Promise<void> {
  const { clients, sessions } = tenantOf();
  const client = (await clients.find(client_id as ClientId)) ?? assert.fail();
  const now = Math.floor(Date.now() / 1000);
  const times = {
    auth_time: now,
    created_at: now,
    last_seen_at: now,
    expires_at: now + 600,
    ends_at: now + 600,
  };
  const session = aSession(sub as Subject, times);
  await sessions.create(session, { ...NEW_SESSION, now });
  assert.equal(await sessions.addClient(session.sid, client, now), true);
  await sessions.end(session.key, anEvent({ at: now, action: 'session.end', actor: 'end-user' }));
}

async function until(isTrue: () => boolean | Promise<boolean>, words: string): Promise<void> {
  const last = Date.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    assert.ok(Date.now() < last, words);
    await sleep(50);
  }
}

const at = (path: string): readonly string[] =>
  received.filter((each) => each.path === path).map(({ event }) => String(event.claims.jti));

const numbered = (stream: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${stream}.${index + 1}`);

test('H-653 two nodes push one stream: each event once, in the order of their acts', async () => {
  const caller = await aCaller();
  const stream = await aStream(caller, '/both');
  for (let index = 0; index < 20; index += 1) await end(caller, `person${index}`);
  await until(async () => (await tenantOf().eventStreams.find(stream))?.held === 0, 'events are left');
  assert.deepEqual(at('/both'), numbered(stream, 20));
  assert.equal((await tenantOf().eventStreams.find(stream))?.delivered, 20);
});

test('the receiver of the examples verifies an event, prints it and acknowledges it', async () => {
  const caller = await aCaller();
  const stream = await aStream(caller);
  await end(caller, 'ada');
  const example = fileURLToPath(
    new URL('../../examples/signals-receiver/signals-receiver.mjs', import.meta.url),
  );
  const { client_id, client_secret } = caller;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [example, '--issuer', one.issuer, '--client-id', client_id, '--once'],
    { env: { ...process.env, CLIENT_SECRET: client_secret } },
  );
  const [first, second = ''] = stdout.trim().split('\n');
  assert.equal(first, `stream ${stream}`);
  const { jti, sub_id } = JSON.parse(second) as { readonly jti: string; readonly sub_id: object };
  assert.deepEqual(
    [jti, Reflect.get(sub_id, 'user')],
    [`${stream}.1`, { format: 'iss_sub', iss: one.issuer, sub: 'ada' }],
  );
  assert.equal((await tenantOf().eventStreams.find(stream))?.delivered, 1);
});

test('H-654 and F56 processes that are killed while they push: the next one sends the same event again, and loses none', async () => {
  const caller = await aCaller();
  const stream = await aStream(caller, '/held');
  isHolding = true;
  await end(caller, 'ada');
  await until(() => at('/held').length > 0, 'no push began');
  await end(caller, 'bob');
  for (const node of [one, two]) {
    node.signal('SIGKILL');
    await node.exited;
  }
  isHolding = false;
  await end(caller, 'eve');
  const { issuer } = one;
  one = await startProgram({ mode: 'dev', folder, environment: { ...environment, CHANCERY_ISSUER: issuer } });
  two = await startProgram({ mode: 'dev', folder, environment: { ...environment, CHANCERY_ISSUER: issuer } });
  await until(async () => (await tenantOf().eventStreams.find(stream))?.held === 0, 'events are left');
  assert.deepEqual([...new Set(at('/held'))], numbered(stream, 3));
  assert.ok(at('/held').length > 3, 'the event of the killed process came again');
});

test('H-655 an address of the internal network, and a redirect to it: refused or failed, and nothing is called (SSRF)', async () => {
  const caller = await aCaller();
  for (const endpoint_url of [
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.2/x',
    'http://[::1]/x',
    'ftp://receiver.example/x',
    'https://user:password@receiver.example/x',
  ]) {
    const delivery = { method: 'urn:ietf:rfc:8935', endpoint_url };
    const refused = await caller.send(one, 'POST', '/streams', { delivery });
    assert.equal(refused.status, 400, endpoint_url);
  }
  const stream = await aStream(caller, '/moved');
  await end(caller, 'ada');
  await until(
    async () => (await tenantOf().eventStreams.find(stream))?.problem === 'status 302',
    'no problem is told',
  );
  assert.deepEqual(at('/secret'), []);
  assert.equal((await caller.send(two, 'DELETE', `/streams?stream_id=${stream}`)).status, 204);
});

test('H-664 creations at once at two nodes: a client gets as many streams as it may have; polls and acknowledgements at once: each event goes once (H-665)', async () => {
  const caller = await aCaller();
  const made = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      return await caller.send(index % 2 === 0 ? one : two, 'POST', '/streams', {});
    }),
  );
  const ids = made.flatMap(({ status, json }) => (status === 201 ? [String(json['stream_id'])] : []));
  assert.equal(ids.length, 5);
  assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201, 409]));
  const [stream = assert.fail()] = ids;
  for (const sub of ['ada', 'bob']) await end(caller, sub);
  const poll = { returnImmediately: true, ack: numbered(stream, 2) };
  const answers = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      return await caller.send(index % 2 === 0 ? one : two, 'POST', `/poll/${stream}`, poll);
    }),
  );
  for (const { status, json } of answers) assert.deepEqual([status, json['sets']], [200, {}]);
  assert.equal((await tenantOf().eventStreams.find(stream as StreamId))?.delivered, 2);
});

test('H-667 answers to events with names of prototypes, of other streams and in great number: 200 or 400, and no event goes', async () => {
  const [caller, other] = [await aCaller(), await aCaller()];
  const [stream, foreign] = [await aStream(caller), await aStream(other)];
  await end(caller, 'ada');
  await end(other, 'ada');
  const poll = async (body: object): Promise<Answered> =>
    await caller.send(one, 'POST', `/poll/${stream}`, { returnImmediately: true, ...body });
  const hostile = JSON.parse('{"__proto__":{"err":"x"},"constructor":{"err":"x"}}') as object;
  for (const body of [
    { setErrs: hostile },
    { ack: numbered(foreign, 5) },
    { ack: [`${stream}.1e0`, `${stream}. 1`] },
  ])
    assert.equal(Object.keys((await poll(body)).json['sets'] as object).length, 1);
  assert.equal((await poll({ ack: Array.from({ length: 1001 }, () => 'x') })).status, 400);
  assert.equal((await tenantOf().eventStreams.find(foreign))?.held, 1);
});

test('H-668 a security event token as an access token, as an ID token hint or as a client assertion: refused', async () => {
  const caller = await aCaller();
  const stream = await aStream(caller);
  await end(caller, 'ada');
  const { json } = await caller.send(one, 'POST', `/poll/${stream}`, { returnImmediately: true });
  const [jwt = assert.fail()] = Object.values(json['sets'] as Readonly<Record<string, string>>);
  const bearer = { authorization: `Bearer ${jwt}` };
  assert.equal((await fetch(`${one.url}/userinfo`, { headers: bearer })).status, 401);
  assert.equal((await fetch(`${one.url}/ssf/streams`, { headers: bearer })).status, 401);
  const logout = new URLSearchParams({ id_token_hint: jwt, post_logout_redirect_uri: CALLBACK });
  const page = await fetch(`${one.url}/logout?${String(logout)}`, { redirect: 'manual' });
  assert.equal(page.headers.get('location')?.startsWith(CALLBACK) ?? false, false);
  const form = {
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: jwt,
  };
  const token = await fetch(`${one.url}/token`, { method: 'POST', body: new URLSearchParams(form) });
  assert.equal(token.status, 401);
});
