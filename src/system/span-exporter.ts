import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { SpanKind } from '../ports/tracing.ts';
import type { EndedSpan } from './tracing.ts';

export interface SpanExporterNeeds {
  /** The address of the collector for traces, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly endpoint: string;
  /** Members of the resource: `service.name` and others. */
  readonly resource: Readonly<Record<string, string>>;
  readonly count: (outcome: 'exported' | 'failed' | 'dropped', spans: number) => void;
  readonly interval_ms?: number;
  readonly timeout_ms?: number;
  readonly queue_max?: number;
}

export interface SpanExporter {
  readonly record: (span: EndedSpan) => void;
  /** Sends what waits, once, and stops. */
  close(): Promise<void>;
}

const INTERVAL_MS = 2_000;
const TIMEOUT_MS = 5_000;
/** Spans that wait at most, and spans of one request. */
const QUEUE_MAX = 4_096;
const BATCH_MAX = 512;

/**
 * Sends spans to a collector in batches: OTLP/HTTP with JSON. The queue is bounded and one request is under way at a time, so a
 * collector that hangs or refuses costs spans and nothing else. A batch that fails is not sent again.
 */
export function openSpanExporter(needs: SpanExporterNeeds): SpanExporter {
  const { endpoint, count, queue_max = QUEUE_MAX, timeout_ms = TIMEOUT_MS } = needs;
  const head = { attributes: attributesOf(needs.resource) };
  let queue: EndedSpan[] = [];
  let sending: Promise<void> | undefined;

  const send = async (): Promise<void> => {
    const batch = queue.slice(0, BATCH_MAX);
    queue = queue.slice(BATCH_MAX);
    if (batch.length === 0) return;
    const scopeSpans = [{ scope: { name: 'chancery' }, spans: batch.map(spanJson) }];
    const body = JSON.stringify({ resourceSpans: [{ resource: head, scopeSpans }] });
    try {
      await post(endpoint, body, timeout_ms);
      count('exported', batch.length);
    } catch {
      count('failed', batch.length);
    }
  };
  const flush = (): void => {
    if (sending !== undefined || queue.length === 0) return;
    sending = send().finally(() => {
      sending = undefined;
      if (queue.length >= BATCH_MAX) flush();
    });
  };
  const timer = setInterval(flush, needs.interval_ms ?? INTERVAL_MS);
  timer.unref();
  return {
    record(span) {
      if (queue.length >= queue_max) return count('dropped', 1);
      queue.push(span);
      if (queue.length >= BATCH_MAX) flush();
    },
    async close() {
      clearInterval(timer);
      await sending;
      await send();
    },
  };
}

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;

function spanJson(span: EndedSpan): object {
  const { trace_id, span_id, parent_id, name, kind, begun_ms, ended_ms, attributes, failed } = span;
  return {
    traceId: trace_id,
    spanId: span_id,
    ...(parent_id === undefined ? {} : { parentSpanId: parent_id }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(begun_ms),
    endTimeUnixNano: nanoseconds(ended_ms),
    attributes: attributesOf(attributes),
    status: failed ? { code: STATUS_ERROR } : {},
  };
}

/** JSON of OTLP has 64-bit numbers as text. */
const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds * 1_000)}000`;

const attributesOf = (attributes: Readonly<Record<string, string | number>>): readonly object[] =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));

const OK_MAX = 299;

async function post(endpoint: string, body: string, timeout_ms: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = endpoint.startsWith('https:') ? httpsRequest : httpRequest;
  const length = Buffer.byteLength(body);
  const sent = request(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': length },
    signal: AbortSignal.timeout(timeout_ms),
  });
  sent.on('error', reject);
  sent.on('response', (response) => {
    response.on('error', reject).resume();
    const { statusCode = 0 } = response;
    if (statusCode <= OK_MAX) resolve();
    else reject(new Error(`the collector answered ${statusCode}`));
  });
  // The process may end meanwhile.
  sent.on('socket', (socket) => socket.unref());
  sent.end(body);
  await promise;
}
