import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { startListening } from './listening.ts';

const HOST = '127.0.0.1';
const ACCEPTORS = 8;
const CLIENTS = 64;
const skip = process.platform !== 'linux' && 'only Linux spreads connections over sockets';

interface Listening {
  readonly server: Server;
  readonly port: number;
  readonly close: () => void;
}

async function listening(t: TestContext, port: number, acceptors: number): Promise<Listening> {
  const server = createServer();
  const closeHelpers = await startListening(server, { host: HOST, port, acceptors });
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    server.close();
    closeHelpers();
  };
  t.after(close);
  return { server, port: (server.address() as AddressInfo).port, close };
}

/** Connects clients at once. They end with the test. */
function clientsOf(t: TestContext, port: number): readonly Socket[] {
  return Array.from({ length: CLIENTS }, () => {
    const socket = connect(port, HOST);
    socket.on('error', () => undefined);
    t.after(() => socket.destroy());
    return socket;
  });
}

/** Lets clients come until the server has accepted or dropped them all. */
async function taken(t: TestContext, { server, port }: Listening) {
  const seen = { accepted: 0, dropped: 0, turns: 0 };
  let isNewTurn = true;
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const count = (what: 'accepted' | 'dropped'): void => {
    if (isNewTurn) seen.turns += 1;
    isNewTurn = false;
    seen[what] += 1;
    if (seen.accepted + seen.dropped === CLIENTS) resolve();
    setImmediate(() => {
      isNewTurn = true;
    });
  };
  server.on('connection', () => count('accepted'));
  server.on('drop', () => count('dropped'));
  clientsOf(t, port);
  await all;
  return seen;
}

test('a turn of the event loop accepts several connections', { skip }, async (t) => {
  const alone = await taken(t, await listening(t, 0, 1));
  assert.equal(alone.turns, CLIENTS, 'libuv accepts one for each socket');
  const { turns } = await taken(t, await listening(t, 0, ACCEPTORS));
  assert.ok(turns < CLIENTS / 2, `${turns} turns for ${CLIENTS} connections`);
});

test('all connections belong to the server, and its maximum holds for them', { skip }, async (t) => {
  const here = await listening(t, 0, ACCEPTORS);
  here.server.maxConnections = 5;
  const { accepted, dropped } = await taken(t, here);
  assert.deepEqual([accepted, dropped], [5, CLIENTS - 5]);
});

/** Returns what becomes of a connection: the code of its error, or `connected`. */
async function outcomeOf(socket: Socket): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on('connect', () => resolve('connected'));
  socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'));
  return await promise;
}

test('a port of another server is refused, whatever that one allows', async (t) => {
  for (const theirs of [1, ACCEPTORS])
    for (const ours of [1, ACCEPTORS]) {
      const { port } = await listening(t, 0, theirs);
      await assert.rejects(listening(t, port, ours), { code: 'EADDRINUSE' }, `${theirs}, ${ours}`);
    }
});

test('no socket listens after the end', async (t) => {
  const { port, close } = await listening(t, 0, ACCEPTORS);
  close();
  const outcomes = await Promise.all(clientsOf(t, port).map(outcomeOf));
  assert.deepEqual(new Set(outcomes), new Set(['ECONNREFUSED']));
});

test('a server that was closed can listen there again', async (t) => {
  const { server, port, close } = await listening(t, 0, ACCEPTORS);
  const closed = once(server, 'close');
  close();
  await closed;
  assert.equal((await listening(t, port, ACCEPTORS)).port, port);
});
