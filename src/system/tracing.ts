import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Arrival, RequestTrace, SpanAttributes, SpanKind, Tracing } from '../ports/tracing.ts';
import { parseTraceparent, type TraceContext, traceparentText } from '../spec/trace-context.ts';

/** A span that has ended. */
export interface EndedSpan {
  readonly trace_id: string;
  readonly span_id: string;
  /** Undefined for the first span of a trace. */
  readonly parent_id: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since the Unix epoch, with fractions. */
  readonly begun_ms: number;
  readonly ended_ms: number;
  readonly attributes: SpanAttributes;
  readonly failed: boolean;
}

export interface Recording {
  readonly record: (span: EndedSpan) => void;
  /** The share of traces that begin here and are recorded: 0 to 1. */
  readonly share: number;
}

const newId = (bytes: number): string => randomBytes(bytes).toString('hex');
const TRACE_BYTES = 16;
const SPAN_BYTES = 8;
const now = (): number => performance.timeOrigin + performance.now();
const FAULT_STATUS_MIN = 500;

/**
 * Follows traces through a process. Without a recording it only passes on what a caller sent, and a request without
 * `traceparent` costs one look at its headers.
 */
export function openTracing(recording?: Recording, random: () => number = Math.random): Tracing {
  const present = new AsyncLocalStorage<TraceContext>();

  const span: Tracing['span'] = (name, kind, attributes, act) => {
    const parent = present.getStore();
    if (recording === undefined || parent?.sampled !== true) return act();
    const own = { ...parent, span_id: newId(SPAN_BYTES) };
    const begun_ms = now();
    const end = (failed: boolean): void =>
      recording.record({
        ...idsOf(own, parent.span_id),
        name,
        kind,
        attributes,
        begun_ms,
        ended_ms: now(),
        failed,
      });
    return ending(() => present.run(own, act), end);
  };

  const begin = (arrival: Arrival): RequestTrace | undefined => {
    const parent = arrival.traceparent === undefined ? undefined : parseTraceparent(arrival.traceparent);
    const sampled = recording !== undefined && isSampled(parent, arrival.trusted, recording.share, random);
    if (parent === undefined && !sampled) return undefined;
    const trace_id = parent?.trace_id ?? newId(TRACE_BYTES);
    const own = { trace_id, span_id: newId(SPAN_BYTES), sampled };
    const begun_ms = now();
    return {
      run: (act) => present.run(own, act),
      end(status) {
        if (!sampled) return;
        const { method, route, request_id } = arrival;
        recording.record({
          ...idsOf(own, parent?.span_id),
          name: `${method} ${route}`,
          kind: 'server',
          begun_ms,
          ended_ms: now(),
          attributes: {
            'http.request.method': method,
            'http.route': route,
            'http.response.status_code': status,
            'chancery.request_id': request_id,
          },
          failed: status >= FAULT_STATUS_MIN,
        });
      },
    };
  };

  return {
    begin,
    span,
    traceId: () => present.getStore()?.trace_id,
    outgoing() {
      const context = present.getStore();
      return context === undefined ? undefined : traceparentText(context);
    },
  };
}

const idsOf = ({ trace_id, span_id }: TraceContext, parent_id: string | undefined) => ({
  trace_id,
  span_id,
  parent_id,
});

/** The flag of a stranger decides nothing: otherwise anyone could make the server record all. */
function isSampled(
  parent: TraceContext | undefined,
  trusted: boolean,
  share: number,
  random: () => number,
): boolean {
  return parent !== undefined && trusted ? parent.sampled : random() < share;
}

/** Runs an act and calls `end` when it, or what it promises, is over. */
function ending<T>(act: () => T, end: (failed: boolean) => void): T {
  let result: T;
  try {
    result = act();
  } catch (failure) {
    end(true);
    throw failure;
  }
  if (result instanceof Promise)
    result.then(
      () => end(false),
      () => end(true),
    );
  else end(false);
  return result;
}
