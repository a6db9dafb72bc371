/** The place of a request in a trace (W3C Trace Context §3.2). */
export interface TraceContext {
  /** 32 hexadecimal digits in lower case. */
  readonly trace_id: string;
  /** The identifier of the present span: 16 hexadecimal digits in lower case. */
  readonly span_id: string;
  readonly sampled: boolean;
}

/** Version 00. A later version may have more after the flags (§3.2.4). */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x21-\x7e]*)?$/u;
/** A later version may be longer, but no caller needs more. */
const LENGTH_MAX = 512;
const SAMPLED = 1;

/**
 * Reads `traceparent`; undefined for anything malformed. §3.2.2: "If parsing fails, the vendor creates a new traceparent and
 * deletes tracestate."
 */
export function parseTraceparent(text: string): TraceContext | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  const [, version, trace_id = '', span_id = '', flags = '', more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/u.test(trace_id) || /^0+$/u.test(span_id)) return undefined;
  return { trace_id, span_id, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export const traceparentText = ({ trace_id, span_id, sampled }: TraceContext): string =>
  `00-${trace_id}-${span_id}-${sampled ? '01' : '00'}`;
