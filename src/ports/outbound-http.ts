/** The reason why a document was not fetched. */
export type OutboundFailure =
  /** Not a URL that all parsers read the same way, or one with user information. */
  | 'invalid-url'
  | 'forbidden-scheme'
  | 'forbidden-port'
  /** A special-use name (RFC 6761), or the server's own host. */
  | 'forbidden-host'
  /** A special-use address, given as a literal or resolved from a name. */
  | 'forbidden-address'
  | 'unresolvable'
  | 'timeout'
  | 'redirected'
  | 'too-large'
  /** The response has a content coding. */
  | 'encoded'
  | 'media-type'
  /** Any status but 200. */
  | 'status'
  /** TLS failed, or the server's certificate was not valid. */
  | 'tls'
  | 'connection'
  /** Too many fetches are running, from this host or in total. */
  | 'busy'
  /** The same fetch failed a short while ago. */
  | 'recently-failed';

export interface OutboundProblem {
  readonly reason: OutboundFailure;
  /** For the log only: it may reveal addresses of the internal network. */
  readonly detail: string;
}

export type Fetched =
  | { readonly status: 'ok'; readonly body: Uint8Array; readonly mediaType: string }
  | ({ readonly status: 'failed' } & OutboundProblem);

export interface Expectation {
  /** Accepted types in lower case, without parameters, sent as `Accept`. Charsets other than UTF-8 are refused. */
  readonly mediaTypes: readonly string[];
}

/** The status of another server's response to a form, or the reason why there is none. */
export type Posted =
  | { readonly status: 'answered'; readonly code: number }
  | ({ readonly status: 'failed' } & OutboundProblem);

/** Posts forms to other servers, under the same rules and limits as fetches. */
export interface OutboundForms {
  /** Posts a form and reads only the status code. Never rejects, and follows no redirects. */
  postForm(url: string, form: Readonly<Record<string, string>>): Promise<Posted>;
}

/**
 * Fetches documents from other servers: one GET, bounded in time, size and number, and never to an internal address.
 * The server has no other way to reach strangers' URLs.
 */
export interface OutboundHttp {
  /** Returns the problem of a URL that is visible without a look-up; undefined if it may be fetched. */
  urlProblem(url: string): OutboundProblem | undefined;
  /** Fetches a document. Never rejects. Concurrent calls with the same arguments share one fetch. */
  get(url: string, expectation: Expectation): Promise<Fetched>;
}
