import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { attackedProgram } from './attacked-program.ts';

/** docs/contract/hostile/watching.md. */
interface Span {
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

const received: Span[] = [];
let hangs = false;
const collector: Server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    if (hangs) return;
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
    };
    received.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
    response.end('{}');
  });
});
collector.listen(0, '127.0.0.1');
const endpoint = `http://127.0.0.1:${await listeningPort(collector)}/v1/traces`;

const recording = attackedProgram({
  environment: { CHANCERY_TRACING_ENDPOINT: endpoint, CHANCERY_TRACING_SAMPLE_PERCENT: '100' },
});
const sparing = attackedProgram({
  environment: { CHANCERY_TRACING_ENDPOINT: endpoint, CHANCERY_TRACING_SAMPLE_PERCENT: '0' },
});

after(() => {
  collector.closeAllConnections();
  collector.close();
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const KEYS = { method: 'GET', path: '/jwks.json' };

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50);
}

async function counted(outcome: string): Promise<number> {
  const text = await (await fetch(`${recording.program.managementUrl}/metrics`)).text();
  const line = new RegExp(`^chancery_trace_spans_total\\{outcome="${outcome}"\\} (\\d+)$`, 'mu').exec(text);
  return Number(line?.[1] ?? 0);
}

const MALFORMED = [
  '00-zz-00-01',
  `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`,
  `ff-${TRACE}-00f067aa0ba902b7-01`,
  `00-${TRACE}-00f067aa0ba902b7-01, 00-${TRACE}-00f067aa0ba902b7-01`,
] as const;

test('H-475 a malformed traceparent changes no answer, and the request begins a trace of its own', async () => {
  const plain = await recording.send(KEYS);
  for (const text of MALFORMED) {
    const { status, body } = await recording.send({ ...KEYS, headers: `traceparent: ${text}\r\n` });
    assert.deepEqual([status, body], [plain.status, plain.body], text);
  }
  await until(() => received.filter(({ name }) => name === 'GET /jwks.json').length >= MALFORMED.length);
  assert.ok(
    received.every(
      ({ traceId, parentSpanId, name }) =>
        name !== 'GET /jwks.json' || (parentSpanId === undefined && traceId !== TRACE),
    ),
  );
});

test('H-476 a traceparent and a tracestate of thousands of characters, or sent twice, change no answer', async () => {
  const plain = await recording.send(KEYS);
  const long = 'a'.repeat(6_000);
  for (const headers of [
    `traceparent: 01-${TRACE}-00f067aa0ba902b7-01-${long}\r\n`,
    `traceparent: ${long}\r\n`,
    `traceparent: 00-${TRACE}-00f067aa0ba902b7-01\r\ntracestate: k=${long}\r\n`,
    `traceparent: 00-${TRACE}-00f067aa0ba902b7-01\r\ntraceparent: 00-${TRACE}-00f067aa0ba902b7-01\r\n`,
  ]) {
    const { status, body } = await recording.send({ ...KEYS, headers });
    assert.deepEqual([status, body], [plain.status, plain.body], headers.slice(0, 60));
  }
});

test('the line of a refusal names the trace of the request, as its spans do', async () => {
  const unknown = { method: 'POST', path: '/token/revoke', bearer: 'x'.repeat(20) };
  await sparing.send({ ...unknown, headers: `traceparent: 00-${TRACE}-00f067aa0ba902b7-00\r\n` });
  await sparing.program.printed(
    new RegExp(`"msg":"refused".*${TRACE}|"trace_id":"${TRACE}".*"refused"`, 'u'),
  );
});

test('H-477 a stranger who marks each request as sampled makes the server record none', async () => {
  // Spans of the tests before may come late: they have other traces.
  const own = TRACE.replaceAll('4', '5');
  const headers = `traceparent: 00-${own}-00f067aa0ba902b7-01\r\n`;
  for (let request = 0; request < 20; request += 1)
    assert.equal((await sparing.send({ ...KEYS, headers })).status, 200);
  const text = await (await fetch(`${sparing.program.managementUrl}/metrics`)).text();
  assert.doesNotMatch(text, /^chancery_trace_spans_total\{/mu);
  assert.ok(received.every(({ traceId }) => traceId !== own));
});

test('H-479 spans of a registration and of a token hold no secret, no token and no client; they have storage, authentication and signing below the request', async () => {
  const { masterToken } = recording.program;
  const metadata = { grant_types: ['client_credentials'], chancery_access_token_format: 'self-contained' };
  const registered = await recording.send({
    method: 'POST',
    path: '/clients',
    bearer: masterToken,
    headers: 'Content-Type: application/json\r\n',
    body: JSON.stringify(metadata),
  });
  const { client_id, client_secret } = registered.json;
  const basic = Buffer.from(`${String(client_id)}:${String(client_secret)}`).toString('base64');
  const token = await recording.send({
    method: 'POST',
    path: '/token',
    authorization: `Basic ${basic}`,
    headers: 'Content-Type: application/x-www-form-urlencoded\r\n',
    body: 'grant_type=client_credentials',
  });
  assert.equal(token.status, 200, token.body);
  // A batch may come before the one that was sent earlier.
  await until(() => received.some(({ name }) => name === 'storage clients.create'));
  await until(() => {
    const traceId = received.find(({ name }) => name === 'POST /token')?.traceId;
    const names = new Set(received.filter((span) => span.traceId === traceId).map(({ name }) => name));
    return ['POST /token', 'authenticate client', 'sign'].every((name) => names.has(name));
  });
  const text = JSON.stringify(received);
  for (const secret of [
    masterToken,
    client_id,
    client_secret,
    token.json['access_token'],
    ...recording.secrets,
  ])
    assert.ok(!text.includes(String(secret)), 'a span holds a secret');
});

test('H-478 a collector that hangs, and then refuses, costs spans that are counted; every request is answered', async () => {
  hangs = true;
  for (let request = 0; request < 50; request += 1) assert.equal((await recording.send(KEYS)).status, 200);
  // The collector is gone while a batch is under way: the batch fails, and the next ones are refused.
  await until(async () => (await counted('exported')) > 0);
  await sleep(2_500);
  collector.closeAllConnections();
  collector.close();
  for (let request = 0; request < 20; request += 1) assert.equal((await recording.send(KEYS)).status, 200);
  await until(async () => (await counted('failed')) >= 70);
});
