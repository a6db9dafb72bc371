import type { ClientCertificate } from '../spec/client-certificate.ts';
import type { ErrorCode } from '../spec/errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Describes an endpoint as data. The router, the documentation and the tests read it. */
export interface Contract {
  readonly name: string;
  readonly method: Method;
  /** Below the issuer; `{id}` stands for one path segment. */
  readonly path: string;
  readonly specifications: readonly string[];
  /** The member of the provider metadata that names this endpoint's address (RFC 8414 §2). */
  readonly advertisedAs?: string;
  readonly statuses: readonly number[];
  /** The form of errors; `page` shows them to a person in a browser. */
  readonly errors: 'json' | 'bearer-challenge' | 'page';
  /** Statuses of this endpoint that differ from `ERROR_CODES`. */
  readonly errorStatuses?: Readonly<Partial<Record<ErrorCode, number>>>;
  /**
   * The origins whose scripts may call the endpoint. `any`: every origin, without credentials. `configured`: the origins of a
   * setting (decision 40). `none`: no origin, for addresses that browsers navigate to (RFC 9700 §2.6).
   */
  readonly cors: 'any' | 'configured' | 'none';
  /** The body that the endpoint reads. */
  readonly body: 'none' | 'json' | 'form' | 'statement';
  /** Clients call the endpoint with their certificates, so it has an alias at the address that requests them (RFC 8705 §5). */
  readonly certificates?: true;
}

/** The part of a request that endpoints see, as plain data; only header names are decoded. */
export interface EndpointRequest {
  /** As sent; an endpoint for GET also handles HEAD. */
  readonly method: string;
  /** The path segment that stands for `{id}`, still percent-encoded; `''` where the path has none. */
  readonly segment: string;
  /** Names in lower case, without a prototype. The HTTP edge refuses repeated security-relevant headers. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Without the question mark, still percent-encoded. */
  readonly query: string;
  readonly body: Uint8Array;
  /** Identifies the request in the log and the audit. */
  readonly id: string;
  /** The address of the peer, or the address that a trusted proxy names. */
  readonly remoteAddress: string;
  /** The certificate whose key the caller proved to hold; undefined if it sent none. */
  readonly clientCertificate: ClientCertificate | undefined;
}

export interface EndpointResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, the only header that may repeat (RFC 9110 §5.3). */
  readonly cookies?: readonly string[];
  /** Chunks of a stream are written with back-pressure. */
  readonly body?: string | Uint8Array | AsyncIterable<string>;
  /** The refusal that this response tells, if `handle` did not throw it. For the log and the counters; it is not sent. */
  readonly refused?: Error;
}

/** A failure as an error page shows it to a person. */
export interface Failure {
  readonly status: number;
  readonly error: ErrorCode | 'not_found';
  /** The reason; the page shows it only if a setting allows that. */
  readonly words: string;
  /** Seconds after which to retry. */
  readonly retryAfter?: number;
}

export interface Endpoint {
  readonly contract: Contract;
  /** Renders errors where the contract says `page`. */
  readonly errorPage?: (request: EndpointRequest, failure: Failure) => EndpointResponse;
  handle(request: EndpointRequest): EndpointResponse | Promise<EndpointResponse>;
}
