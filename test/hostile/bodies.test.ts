import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test as testOnce } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Limits } from '../../src/http/host.ts';
import { BodyMemory, RequestBody } from '../../src/http/request-body.ts';
import { ok, type Running, runHost, soon } from '../../src/testing/host.ts';
import { test } from '../../src/testing/messages.ts';

const ALIVE_MAX_BYTES = 5_000_000;
/** Sixty buffers of 64 KiB, and the sockets of both sides. Kept pieces are several hundred megabytes. */
const ALIVE_BESIDE_SOCKETS_MAX_BYTES = 30_000_000;
const CONNECTIONS = 60;
const CHUNKS = 65_000;
const HEAD = 'POST /x HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n';
const WHOLE = `${HEAD}Content-Length: 2\r\n\r\n{}`;
const BODY_BYTES = 65_536;
const ENDPOINT = { method: 'POST', path: '/x', body: 'json', maxConnections: 200 } as const;

function limits(bodies_bytes: number): Limits {
  return { body: BODY_BYTES, bodies: new BodyMemory(bodies_bytes), header: 16_384 };
}

test('H-231 65,000 one-byte chunks on 60 connections keep less than 30 MB alive', async (t, messages) => {
  const { address } = await runHost(t, messages, () => ok, { ...ENDPOINT, limits: limits(67_108_864) });
  const body = Buffer.from(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(CHUNKS)}`);
  const [before, resident] = [aliveBytes(), process.memoryUsage.rss()];
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(t, address)));
  await Promise.all(sockets.map((socket) => sent(socket, body)));
  // The server has read all pieces when it answers a request that was sent after them.
  assert.match(await answerTo(t, address, WHOLE), /^HTTP\/1\.1 200 /);
  const growth = aliveBytes() - before;
  // The senders live in this process too, and garbage counts until it is collected: this figure is for information.
  t.diagnostic(`${growth} bytes more are alive; resident ${process.memoryUsage.rss() - resident} bytes more`);
  assert.ok(growth < ALIVE_BESIDE_SOCKETS_MAX_BYTES, `${growth} bytes more are alive`);
});

testOnce(
  'H-231 ten bodies of 65,000 pieces of one byte keep less than 5 MB alive, however the pieces arrive',
  (t) => {
    const memory = new BodyMemory(67_108_864);
    const before = aliveBytes();
    const bodies = Array.from({ length: 10 }, () => new RequestBody({ body_bytes: BODY_BYTES, memory }));
    for (const body of bodies) {
      // A buffer of its own for each piece, as Node makes one for each segment and each chunk.
      for (let piece = 0; piece < CHUNKS; piece += 1)
        body.add(Buffer.from([97]), `content-length: ${CHUNKS}`);
    }
    const growth = aliveBytes() - before;
    t.diagnostic(`${growth} bytes more are alive`);
    assert.ok(growth < ALIVE_MAX_BYTES, `${growth} bytes more are alive`);
    assert.equal(memory.taken_bytes, bodies.length * BODY_BYTES);
  },
);

test('H-232 a body beyond limits.bodies is 503 with Retry-After, and a body in one piece is served', async (t, messages) => {
  const { bodies, ...others } = limits(100_000);
  const { address, infos } = await runHost(
    t,
    messages,
    ({ body }) => ({ ...ok, body: String(body.length) }),
    {
      ...ENDPOINT,
      limits: { bodies, ...others },
    },
  );
  const waiting = await open(t, address);
  const rest = 'a'.repeat(59_999);
  await sent(waiting, `${HEAD}Content-Length: 60000\r\n\r\n`);
  await sent(waiting, rest);
  await soon(() => bodies.taken_bytes >= rest.length);
  const chunked = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
  const refused = await answerTo(t, address, `${chunked}c350\r\n${'b'.repeat(50_000)}\r\n`);
  assert.match(refused, /^HTTP\/1\.1 503 /);
  assert.match(refused, /\r\nretry-after: 1\r\n/);
  assert.match(refused, /\r\nconnection: close\r\n/);
  assert.match(refused, /"error":"temporarily_unavailable"/);
  assert.match(String(infos.at(-1)?.['detail']), /limits\.bodies/);
  const whole = await answerTo(t, address, `${HEAD}Content-Length: 50000\r\n\r\n${'b'.repeat(50_000)}`);
  assert.match(whole, /^HTTP\/1\.1 200 [^]*\r\n50000$/);
  waiting.write('a');
  assert.match(String((await once(waiting, 'data'))[0]), /\r\n60000$/);
  assert.equal(bodies.taken_bytes, 0);
});

test('H-232 a body that ends, is refused, or loses its connection gives its memory back', async (t, messages) => {
  const { bodies, ...others } = limits(1_000_000);
  const { address, observed } = await runHost(t, messages, () => ok, {
    ...ENDPOINT,
    limits: { bodies, ...others },
  });
  const chunked = `POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n`;
  for (const request of [
    `${chunked}1\r\na\r\n1\r\nb\r\n`,
    `${chunked.replace('/x', '/unknown')}1\r\na\r\n1\r\nb\r\n`,
    `${HEAD}Content-Length: 3\r\n\r\na`,
  ]) {
    const socket = await open(t, address);
    await sent(socket, request);
    await soon(() => bodies.taken_bytes > 0 || observed.length > 0);
    socket.resetAndDestroy();
    await soon(() => bodies.taken_bytes === 0);
  }
  const ended = `1\r\na\r\n1\r\nb\r\n0\r\n\r\n`;
  assert.match(await answerTo(t, address, chunked + ended), / 200 /);
  assert.match(await answerTo(t, address, chunked.replace('/x', '/unknown') + ended), / 404 /);
  assert.match(await answerTo(t, address, `${chunked}fffff\r\n${'a'.repeat(70_000)}`), / 413 /);
  await soon(() => bodies.taken_bytes === 0);
});

test('H-232 complete bodies whose requests are being served fill limits.bodies too: the next one is 503 until one is answered', async (t, messages) => {
  const { bodies, ...others } = limits(100_000);
  const served: (() => void)[] = [];
  const { address } = await runHost(
    t,
    messages,
    async ({ body }) => {
      await new Promise<void>((resolve) => served.push(resolve));
      return { ...ok, body: String(body.length) };
    },
    { ...ENDPOINT, limits: { bodies, ...others } },
  );
  const long = `${HEAD}Content-Length: 60000\r\n\r\n${'a'.repeat(60_000)}`;
  const first = answerTo(t, address, long);
  await soon(() => served.length === 1);
  assert.ok(bodies.complete_bytes >= 60_000);
  assert.match(await answerTo(t, address, long), /^HTTP\/1\.1 503 [^]*"error":"temporarily_unavailable"/);
  const small = answerTo(t, address, WHOLE);
  await soon(() => served.length === 2);
  for (const answer of served) answer();
  assert.match(await first, /\r\n60000$/);
  assert.match(await small, /\r\n2$/);
  await soon(() => bodies.complete_bytes === 0);
});

/** Collects garbage, then returns what is left. */
function aliveBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function open(t: TestContext, address: Running['address']): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(address, () => resolve(socket));
    socket.setNoDelay(true);
    socket.on('error', reject);
    t.after(() => socket.destroy());
  });
}

function sent(socket: Socket, bytes: Buffer | string): Promise<void> {
  return new Promise((resolve) => socket.write(bytes, () => resolve()));
}

async function answerTo(t: TestContext, address: Running['address'], request: string): Promise<string> {
  const socket = await open(t, address);
  socket.write(request);
  const [answer] = await once(socket, 'data');
  return String(answer);
}
