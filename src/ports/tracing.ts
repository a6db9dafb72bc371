export type SpanKind = 'internal' | 'server' | 'client';

/** Names, sizes and codes: never a value of a request, an identifier of a person, or a secret. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A request that belongs to a trace. */
export interface RequestTrace {
  /** Runs the request, and everything that it waits for, within its trace. */
  readonly run: <T>(act: () => T) => T;
  end(status: number): void;
}

export interface Arrival {
  readonly method: string;
  /** The path of the contract: `{id}` stands for a segment. */
  readonly route: string;
  readonly request_id: string;
  readonly traceparent: string | undefined;
  /** Whether the peer may decide that a trace is recorded. */
  readonly trusted: boolean;
}

export interface Tracing {
  /** Returns the trace of a request; undefined if it has none and none is recorded, which costs nothing more. */
  begin(arrival: Arrival): RequestTrace | undefined;
  /** Runs an act as a span below the present one. Outside a recorded trace it only runs it. */
  span<T>(name: string, kind: SpanKind, attributes: SpanAttributes, act: () => T): T;
  /** Returns the identifier of the present trace, 32 hexadecimal digits; undefined outside a trace. */
  traceId(): string | undefined;
  /** Returns `traceparent` for a request to another server; undefined outside a trace. */
  outgoing(): string | undefined;
}
