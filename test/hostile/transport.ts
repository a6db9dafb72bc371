import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { Conversation, Part } from '../program/raw-socket.ts';
import { converse } from '../program/raw-socket.ts';
import type { Row, TransportTarget } from './transport-row.ts';
import { get } from './transport-row.ts';
import { ROWS } from './transport-rows.ts';

/** Registers a test for every row, to be sent to the server that `target` finds when they run. */
export function testTransport(target: () => TransportTarget): void {
  testTransportRows(target);
  test('H-040 slow headers: 408 at the time limit', () => dripHeaders(target()));
  test('H-041 slow body: 408 at the time limit', () => dripBody(target()));
  test('H-042 idle connections: those over the limit are shed, the others are served', async (context) => {
    const { maxConnections } = target();
    if (maxConnections <= 2_000) await crowd(target());
    else context.skip(`this server takes ${maxConnections} connections, more than this test opens`);
  });
}

/** The rows alone, without those that wait for time limits. */
export function testTransportRows(target: () => TransportTarget, rows: readonly Row[] = ROWS): void {
  for (const row of rows) test(row.name, () => play(target(), row));
}

async function play(target: TransportTarget, row: Row): Promise<void> {
  const parts = typeof row.send === 'function' ? row.send(target) : row.send;
  const conversation = await converse(target, parts, row);
  const first = conversation.answers.find(({ status }) => status >= 200);
  assert.ok(row.status.includes(first?.status ?? 0), `${first?.status}: ${conversation.text.slice(0, 500)}`);
  if (row.closes) assertClosed(conversation);
  row.check?.(conversation, target);
  await assertInvariants(target, conversation);
}

/** RFC 9112 §9.6: a server that closes says so in its last answer. */
function assertClosed({ closed, answers }: Conversation): void {
  assert.ok(closed, 'the connection is still open');
  const last = answers.at(-1);
  if (last !== undefined && last.status >= 400) assert.equal(last.headers['connection'], 'close');
}

/** The name of an error of Node's parser, such as HPE_PAUSED. A key in base64url may hold its first four characters in some case. */
const PARSER_ERROR = /HPE_[A-Z_]{4}/;
const INSIDES = /node_modules|\.ts:|\.js:|\n\s+at |fastify|FST_ERR|SQLITE|\/work\//i;

/** I1: no 5xx. I2: health answers within a second. I4: no stack, path or library in any answer. */
async function assertInvariants(target: TransportTarget, { answers, text }: Conversation): Promise<void> {
  assert.deepEqual(
    answers.filter(({ status }) => status >= 500),
    [],
  );
  assert.doesNotMatch(text, INSIDES, 'I4');
  assert.doesNotMatch(text, PARSER_ERROR, 'I4');
  const { path } = target.health;
  const health = await converse(target.health, [get(path)], { timeout_ms: 1_000 });
  assert.equal(health.answers[0]?.status, 200, 'health');
}

async function dripHeaders(target: TransportTarget): Promise<void> {
  const { headers_ms, check_ms } = target.times;
  const lines = Array.from({ length: 12 }, (_, index) => [
    `X-${index}: a\r\n`,
    { wait_ms: headers_ms / 6 },
  ]).flat();
  await drip(target, ['GET /jwks.json HTTP/1.1\r\n', ...lines], headers_ms, check_ms);
}

async function dripBody(target: TransportTarget): Promise<void> {
  const { request_ms, check_ms } = target.times;
  const head = 'POST /token/introspect HTTP/1.1\r\nHost: h.test\r\nContent-Length: 100\r\n\r\n';
  const bytes = Array.from({ length: 12 }, () => ['a', { wait_ms: request_ms / 6 }]).flat();
  await drip(target, [head, ...bytes], request_ms, check_ms);
}

/** Two checks later at the most, and never before the limit. */
async function drip(
  target: TransportTarget,
  parts: readonly Part[],
  limit_ms: number,
  check_ms: number,
): Promise<void> {
  const conversation = await converse(target, parts, {
    until: 'closed',
    timeout_ms: limit_ms * 3 + 4 * check_ms,
  });
  assert.equal(conversation.answers[0]?.status, 408, conversation.text);
  assert.ok(conversation.closed);
  assert.ok(conversation.duration_ms >= limit_ms * 0.9, `${conversation.duration_ms} ms`);
  await assertInvariants(target, conversation);
}

async function crowd(target: TransportTarget): Promise<void> {
  const established = await open(target);
  const idle = await Promise.all(Array.from({ length: target.maxConnections * 2 }, () => open(target)));
  try {
    await until(() => idle.filter(({ destroyed }) => destroyed).length >= target.maxConnections);
    const answer = new Promise<string>((resolve) =>
      established.once('data', (chunk) => resolve(String(chunk))),
    );
    established.write(get('/jwks.json'));
    assert.match(await answer, /^HTTP\/1\.1 200 /);
  } finally {
    for (const socket of [established, ...idle]) socket.destroy();
  }
  await until(async () => {
    const { answers } = await converse(target.health, [get(target.health.path)], { timeout_ms: 1_000 });
    return answers[0]?.status === 200;
  });
}

function open({ host, port }: TransportTarget): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => resolve(socket));
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.resume();
  });
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail('waited for four seconds');
}
