import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectOverTls } from 'node:tls';
import { startProgram } from '../program/start.ts';
import { SERVER_AUTHORITY, SERVER_NAME, startTlsProgram, type TlsProgram } from '../tls/tls-program.ts';
import { get } from './transport-row.ts';

/** Connections that do nothing useful, at a server without a proxy. */

const LINES_EVERY_MS = 300;
/** Several times what the settings below allow. A machine that is busy may need it. */
const ENDED_BY_MS = 60_000;

test('H-242 empty lines keep no connection open, at either listener; requests do', async () => {
  const program = await startProgram({
    environment: {
      CHANCERY_LISTEN_KEEP_ALIVE_TIMEOUT: '2',
      CHANCERY_LISTEN_HEADERS_TIMEOUT: '2',
    },
  });
  try {
    const management = Number(new URL(program.managementUrl).port);
    const used = connect(program.port, program.host);
    let isOpen = true;
    used.on('close', () => {
      isOpen = false;
    });
    const idle = [
      endsUnderEmptyLines(program.port, '/jwks.json'),
      endsUnderEmptyLines(management, '/health/live'),
    ];
    const ended = new AbortController();
    const all = Promise.all(idle).finally(() => ended.abort());
    while (!ended.signal.aborted) {
      used.write(get('/jwks.json'));
      assert.match(String((await once(used, 'data'))[0]), /^HTTP\/1\.1 200 /u);
      await sleep(LINES_EVERY_MS);
      assert.ok(isOpen, 'a connection with requests was ended');
    }
    await all;
    used.destroy();
  } finally {
    await program.stop();
  }
});

/** Sends one request, then an empty line again and again. Resolves when the server ends the connection. */
async function endsUnderEmptyLines(port: number, path: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', () => undefined);
  socket.write(get(path));
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 /u);
  const lines = setInterval(() => socket.write('\r\n'), LINES_EVERY_MS);
  const late = sleep(ENDED_BY_MS, 'late', { ref: false });
  const how = await Promise.race([closed, late]);
  clearInterval(lines);
  socket.destroy();
  assert.notEqual(how, 'late', `the connection to port ${port} was still open after ${ENDED_BY_MS} ms`);
}

/** Linux gives every address of 127.0.0.0/8 to the loopback interface. */
const skip = process.platform === 'linux' ? false : 'only Linux has many loopback addresses';
const MAX = { connections: 40, perNetwork: 6, handshakesPerNetwork: 3 };
let server: TlsProgram;

before(async () => {
  if (skip !== false) return;
  server = await startTlsProgram({
    CHANCERY_LISTEN_TLS_CLIENT_CA: 'none',
    CHANCERY_LISTEN_MAX_CONNECTIONS: String(MAX.connections),
    CHANCERY_LISTEN_CONNECTIONS_PER_NETWORK: String(MAX.perNetwork),
    CHANCERY_LISTEN_TLS_HANDSHAKES_PER_NETWORK: String(MAX.handshakesPerNetwork),
    CHANCERY_LISTEN_TRUSTED_PROXIES: '127.0.1.1/32',
    CHANCERY_LISTEN_KEEP_ALIVE_TIMEOUT: '600',
    CHANCERY_LISTEN_HEADERS_TIMEOUT: '60',
    CHANCERY_LISTEN_REQUEST_TIMEOUT: '60',
  });
});

after(async () => {
  if (skip === false) await server.stop();
});

/** A connection from this address that got an answer, or undefined. */
async function served(localAddress: string): Promise<Socket | undefined> {
  const { port, host } = server.program;
  const tls = { ca: SERVER_AUTHORITY.certificate, servername: SERVER_NAME };
  const wire = connect({ host, port, localAddress });
  wire.on('error', () => undefined);
  const socket = connectOverTls({ socket: wire, ...tls });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  socket.on('error', () => resolve(undefined)).on('close', () => resolve(undefined));
  socket.on('data', (chunk) => resolve(chunk.toString('latin1')));
  socket.write(get('/jwks.json'));
  const answer = await promise;
  if (answer === undefined) return undefined;
  assert.match(answer, /^HTTP\/1\.1 200 /u);
  return socket;
}

/** Returns the connections that one network gets, of this many. */
async function servedOf(count: number, localAddress: string): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = await served(localAddress);
    if (socket !== undefined) sockets.push(socket);
  }
  return sockets;
}

async function refusals(reason: string): Promise<number> {
  const text = await (await fetch(`${server.program.managementUrl}/metrics`)).text();
  const found = new RegExp(`^chancery_connections_refused_total\\{reason="${reason}"\\} (\\d+)$`, 'mu').exec(
    text,
  );
  return Number(found?.[1] ?? 0);
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    if (await holds()) return;
    await sleep(20);
  }
  assert.fail(what);
}

test('H-243 connections of one network are limited, logged and counted; other networks and trusted proxies are served', {
  skip,
}, async () => {
  const own = await servedOf(MAX.perNetwork + 3, '127.0.0.2');
  assert.equal(own.length, MAX.perNetwork);
  assert.equal(await refusals('network'), 3);
  const other = await servedOf(1, '127.0.0.3');
  const proxy = await servedOf(MAX.perNetwork + 3, '127.0.1.1');
  assert.deepEqual([other.length, proxy.length], [1, MAX.perNetwork + 3]);
  const lines = server.program.output().match(/[^\n]*connections of one network were refused[^\n]*/gu) ?? [];
  assert.equal(lines.length, 1, 'three refusals, one line');
  assert.match(lines[0] ?? '', /"network":"127\.0\.0\.2"/u);
  for (const socket of [...own, ...other, ...proxy]) socket.destroy();
  await until(async () => {
    const again = await servedOf(1, '127.0.0.2');
    for (const socket of again) socket.destroy();
    return again.length === 1;
  }, 'the network stays shut out after its connections have ended');
});

test('H-244 silent handshakes of many networks use up neither the connections nor the patience of others', {
  skip,
}, async () => {
  const silent: Socket[] = [];
  try {
    for (let network = 1; network <= 15; network += 1) {
      for (let count = 0; count < 4; count += 1) {
        const { host, port } = server.program;
        const socket = connect({ host, port, localAddress: `127.0.2.${network}` });
        socket.on('error', () => undefined).resume();
        silent.push(socket);
        await once(socket, 'connect');
      }
      // Several sockets accept, in no order (ADR 112): the next network comes when these four were accepted.
      const ended = async (): Promise<boolean> => (await refusals('handshakes')) === network;
      await until(ended, 'one handshake of four ends per network');
    }
    for (let probe = 0; probe < 14; probe += 1) {
      const [socket] = await servedOf(1, '127.0.0.3');
      assert.ok(socket, `probe ${probe} was not served`);
      socket.destroy();
    }
    assert.equal(await refusals('handshakes'), 15);
    const ended = 15 + (await refusals('all-handshakes'));
    await until(
      () => Promise.resolve(silent.filter(({ destroyed }) => destroyed).length === ended),
      `${ended} handshakes were counted as ended`,
    );
    assert.equal(
      silent.length - ended <= MAX.connections / 2,
      true,
      `${ended} of ${silent.length} have ended`,
    );
    assert.equal(await refusals('max-connections'), 0);
  } finally {
    for (const socket of silent) socket.destroy();
  }
});
