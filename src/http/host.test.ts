import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { converse } from '../../test/program/raw-socket.ts';
import type { EndpointRequest, EndpointResponse } from '../endpoints/contract.ts';
import { NotFound, OAuthError, TooManyRequests } from '../spec/errors.ts';
import { GET, ok, type Running, runHost, soon } from '../testing/host.ts';
import { test } from '../testing/messages.ts';

test('the endpoint gets segment, query and body exactly as they were sent', async (t, messages) => {
  let seen: EndpointRequest | undefined;
  const { address } = await runHost(
    t,
    messages,
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

test('a body of exactly the limit is read, also in many pieces', async (t, messages) => {
  const { address } = await runHost(t, messages, ({ body }) => ({ ...ok, body: String(body.length) }), {
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

test('Content-Length counts bytes, not characters', async (t, messages) => {
  const { address } = await runHost(t, messages, () => ({ ...ok, body: '"é€😀"' }));
  const { answers } = await converse(address, [GET]);
  assert.equal(Buffer.from(answers[0]?.body ?? '', 'latin1').toString(), '"é€😀"');
});

test('a request refused for its broken body gets no second answer from its endpoint', async (t, messages) => {
  const { promise, resolve } = Promise.withResolvers<EndpointResponse>();
  const { address, errors } = await runHost(t, messages, () => promise);
  const broken = GET.replace('\r\n\r\n', '\r\nContent-Length: 10\r\n\r\nabc');
  const { answers } = await converse(address, [broken, { end: 'half-close' }], { until: 'closed' });
  resolve(ok);
  await new Promise((next) => setTimeout(next, 20));
  assert.deepEqual([answers.length, answers[0]?.status, errors], [1, 400, []]);
});

test('204 and 304 have no Content-Length; other statuses without a body have Content-Length 0 (RFC 9110 §8.6)', async (t, messages) => {
  let status = 204;
  const { address } = await runHost(t, messages, () => ({ status, headers: {} }));
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

test('errors carry the CORS permission too', async (t, messages) => {
  const { address } = await runHost(t, messages, () => {
    throw new NotFound();
  });
  const { answers } = await converse(address, [
    GET.replace('\r\n\r\n', '\r\nOrigin: https://a.test\r\n\r\n'),
  ]);
  assert.equal(answers[0]?.status, 404);
  assert.equal(answers[0].headers['access-control-allow-origin'], 'https://a.test');
  assert.equal(answers[0].headers['vary'], 'Origin');
});

test('a refusal is logged as one line at info with endpoint, status, detail, id and network address, and without any other part of the request (decision 46)', async (t, messages) => {
  const { address, infos, errors, observed } = await runHost(t, messages, () => {
    throw new OAuthError('invalid_client', { error_description: 'No.', detail: 'unknown client' });
  });
  await converse(address, [GET]);
  const { request_id, ...line } = infos[0] ?? {};
  assert.equal(typeof request_id, 'string');
  assert.deepEqual(line, {
    endpoint: 'list',
    status: 401,
    error: 'invalid_client',
    reason: 'invalid_client',
    detail: 'unknown client',
    address: '127.0.0.1',
  });
  assert.deepEqual([infos.length, errors.length, observed], [1, 0, [['list', 401]]]);
  assert.doesNotMatch(JSON.stringify(infos), /s%65same|a%2Fb/);
});

test('the log names the limit that refuses, and the reason of a response that tells a refusal without throwing it (decision 46)', async (t, messages) => {
  const limited = await runHost(t, messages, () => {
    throw new TooManyRequests(30, 'interaction');
  });
  await converse(limited.address, [GET]);
  const told = await runHost(t, messages, () => {
    const refused = new OAuthError('invalid_request', { error_description: 'No.', reason: 'page-over' });
    return { status: 303, headers: { location: '/' }, refused };
  });
  await converse(told.address, [GET]);
  const shown = [...limited.infos, ...told.infos].map(({ status, reason, value, address }) => ({
    status,
    reason,
    value,
    address,
  }));
  assert.deepEqual(shown, [
    { status: 429, reason: 'too_many_requests', value: { limit: 'interaction' }, address: '127.0.0.1' },
    { status: 303, reason: 'page-over', value: undefined, address: '127.0.0.1' },
  ]);
});

test('an unknown error is answered 500 without a body and logged as one line at error with its cause', async (t, messages) => {
  const cause = new Error('disk on fire');
  for (const handle of [
    () => {
      throw cause;
    },
    () => Promise.reject(cause),
  ]) {
    const { address, errors, observed } = await runHost(t, messages, handle);
    const { answers } = await converse(address, [GET]);
    assert.deepEqual([answers[0]?.status, answers[0]?.body], [500, '']);
    assert.deepEqual([errors.length, errors[0]?.['cause'], observed], [1, cause, [['list', 500]]]);
  }
});

test('a header value that cannot be sent is answered 500, and the process goes on', async (t, messages) => {
  const { address, errors } = await runHost(t, messages, () => ({
    status: 200,
    headers: { location: 'a\r\nb' },
  }));
  const { answers } = await converse(address, [GET]);
  assert.equal(answers[0]?.status, 500);
  assert.equal(errors.length, 1);
});

test('a client that goes away before its answer causes no error', async (t, messages) => {
  const { promise, resolve } = Promise.withResolvers<EndpointResponse>();
  let begun = false;
  const { address, errors, observed } = await runHost(t, messages, () => {
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

test('close waits for running requests and accepts no new connection', async (t, messages) => {
  const { promise, resolve } = Promise.withResolvers<EndpointResponse>();
  let begun = false;
  const { address, host } = await runHost(
    t,
    messages,
    () => {
      begun = true;
      return promise;
    },
    { closeTimeout: 30_000 },
  );
  const underway = converse(address, [GET], { until: 'closed' });
  await soon(() => begun);
  const closed = host.close();
  await untilRefused(address);
  resolve(ok);
  const { answers } = await underway;
  assert.equal(answers[0]?.status, 200);
  assert.equal(answers[0].headers['connection'], 'close');
  await closed;
});

/** Resolves when the address takes no more connections. */
async function untilRefused(address: Running['address']): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    const socket = connect(address);
    const refused = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(false)).on('error', () => resolve(true));
    });
    socket.destroy();
    if (refused) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail('the host still listens');
}

test('close answers each request that the kernel has accepted, and announces the end of its connection (H-248)', async (t, messages) => {
  const { address, host } = await runHost(t, messages, () => ok, { closeTimeout: 30_000 });
  const waiting = Array.from({ length: 30 }, () => converse(address, [GET], { until: 'closed' }));
  // Node asks the kernel for the connections in the next tick, and the kernel makes them at once.
  await new Promise((resolve) => process.nextTick(resolve));
  const closed = host.close();
  for (const { answers } of await Promise.all(waiting)) {
    assert.deepEqual([answers[0]?.status, answers[0]?.headers['connection']], [200, 'close']);
  }
  await closed;
});

test('close answers another request on a connection that was idle for a moment, and announces its end (H-248)', async (t, messages) => {
  const { address, host } = await runHost(t, messages, () => ok, { closeTimeout: 30_000 });
  const socket = connect(address);
  const ended = new Promise((resolve) => socket.on('close', resolve));
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece.toLowerCase();
  });
  socket.write(GET);
  await soon(() => text.endsWith('{}'));
  const closed = host.close();
  socket.write(GET);
  await Promise.all([closed, ended]);
  assert.deepEqual(text.match(/connection: [a-z-]+|http\/1\.1 \d+/gu), [
    'http/1.1 200',
    'connection: keep-alive',
    'http/1.1 200',
    'connection: close',
  ]);
});

test('close ends the connection of a stream that began before, when the stream ends (H-248)', async (t, messages) => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const body = async function* (): AsyncGenerator<string> {
    yield '[';
    yield await promise;
  };
  const { address, host } = await runHost(t, messages, () => ({ ...ok, body: body() }), {
    closeTimeout: 3_600_000,
  });
  const socket = connect(address);
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
  });
  const ended = new Promise((resolve) => socket.on('close', resolve));
  socket.write(GET);
  await soon(() => text.includes('['));
  const closed = host.close();
  await untilRefused(address);
  // By now the host has ended the connections that were idle.
  await new Promise((next) => setTimeout(next, 300));
  resolve(']');
  await Promise.all([closed, ended]);
  assert.match(text, /\r\n0\r\n\r\n$/);
});

test('close does not wait for connections that never sent a byte', async (t, messages) => {
  const { address, host, observed } = await runHost(t, messages, () => ok, { closeTimeout: 30_000 });
  const silent = connect(address);
  const ended = new Promise((resolve) => silent.on('close', resolve));
  silent.resume();
  await converse(address, [GET]);
  assert.equal(observed.length, 1);
  await host.close();
  await ended;
});

test('close cuts the connections of requests that run past its deadline', async (t, messages) => {
  let begun = false;
  const { address, host } = await runHost(t, messages, () => {
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

test('startHost rejects with EADDRINUSE if the port is taken', async (t, messages) => {
  const { address } = await runHost(t, messages, () => ok);
  await assert.rejects(
    runHost(t, messages, () => ok, { port: address.port }),
    { code: 'EADDRINUSE' },
  );
});

test('close ends idle keep-alive connections at once, and a second call waits for the same end', async (t, messages) => {
  const { address, host, observed } = await runHost(t, messages, () => ok);
  const idle = converse(address, [GET], { until: 'closed' });
  await soon(() => observed.length === 1);
  const started = performance.now();
  await Promise.all([host.close(), host.close()]);
  assert.equal((await idle).closed, true);
  assert.ok(performance.now() - started < 250, 'an idle connection held up the close');
});

test('after its end the port of a host is free', async (t, messages) => {
  const { host, address } = await runHost(t, messages, () => ok, { acceptors: 8 });
  const asked = Array.from({ length: 20 }, async () => await converse(address, [GET]));
  for (const { answers } of await Promise.all(asked)) assert.equal(answers[0]?.status, 200);
  await host.close();
  assert.equal((await runHost(t, messages, () => ok, { port: address.port })).address.port, address.port);
});
