import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { converse, type Part } from '../program/raw-socket.ts';
import { attackedProgram } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { postClient, SERVICE } from './registry.ts';
import { get } from './transport-row.ts';

/** Exchanges that break off while an answer is due or is being written, at the started program. */
const BODIES_BYTES = 1_048_576;
const attacked = attackedProgram({
  environment: { CHANCERY_LIMITS_BODIES: String(BODIES_BYTES), CHANCERY_LIMITS_BODY: '65536' },
});
const address = (): { readonly host: string; readonly port: number } => attacked.program;
const pause: Part = { wait_ms: 20 };

async function assertServes(): Promise<void> {
  assert.equal((await converse(address(), [get('/jwks.json')])).answers[0]?.status, 200);
}

test('H-734 CONNECT whose client resets its connection, with a body and without, does not stop the server', async () => {
  const head = 'CONNECT rp.example:443 HTTP/1.1\r\nHost: rp.example\r\n';
  for (const request of [`${head}\r\n`, `${head}Content-Length: 10\r\n\r\nabc`]) {
    for (let round = 0; round < 10; round += 1)
      await converse(address(), [request, { end: 'reset' }], { until: 'closed', timeout_ms: 1_000 });
    await sleep(50);
    await assertServes();
  }
});

test('H-735 bodies that arrive after their answers, or break off, leave room in limits.bodies for others', async () => {
  const head = (method: string, lines: string): string =>
    `${method} /token HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\n${lines}\r\n`;
  const size = 60_000;
  const chunk = `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`;
  const exchanges: readonly (readonly Part[])[] = [
    [head('OPTIONS', `Content-Length: ${size}\r\n`), pause, 'a'.repeat(size)],
    [head('POST', 'Connection: close\r\nTransfer-Encoding: chunked\r\n'), chunk, pause, 'zz\r\n'],
  ];
  // Each kind has more than all bodies may take.
  const rounds = Math.ceil(BODIES_BYTES / size) + 5;
  for (const parts of exchanges)
    for (let round = 0; round < rounds; round += 1)
      await converse(address(), [...parts, { end: 'half-close' }], { until: 'closed', timeout_ms: 1_000 });
  const half = 'a'.repeat(size / 2);
  const { answers } = await converse(address(), [
    head('POST', `Content-Length: ${size}\r\n`),
    half,
    pause,
    half,
  ]);
  assert.equal(answers[0]?.status, 401, answers[0]?.body ?? 'no answer');
});

const LARGE_CLIENTS = 120;

test('H-737 a list whose request turns out to be broken is written in full, and the server goes on', async () => {
  // Large enough for the client to break its request while the list is written.
  const large = { ...SERVICE, data: { text: 'x'.repeat(50_000) } };
  const master = attacked.program.masterToken;
  for (let count = 0; count < LARGE_CLIENTS; count += 1)
    assert.equal((await attacked.send(postClient(large, master))).status, 200);
  const list = `GET /clients HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${master}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  for (let round = 0; round < 5; round += 1) {
    const answer = await brokenWhileRead(list);
    assert.match(answer, /^HTTP\/1\.1 200 /u);
    assert.equal(answer.split('{"client_id":"').length - 1, LARGE_CLIENTS);
    assert.match(answer, /\]\r\n0\r\n\r\n$/u);
    await assertServes();
  }
});

/**
 * Breaks the body of a request with each of the first pieces of its answer. Returns all that came until the connection ended. The
 * system of a client that sends on to the end would lose the end of the answer.
 */
async function brokenWhileRead(head: string): Promise<string> {
  const socket = connect(attacked.program.port, attacked.program.host);
  let answer = '';
  let breaks = 12;
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    answer += piece.toString('latin1');
    breaks -= 1;
    if (breaks >= 0) socket.write('zz\r\n');
  });
  socket.write(head);
  await new Promise((resolve) => socket.on('close', resolve));
  return answer;
}

testInvariantsAtTheEnd(attacked);
