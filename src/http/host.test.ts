import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { converse } from '../../test/program/raw-socket.ts';
import type { Contract, Endpoint, EndpointRequest, EndpointResponse } from '../endpoints/contract.ts';
import { NotFound, OAuthError } from '../spec/errors.ts';
import type { Host } from './host.ts';
import { startHost } from './host.ts';

type Handle = (request: EndpointRequest) => EndpointResponse | Promise<EndpointResponse>;
type Line = Readonly<Record<string, unknown>>;

interface Running {
  readonly host: Host;
  readonly address: { readonly host: string; readonly port: number };
  readonly infos: Line[];
  readonly errors: Line[];
  readonly observed: [name: string, status: number][];
}

const ok: EndpointResponse = { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' };

async function run(
  t: TestContext,
  handle: Handle,
  some: Partial<Contract & { stallTimeout: number; port: number }> = {},
): Promise<Running> {
  const { stallTimeout, port = 0, ...changes } = some;
  const contract: Contract = {
    name: 'list',
    method: 'GET',
    path: '/x/{id}',
    specifications: [],
    statuses: [],
    errors: 'json',
    cors: 'configured',
    body: 'none',
    ...changes,
  };
  const endpoint: Endpoint = { contract, handle };
  const infos: Line[] = [];
  const errors: Line[] = [];
  const observed: [string, number][] = [];
  const host = await startHost({
    sites: [{ issuerPath: '', endpoints: [endpoint], allowedOrigins: ['https://a.test'] }],
    listen: {
      host: '127.0.0.1',
      port,
      maxConnections: 50,
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      checkInterval: 1_000,
      keepAliveTimeout: 60_000,
      stallTimeout: stallTimeout ?? 30_000,
      closeTimeout: 300,
    },
    limits: { body: 1_000, header: 16_384 },
    log: { info: (line) => infos.push(line), warn() {}, error: (line) => errors.push(line) },
    observe: (name, status) => observed.push([name, status]),
  });
  t.after(() => host.close());
  return { host, address: { host: '127.0.0.1', port: host.address.port }, infos, errors, observed };
}

const GET = 'GET /x/a%2Fb?token=s%65same HTTP/1.1\r\nHost: h\r\n\r\n';

async function soon(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !holds(); tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(holds(), 'did not come about within four seconds');
}

test('the endpoint gets segment and query as they were sent, and the bytes of the body', async (t) => {
  let seen: EndpointRequest | undefined;
  const { address } = await run(
    t,
    (request) => {
      seen = request;
      return ok;
    },
    { method: 'PUT', body: 'json' },
  );
  const body = Buffer.from([0xff, 0x00, 0x0d, 0x0a]);
  const { answers } = await converse(address, [
    'PUT /x/%zz?a=%zz&b HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n',
    body,
  ]);
  assert.equal(answers[0]?.body, '{}');
  assert.equal(answers[0].headers['x-content-type-options'], 'nosniff');
  assert.equal(
    answers[0].headers['etag'] ?? answers[0].headers['set-cookie'] ?? answers[0].headers['server'],
    undefined,
  );
  assert.equal(seen?.segment, '%zz');
  assert.equal(seen.query, 'a=%zz&b');
  assert.deepEqual(Buffer.from(seen.body), body);
});

test('a body at the limit is read, in however many pieces it comes', async (t) => {
  const { address } = await run(t, ({ body }) => ({ ...ok, body: String(body.length) }), {
    method: 'POST',
    path: '/x',
    body: 'form',
  });
  const pieces = Array.from({ length: 10 }, () => [`64\r\n${'a'.repeat(100)}\r\n`, { wait_ms: 2 }]).flat();
  const { answers } = await converse(address, [
    'POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n',
    ...pieces,
    '0\r\n\r\n',
  ]);
  assert.equal(answers[0]?.body, '1000');
});

test('Content-Length counts bytes, not characters', async (t) => {
  const { address } = await run(t, () => ({ ...ok, body: '"é€😀"' }));
  const { answers } = await converse(address, [GET]);
  assert.equal(Buffer.from(answers[0]?.body ?? '', 'latin1').toString(), '"é€😀"');
});

test('a request refused for its broken body is not answered again by its endpoint', async (t) => {
  const { promise, resolve } = Promise.withResolvers<EndpointResponse>();
  const { address, errors } = await run(t, () => promise);
  const broken = GET.replace('\r\n\r\n', '\r\nContent-Length: 10\r\n\r\nabc');
  const { answers } = await converse(address, [broken, { end: 'half-close' }], { until: 'closed' });
  resolve(ok);
  await new Promise((next) => setTimeout(next, 20));
  assert.deepEqual([answers.length, answers[0]?.status, errors], [1, 400, []]);
});

test('204 and 304 have no Content-Length, other statuses without a body have 0 (RFC 9110 §8.6)', async (t) => {
  let status = 204;
  const { address } = await run(t, () => ({ status, headers: {} }));
  for (const [next, length] of [
    [204, undefined],
    [304, undefined],
    [401, '0'],
  ] as const) {
    status = next;
    const { answers } = await converse(address, [GET]);
    assert.deepEqual([answers[0]?.status, answers[0]?.headers['content-length']], [status, length]);
  }
});

test('errors carry the CORS permission too', async (t) => {
  const { address } = await run(t, () => {
    throw new NotFound();
  });
  const { answers } = await converse(address, [
    GET.replace('\r\n\r\n', '\r\nOrigin: https://a.test\r\n\r\n'),
  ]);
  assert.equal(answers[0]?.status, 404);
  assert.equal(answers[0].headers['access-control-allow-origin'], 'https://a.test');
  assert.equal(answers[0].headers['vary'], 'Origin');
});

test('a refusal is one line at info: endpoint, status, detail, id; nothing of the request', async (t) => {
  const { address, infos, errors, observed } = await run(t, () => {
    throw new OAuthError('invalid_client', { error_description: 'No.', detail: 'unknown client' });
  });
  await converse(address, [GET]);
  const { request_id, ...line } = infos[0] ?? {};
  assert.equal(typeof request_id, 'string');
  assert.deepEqual(line, {
    endpoint: 'list',
    status: 401,
    error: 'invalid_client',
    detail: 'unknown client',
  });
  assert.deepEqual([infos.length, errors.length, observed], [1, 0, [['list', 401]]]);
  assert.doesNotMatch(JSON.stringify(infos), /s%65same|a%2Fb/);
});

test('an unknown error is 500 without a body, and one line at error with its cause', async (t) => {
  const cause = new Error('disk on fire');
  for (const handle of [
    () => {
      throw cause;
    },
    () => Promise.reject(cause),
  ]) {
    const { address, errors, observed } = await run(t, handle);
    const { answers } = await converse(address, [GET]);
    assert.deepEqual([answers[0]?.status, answers[0]?.body], [500, '']);
    assert.deepEqual([errors.length, errors[0]?.['cause'], observed], [1, cause, [['list', 500]]]);
  }
});

test('a header value that cannot be sent is our fault: 500, and the process lives', async (t) => {
  const { address, errors } = await run(t, () => ({ status: 200, headers: { location: 'a\r\nb' } }));
  const { answers } = await converse(address, [GET]);
  assert.equal(answers[0]?.status, 500);
  assert.equal(errors.length, 1);
});

test('a stream is written chunk by chunk, and observed at its end', async (t) => {
  const { address, observed } = await run(t, () => ({
    ...ok,
    body: (async function* () {
      yield '["é",';
      yield '2]';
    })(),
  }));
  const { answers } = await converse(address, [GET]);
  assert.equal(Buffer.from(answers[0]?.body ?? '', 'latin1').toString(), '["é",2]');
  assert.deepEqual(observed, [['list', 200]]);
});

test('HEAD of a stream takes nothing from it', async (t) => {
  let taken = 0;
  const { address } = await run(t, () => ({
    ...ok,
    body: (async function* () {
      taken++;
      yield 'x';
    })(),
  }));
  const { answers } = await converse(address, [GET.replace('GET', 'HEAD')], { head: true });
  assert.deepEqual([answers[0]?.status, answers[0]?.body, taken], [200, '', 0]);
});

test('a reader that does not read stops the iterator, and one that goes away returns it', async (t) => {
  let taken = 0;
  let returned = false;
  const { address, observed } = await run(t, () => ({
    ...ok,
    body: (async function* () {
      try {
        for (;;) {
          taken++;
          yield 'x'.repeat(65_536);
        }
      } finally {
        returned = true;
      }
    })(),
  }));
  const socket = connect(address);
  socket.pause();
  socket.write(GET);
  await soon(() => taken > 0);
  let before = -1;
  await soon(() => {
    const still = taken === before;
    before = taken;
    return still;
  });
  assert.ok(taken < 1_000, `${taken} chunks of 64 KB for a reader of none`);
  socket.resetAndDestroy();
  await soon(() => returned && observed.length === 1);
});

test('a stream to a fast reader gives every turn of the event loop its share', async (t) => {
  let chunks = 0;
  let sinceTurn = 0;
  let mostInTurn = 0;
  const { address } = await run(t, () => ({
    ...ok,
    body: (async function* () {
      for (; chunks < 200; chunks++) {
        mostInTurn = Math.max(mostInTurn, ++sinceTurn);
        yield 'x'.repeat(16_384);
      }
    })(),
  }));
  const turn = (): void => {
    sinceTurn = 0;
    if (chunks < 200) setImmediate(turn);
  };
  turn();
  const { answers } = await converse(address, [GET]);
  assert.equal(answers[0]?.body.length, 200 * 16_384);
  assert.ok(mostInTurn <= 10, `${mostInTurn} chunks of 16 KB in one turn`);
});

test('a stream that fails midway has no end: the client cannot take it for the whole', async (t) => {
  const { address, errors } = await run(t, () => ({
    ...ok,
    body: (async function* () {
      yield '[1,';
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('lost');
    })(),
  }));
  const { answers, text, closed } = await converse(address, [GET]);
  assert.equal(closed, true);
  assert.match(text, /\[1,/);
  assert.doesNotMatch(text, /\r\n0\r\n/);
  assert.equal(answers.length, 0);
  assert.match(String(errors[0]?.['cause']), /lost/);
});

test('a client that goes away before its answer leaves nothing behind', async (t) => {
  const { promise, resolve } = Promise.withResolvers<EndpointResponse>();
  let begun = false;
  const { address, errors, observed } = await run(t, () => {
    begun = true;
    return promise;
  });
  const socket = connect(address);
  socket.write(GET);
  await soon(() => begun);
  socket.resetAndDestroy();
  await new Promise((next) => setTimeout(next, 50));
  resolve(ok);
  await soon(() => observed.length === 1);
  assert.deepEqual(errors, []);
});

test('a stream that waits behind another answer is returned too when the client goes away', async (t) => {
  let returned = false;
  const { address } = await run(t, ({ segment }) => {
    if (segment !== 'stream') return new Promise(() => {});
    const chunks = async function* (): AsyncGenerator<string> {
      try {
        for (;;) yield 'x'.repeat(65_536);
      } finally {
        returned = true;
      }
    };
    return { ...ok, body: chunks() };
  });
  const socket = connect(address);
  socket.write(`${GET}GET /x/stream HTTP/1.1\r\nHost: h\r\n\r\n`);
  await new Promise((next) => setTimeout(next, 50));
  socket.resetAndDestroy();
  await soon(() => returned);
});

test('a reader that has stalled is cut', async (t) => {
  const { address, observed } = await run(
    t,
    () => ({
      ...ok,
      body: (async function* () {
        for (;;) yield 'x'.repeat(65_536);
      })(),
    }),
    { stallTimeout: 500 },
  );
  const socket = connect(address);
  socket.pause();
  socket.write(GET);
  await soon(() => observed.length === 1);
  socket.destroy();
});

test('close finishes what is under way, and takes nothing new', async (t) => {
  const { promise, resolve } = Promise.withResolvers<EndpointResponse>();
  let begun = false;
  const { address, host } = await run(t, () => {
    begun = true;
    return promise;
  });
  const underway = converse(address, [GET], { until: 'closed' });
  await soon(() => begun);
  const closed = host.close();
  await soon(() => true);
  const late = await converse(address, [GET], { timeout_ms: 1_000 });
  assert.equal(late.answers.length, 0);
  resolve(ok);
  const { answers } = await underway;
  assert.equal(answers[0]?.status, 200);
  assert.equal(answers[0].headers['connection'], 'close');
  await closed;
});

test('close cuts what is not done by its deadline', async (t) => {
  let begun = false;
  const { address, host } = await run(t, () => {
    begun = true;
    return new Promise(() => {});
  });
  const underway = converse(address, [GET], { until: 'closed' });
  const silent = connect(address);
  const half = converse(address, ['GET /x/a HTT'], { until: 'closed' });
  await soon(() => begun);
  await host.close();
  const cut = await underway;
  assert.deepEqual([cut.closed, cut.answers.length, (await half).closed], [true, 0, true]);
  silent.destroy();
});

test('startHost rejects with EADDRINUSE if the port is taken', async (t) => {
  const { address } = await run(t, () => ok);
  await assert.rejects(
    run(t, () => ok, { port: address.port }),
    { code: 'EADDRINUSE' },
  );
});

test('close ends idle keep-alive connections at once, and a second call waits for the same end', async (t) => {
  const { address, host, observed } = await run(t, () => ok);
  const idle = converse(address, [GET], { until: 'closed' });
  await soon(() => observed.length === 1);
  const started = performance.now();
  await Promise.all([host.close(), host.close()]);
  assert.equal((await idle).closed, true);
  assert.ok(performance.now() - started < 250, 'an idle connection held up the close');
});
