import type { ClientCertificate } from '../spec/client-certificate.ts';
import type { ErrorCode } from '../spec/errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * What an endpoint promises, as data: the router, the documentation and the tests read it.
 */
export interface Contract {
  readonly name: string;
  readonly method: Method;
  /** Below the issuer; `{id}` stands for one path segment. */
  readonly path: string;
  readonly specifications: readonly string[];
  /** The member of the provider metadata that names this endpoint's address (RFC 8414 §2). */
  readonly advertisedAs?: string;
  readonly statuses: readonly number[];
  /** How an `OAuthError` becomes a response: `page` is for a person, in a browser. */
  readonly errors: 'json' | 'bearer-challenge' | 'page';
  /** Where this endpoint answers a code with another status than `ERROR_CODES` says. */
  readonly errorStatuses?: Readonly<Partial<Record<ErrorCode, number>>>;
  /**
   * `any`: every origin, without credentials. `configured`: the origins a setting names (decision 40). `none`: nobody's scripts,
   * for what browsers are led to (RFC 9700 §2.6).
   */
  readonly cors: 'any' | 'configured' | 'none';
  /** Which body the endpoint reads. */
  readonly body: 'none' | 'json' | 'form' | 'statement';
  /** Clients call it with their certificates: it has an alias where those are asked for (RFC 8705 §5). */
  readonly certificates?: true;
}

/** The part of a request that endpoints see: plain data, nothing decoded but the header names. */
export interface EndpointRequest {
  /** As it was sent: HEAD is handled where GET is. */
  readonly method: string;
  /** The path segment that stands for `{id}`, still percent-encoded; `''` where the path has none. */
  readonly segment: string;
  /** Names in lower case; no prototype. Repeated security-relevant headers never get here. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Without the question mark, still percent-encoded. */
  readonly query: string;
  readonly body: Uint8Array;
  /** Names the request in the log and the audit. */
  readonly id: string;
  /** The peer's address, or the client's as a trusted proxy names it. */
  readonly remoteAddress: string;
  /** The certificate that the caller proved to hold; undefined for all who show none. */
  readonly clientCertificate: ClientCertificate | undefined;
}

export interface EndpointResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, which alone may come more than once (RFC 9110 §5.3). */
  readonly cookies?: readonly string[];
  /** Chunks of a stream are written with back-pressure. */
  readonly body?: string | AsyncIterable<string>;
}

/** What a person is told who made a request that failed. */
export interface Failure {
  readonly status: number;
  readonly error: ErrorCode | 'not_found';
  /** What went wrong, for whoever may see it. */
  readonly words: string;
  /** Seconds after which to come again. */
  readonly retryAfter?: number;
}

export interface Endpoint {
  readonly contract: Contract;
  /** Renders errors where the contract says `page`. */
  readonly errorPage?: (request: EndpointRequest, failure: Failure) => EndpointResponse;
  handle(request: EndpointRequest): EndpointResponse | Promise<EndpointResponse>;
}
