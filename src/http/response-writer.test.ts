import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { converse } from '../../test/program/raw-socket.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../endpoints/contract.ts';
import { test } from '../testing/messages.ts';
import { startHost } from './host.ts';
import type { Messages } from './messages.ts';
import { BodyMemory } from './request-body.ts';

type Handle = (request: EndpointRequest) => EndpointResponse | Promise<EndpointResponse>;

const HEADERS = Object.freeze({ 'content-type': 'application/json', vary: 'Accept' });

async function run(
  t: TestContext,
  messages: Messages,
  handle: Handle,
): Promise<{ host: string; port: number }> {
  const endpoint: Endpoint = {
    contract: {
      name: 'form',
      method: 'POST',
      path: '/x',
      specifications: [],
      purpose: 'Tests.',
      credentials: ['none'],
      answers: {},
      statuses: [],
      errors: 'json',
      cors: 'configured',
      body: 'form',
    },
    handle,
  };
  const reading: Endpoint = { contract: { ...endpoint.contract, method: 'GET', body: 'none' }, handle };
  const host = await startHost({
    sites: [{ issuerPath: '', endpoints: [endpoint, reading], allowedOrigins: ['https://a.test'] }],
    listen: {
      host: '127.0.0.1',
      port: 0,
      maxConnections: 50,
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      checkInterval: 1_000,
      keepAliveTimeout: 61_500,
      closeTimeout: 300,
    },
    limits: { body: 1_000, bodies: new BodyMemory(1_000), header: 16_384 },
    log: { info() {}, warn() {}, error() {} },
    observe: () => undefined,
    messages,
  });
  t.after(() => host.close());
  return { host: '127.0.0.1', port: host.address.port };
}

const request = (body: string, lines = '', method = 'POST'): string =>
  `${method} /x HTTP/1.1\r\nHost: h\r\n${lines}Content-Length: ${body.length}\r\n\r\n${body}`;

const echo: Handle = ({ body }) => ({ status: 200, headers: HEADERS, body: Buffer.from(body).toString() });

test('frozen headers give the same answer as others, byte for byte except for the order of the lines', async (t, messages) => {
  const answer = async (headers: Readonly<Record<string, string>>, lines = ''): Promise<string[]> => {
    const address = await run(t, messages, () => ({ status: 201, headers, body: '"é"' }));
    const { text } = await converse(address, [request('a', lines), request('b', lines)], { until: 2 });
    return text
      .replaceAll(/date: [^\r]*/gi, 'date')
      .split(/\r\n/)
      .map((line) => line.replace(/^[\w-]+:/, (name) => name.toLowerCase()))
      .sort();
  };
  assert.deepEqual(await answer(HEADERS), await answer({ ...HEADERS }));
  const origins = 'Origin: https://a.test\r\n';
  assert.deepEqual(await answer(HEADERS, origins), await answer({ ...HEADERS }, origins));
});

test('pipelined answers keep their order when an earlier one is slow', async (t, messages) => {
  const address = await run(t, messages, (asked) => {
    const text = Buffer.from(asked.body).toString();
    if (text !== 'slow') return echo(asked);
    return new Promise((resolve) =>
      setTimeout(() => resolve({ status: 200, headers: HEADERS, body: text }), 30),
    );
  });
  const { answers } = await converse(
    address,
    [['a', 'slow', 'b', 'c'].map((body) => request(body)).join('')],
    {
      until: 4,
    },
  );
  assert.deepEqual(
    answers.map(({ body }) => body),
    ['a', 'slow', 'b', 'c'],
  );
});

test('complete requests before a broken one are answered before the connection ends', async (t, messages) => {
  const address = await run(t, messages, echo);
  const { answers } = await converse(address, [`${request('a')}${request('b')}\0\r\n\r\n`], {
    until: 'closed',
  });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
});

test('HTTP/1.0, Connection: close and HEAD are answered as their senders understand it', async (t, messages) => {
  const address = await run(t, messages, echo);
  const old = await converse(address, [request('a').replace('1.1', '1.0')], { until: 'closed' });
  assert.deepEqual([old.answers[0]?.body, old.answers[0]?.headers['connection']], ['a', 'close']);
  const last = await converse(address, [request('a', 'Connection: close\r\n')], { until: 'closed' });
  assert.deepEqual([last.answers[0]?.body, last.answers[0]?.headers['connection']], ['a', 'close']);
  const head = await converse(address, [request('', '', 'HEAD')], { head: true });
  assert.deepEqual([head.answers[0]?.status, head.text.endsWith('\r\n\r\n')], [200, true]);
});

test('frozen headers that cannot be sent are answered 500', async (t, messages) => {
  const headers = Object.freeze({ location: 'a\r\nb' });
  const address = await run(t, messages, () => ({ status: 200, headers, body: '{}' }));
  const { answers } = await converse(address, [request('a'), request('a')], { until: 2 });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [500, 500],
  );
});

test('a body that the endpoint does not want is skipped, and the next request is read', async (t, messages) => {
  const address = await run(t, messages, () => ({ status: 200, headers: HEADERS, body: '{}' }));
  const { answers } = await converse(address, [request('a'.repeat(900), '', 'GET'), request('a')], {
    until: 2,
  });
  assert.equal(answers.length, 2);
});
