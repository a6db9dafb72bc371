import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../journeys/conformance-exchange.ts';
import { type Program, startProgram } from '../program/start.ts';

const PLANTED = new URL('unhandled-error.mjs', import.meta.url);
const environment = { NODE_OPTIONS: `--import=${PLANTED.href}`, CHANCERY_STOP_DELAY: '20' };
/** EX_SOFTWARE of sysexits(3). */
const EXIT_CODE = 70;

let program: Program | undefined;

beforeEach(() => {
  program = undefined;
});

afterEach(async () => {
  await program?.stop();
});

const BODY = 'token=unknown';

/** Sends the first half of a request. */
async function halfRequest({ host, port }: Program): Promise<Socket> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  const head = [
    'POST /token/introspect HTTP/1.1',
    'Host: op.example.com',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${BODY.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${BODY.slice(0, 5)}`);
  await sleep(200);
  return socket;
}

async function answerTo(socket: Socket): Promise<string> {
  socket.write(BODY.slice(5));
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  await once(socket, 'close');
  return received;
}

const accepts = async ({ host, port }: Program): Promise<boolean> => {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

test('an unhandled error is logged, the listener closes at once, the request under way is answered, and the exit code is 70 (F34)', async () => {
  const running = (program = await startProgram({ environment }));
  const socket = await halfRequest(running);
  running.signal('SIGUSR2');
  await running.printed(/"msg":"an error was not handled: the server stops"/u);
  while (await accepts(running)) await sleep(10);
  assert.match(await answerTo(socket), /^HTTP\/1\.1 401 .*connection: close/isu);
  assert.equal(await running.exited, EXIT_CODE);
  assert.match(running.output(), /"level":"error".*planted by the test.*"origin":"uncaughtException"/u);
});

test('a worker with an unhandled error ends with 70 and is replaced; no request of the other clients fails (F34)', {
  skip: process.platform === 'linux' ? false : 'SO_REUSEPORT as Linux has it',
}, async () => {
  const running = (program = await startProgram({ environment: { ...environment, CHANCERY_WORKERS: '2' } }));
  const workers = (): readonly number[] =>
    readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8')
      .trim()
      .split(/\s+/u)
      .map(Number);
  const [victim = 0] = workers();
  process.kill(victim, 'SIGUSR2');
  await running.printed(/"code":70,.*"msg":"a worker died: another one is started"/u);
  const path = '/.well-known/openid-configuration';
  const headers = { connection: 'close' };
  for (let time = 0; time < 30; time += 1) {
    assert.equal((await call(running, { method: 'GET', path, headers })).status, 200);
  }
  while (workers().length < 2) await sleep(20);
  assert.ok(!workers().includes(victim));
  assert.equal((await fetch(`${running.managementUrl}/health/ready`)).status, 200);
});
