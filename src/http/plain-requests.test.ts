import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { converse, type Part } from '../../test/program/raw-socket.ts';
import { soon } from '../testing/host.ts';
import type { Request, Response } from './messages.ts';
import { INTERNAL_MESSAGES } from './node-internals.ts';
import { BodyMemory } from './request-body.ts';

const KEEP_ALIVE_MS = 300;
/** Node adds this to the keep-alive time. */
const BUFFER_MS = 1_000;
const STALL_MS = 20_000;

interface Running {
  readonly address: { readonly host: string; readonly port: number };
  readonly server: Server;
  readonly memory: BodyMemory;
  /** Requests for which Node made a response of its own, by method and target. */
  readonly whole: string[];
  /** All requests, each once. */
  readonly received: string[];
}

const nameOf = ({ method, url }: Request): string => `${method} ${url}`;

/** Starts a server on Node's internals that leaves each answer to `handle`. */
async function run(t: TestContext, handle: (request: Request, response: Response) => void): Promise<Running> {
  const memory = new BodyMemory(1_000);
  const whole: string[] = [];
  const received: string[] = [];
  class Counted extends INTERNAL_MESSAGES.response {
    constructor(...parameters: ConstructorParameters<typeof INTERNAL_MESSAGES.response>) {
      super(...parameters);
      whole.push(nameOf(parameters[0] as unknown as Request));
    }
  }
  const server = createServer({
    IncomingMessage: INTERNAL_MESSAGES.requestsUpTo({ body_bytes: 1_000, memory }),
    ServerResponse: Counted,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
  });
  server.setTimeout(STALL_MS);
  INTERNAL_MESSAGES.receive(server, (request, response) => {
    received.push(nameOf(request));
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { address: { host: '127.0.0.1', port }, server, memory, whole, received };
}

const text = (body: string): string =>
  `HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: ${body.length}\r\n\r\n`;

function answer(response: Response, body: string): void {
  assert.ok(response.sendReady(200, text(body), body, 'latin1') || end(response, body));
}

function end(response: Response, body: string): boolean {
  return (
    response
      .whole()
      ?.writeHead(200, ['content-length', String(body.length)])
      .end(body) !== undefined
  );
}

const echo = (request: Request, response: Response): void =>
  request.readBody((body) => answer(response, body.toString()));

const post = (body: string, lines = ''): string =>
  `POST /${body} HTTP/1.1\r\nHost: h\r\n${lines}Content-Length: ${body.length}\r\n\r\n${body}`;

test('plain requests, one after the other, are answered without a response of Node', async (t) => {
  const { address, whole, received } = await run(t, echo);
  const pause: Part = { wait_ms: 5 };
  const parts = [post('a'), pause, post('b'), pause, 'GET /c HTTP/1.1\r\nHost: h\r\n\r\n'];
  const { answers } = await converse(address, parts, { until: 3 });
  assert.deepEqual(
    answers.map(({ body }) => body),
    ['a', 'b', ''],
  );
  assert.deepEqual(whole, []);
  assert.deepEqual(received, ['POST /a', 'POST /b', 'GET /c']);
});

test('requests that need more than one text take the way of Node, and those after them do not', async (t) => {
  const ways: readonly (readonly [request: string, head: boolean])[] = [
    [post('a').replace('HTTP/1.1', 'HTTP/1.0'), false],
    [post('a', 'Connection: close\r\n'), false],
    [post('a', 'Expect: 100-continue\r\n'), false],
    [post('a', 'Host: h\r\n'), false],
    ['HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n', true],
    ['TRACE /a HTTP/1.1\r\nHost: h\r\n\r\n', false],
    ['GET /a HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n', false],
  ];
  for (const [request, head] of ways) {
    const { address, whole, received } = await run(t, echo);
    const { answers } = await converse(address, [request], { head });
    assert.equal(answers[0]?.status, 200, request);
    assert.deepEqual([whole.length, received.length], [1, 1], request);
  }
  const { address, whole } = await run(t, echo);
  await converse(address, [post('a', 'Host: h\r\n'), { wait_ms: 5 }, post('b')], { until: 2 });
  assert.deepEqual(whole, ['POST /a']);
});

test('a request that comes while another waits for its answer is answered after it, and each is received once', async (t) => {
  const waiting: (() => void)[] = [];
  const { address, whole, received } = await run(t, (request, response) => {
    if (request.url === '/slow') waiting.push(() => answer(response, 'slow'));
    else answer(response, String(request.url));
  });
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`;
  const talk = converse(address, [get('/slow'), { wait_ms: 5 }, get('/b'), get('/c')], { until: 3 });
  await soon(() => received.length === 3);
  waiting[0]?.();
  const { answers } = await talk;
  assert.deepEqual(
    answers.map(({ body }) => body),
    ['slow', '/b', '/c'],
  );
  assert.deepEqual(received, ['GET /slow', 'GET /b', 'GET /c']);
  assert.deepEqual(whole, received);
});

test('an answer that is not one text goes through a response of Node, with all that it can do', async (t) => {
  const { address, whole, received } = await run(t, (_request, response) => {
    const own = response.whole();
    assert.equal(own, response.whole());
    assert.equal(response.headersSent, false);
    own?.writeHead(200, ['set-cookie', 'a=b']);
    own?.write('one ');
    assert.equal(response.headersSent, true);
    setTimeout(() => own?.end('two'), 5);
  });
  const { answers } = await converse(address, [post('a')]);
  assert.deepEqual(
    [answers[0]?.headers['set-cookie'], answers[0]?.headers['transfer-encoding']],
    ['a=b', 'chunked'],
  );
  assert.deepEqual([whole, received], [['POST /a'], ['POST /a']]);
});

test('a plain response is over when it is written and its request has arrived in full', async (t) => {
  const responses: Response[] = [];
  const { address } = await run(t, (request, response) => {
    responses.push(response);
    request.dropBody();
    assert.equal(response.isOver, false);
    answer(response, 'early');
    assert.equal(response.isOver, false);
    assert.equal(response.whole(), undefined);
    assert.equal(response.headersSent, true);
  });
  const first = 'POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nab';
  const { answers } = await converse(address, [first, { wait_ms: 20 }, `cd${post('b')}`], { until: 2 });
  assert.equal(answers.length, 2);
  assert.equal(responses[0]?.isOver, true);
});

test('an idle connection ends after the keep-alive time, and not while an answer is due', async (t) => {
  for (const first of [GET_FIRST, post('first', 'Host: h\r\n')]) await slowAfter(t, first);
});

const GET_FIRST = 'GET /first HTTP/1.1\r\nHost: h\r\n\r\n';

/** Asks for a slow answer after another request. */
async function slowAfter(t: TestContext, first: string): Promise<void> {
  const slow_ms = KEEP_ALIVE_MS + BUFFER_MS + 500;
  const { address } = await run(t, (request, response) => {
    setTimeout(() => answer(response, 'x'), request.url === '/slow' ? slow_ms : 0);
  });
  const parts = [first, { wait_ms: 20 }, GET_FIRST.replace('first', 'slow')];
  const { answers, closed } = await converse(address, parts, { until: 'closed', timeout_ms: 15_000 });
  assert.deepEqual([answers.length, closed], [2, true]);
}

test('a request on the way of Node has the time limit of a stalled connection again', async (t) => {
  const limits: (number | undefined)[] = [];
  const { address } = await run(t, (request, response) => {
    limits.push(request.socket.timeout);
    answer(response, 'x');
  });
  const parts = [post('a'), { wait_ms: 5 }, post('b'), { wait_ms: 5 }, post('c', 'Host: h\r\n')];
  await converse(address, [...parts, { wait_ms: 5 }, post('d')], { until: 4 });
  const kept = KEEP_ALIVE_MS + BUFFER_MS;
  assert.deepEqual(limits, [kept, kept, STALL_MS, kept]);
});

test('a client that goes away while its body arrives leaves no memory taken, and an answer for it is lost', async (t) => {
  let response: Response | undefined;
  const { address, memory } = await run(t, (request, one) => {
    response = one;
    request.readBody(() => assert.fail('the body never arrives in full'));
  });
  const socket = connect(address.port, address.host);
  socket.write('POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc');
  await soon(() => memory.taken_bytes > 0);
  socket.destroy();
  await soon(() => memory.taken_bytes === 0);
  assert.ok(response?.sendReady(200, text('x'), 'x', 'latin1'));
});

test('the end of idle connections leaves one whose answer is due', async (t) => {
  let respond: (() => void) | undefined;
  const { address, server } = await run(t, (_request, response) => {
    respond = () => answer(response, 'late');
  });
  const talk = converse(address, [post('a')]);
  await soon(() => respond !== undefined);
  await nextTurn();
  server.closeIdleConnections();
  await sleep(20);
  respond?.();
  assert.equal((await talk).answers[0]?.body, 'late');
});

test('a long answer takes the way of Node, so that its connection is not idle while it is on its way', async (t) => {
  const idle: boolean[] = [];
  const { address, whole } = await run(t, (request, response) => {
    answer(response, 'x'.repeat(request.url === '/long' ? 5_000_000 : 1));
    idle.push(response.isOver);
  });
  await converse(address, ['GET /a HTTP/1.1\r\nHost: h\r\n\r\n']);
  await converse(address, ['GET /long HTTP/1.1\r\nHost: h\r\n\r\n']);
  assert.deepEqual(whole, ['GET /long']);
  assert.equal(idle[1], false);
});

test('requests of a client that does not read take the way of Node, which stops reading from it', async (t) => {
  const { address, whole } = await run(t, (_request, response) => answer(response, 'x'.repeat(60_000)));
  const socket = connect(address.port, address.host);
  socket.on('error', () => undefined);
  socket.pause();
  for (let sent = 0; whole.length === 0 && sent < 2_000; sent += 1) {
    socket.write(post('a'));
    await sleep(1);
  }
  socket.destroy();
  assert.notEqual(whole.length, 0);
});
