import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSpanExporter } from './span-exporter.ts';
import { type EndedSpan, openTracing } from './tracing.ts';

const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const ARRIVAL = {
  method: 'POST',
  route: '/token',
  request_id: 'r-1',
  traceparent: undefined,
  trusted: false,
};

test('a recorded request has its spans below it, also after a wait, and its fetch names the present span', async () => {
  const spans: EndedSpan[] = [];
  const tracing = openTracing({ record: (span) => void spans.push(span), share: 1 });
  const request = tracing.begin({ ...ARRIVAL, traceparent: CALLER });
  assert.ok(request !== undefined);
  const sent = await request.run(
    async () =>
      await tracing.span('outer', 'internal', { a: 1 }, async () => {
        await sleep(1);
        return tracing.span('fetch keys', 'client', {}, () => tracing.outgoing());
      }),
  );
  request.end(200);
  const [fetched, outer, whole] = spans;
  assert.deepEqual(
    spans.map(({ name }) => name),
    ['fetch keys', 'outer', 'POST /token'],
  );
  assert.equal(whole?.parent_id, 'b7ad6b7169203331');
  assert.deepEqual([outer?.parent_id, fetched?.parent_id], [whole?.span_id, outer?.span_id]);
  assert.equal(sent, `00-0af7651916cd43dd8448eb211c80319c-${fetched?.span_id}-01`);
  assert.equal(whole?.attributes['http.response.status_code'], 200);
});

test('without a recording traceparent is passed on, and a request without it belongs to no trace', () => {
  const tracing = openTracing();
  assert.equal(tracing.begin(ARRIVAL), undefined);
  const request = tracing.begin({ ...ARRIVAL, traceparent: CALLER });
  const sent = request?.run(() => tracing.span('x', 'internal', {}, () => tracing.outgoing()));
  assert.match(sent ?? '', /^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-00$/u);
  assert.equal(tracing.outgoing(), undefined);
});

for (const [trusted, share, recorded] of [
  [true, 0, true],
  [false, 0, false],
  [false, 1, true],
] as const) {
  test(`a sampled traceparent of a ${trusted ? 'trusted' : 'strange'} peer at ${share * 100} percent is ${recorded ? '' : 'not '}recorded`, () => {
    const spans: EndedSpan[] = [];
    const tracing = openTracing({ record: (span) => void spans.push(span), share }, () => 0.5);
    tracing.begin({ ...ARRIVAL, traceparent: CALLER, trusted })?.end(200);
    assert.equal(spans.length, recorded ? 1 : 0);
  });
}

test('a span that fails says so, and the failure goes on', async () => {
  const spans: EndedSpan[] = [];
  const tracing = openTracing({ record: (span) => void spans.push(span), share: 1 });
  const fail = async (): Promise<never> => await Promise.reject(new Error('away'));
  const request = tracing.begin(ARRIVAL);
  await assert.rejects(
    request?.run(() => tracing.span('storage', 'client', {}, fail)) ?? Promise.resolve(),
    /away/u,
  );
  request?.end(500);
  await sleep(0);
  assert.deepEqual(
    spans.map(({ name, failed }) => [name, failed]),
    [
      ['storage', true],
      ['POST /token', true],
    ],
  );
});

const SPAN: EndedSpan = {
  trace_id: '0af7651916cd43dd8448eb211c80319c',
  span_id: 'b7ad6b7169203331',
  parent_id: undefined,
  name: 'POST /token',
  kind: 'server',
  begun_ms: 1_800_000_000_000.25,
  ended_ms: 1_800_000_000_001.5,
  attributes: { 'http.route': '/token', 'http.response.status_code': 200 },
  failed: false,
};

async function withCollector(
  answer: RequestListener,
  act: (endpoint: string) => Promise<void>,
): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function counting() {
  const counts = { exported: 0, failed: 0, dropped: 0 };
  return { counts, count: (outcome: keyof typeof counts, spans: number) => void (counts[outcome] += spans) };
}

test('spans are sent as OTLP over HTTP in JSON, with hexadecimal ids and times as text', async () => {
  const { counts, count } = counting();
  let body = '';
  let type: string | undefined;
  await withCollector(
    (request, response) => {
      type = request.headers['content-type'];
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => response.end('{}'));
    },
    async (endpoint) => {
      const exporter = openSpanExporter({ endpoint, resource: { 'service.name': 'chancery' }, count });
      exporter.record(SPAN);
      await exporter.close();
    },
  );
  assert.deepEqual(counts, { exported: 1, failed: 0, dropped: 0 });
  assert.equal(type, 'application/json');
  assert.deepEqual(JSON.parse(body), {
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'chancery' } }] },
        scopeSpans: [
          {
            scope: { name: 'chancery' },
            spans: [
              {
                traceId: SPAN.trace_id,
                spanId: SPAN.span_id,
                name: 'POST /token',
                kind: 2,
                startTimeUnixNano: '1800000000000250000',
                endTimeUnixNano: '1800000000001500000',
                attributes: [
                  { key: 'http.route', value: { stringValue: '/token' } },
                  { key: 'http.response.status_code', value: { intValue: '200' } },
                ],
                status: {},
              },
            ],
          },
        ],
      },
    ],
  });
});

for (const [what, answer] of [
  ['refuses with 503', (_request, response) => void response.writeHead(503).end()],
  ['hangs', () => undefined],
  ['cuts the connection', (request) => void request.socket.destroy()],
] as const satisfies readonly (readonly [string, RequestListener])[]) {
  test(`a collector that ${what} costs the spans of a batch; those beyond the queue are dropped, and all are counted`, async () => {
    const { counts, count } = counting();
    await withCollector(answer, async (endpoint) => {
      const exporter = openSpanExporter({ endpoint, resource: {}, count, timeout_ms: 100, queue_max: 5 });
      for (let span = 0; span < 8; span += 1) exporter.record(SPAN);
      await exporter.close();
    });
    assert.deepEqual(counts, { exported: 0, failed: 5, dropped: 3 });
  });
}
