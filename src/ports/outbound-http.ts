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
  /** Too many fetches are running, from this host or in total. This one has not begun. */
  | 'busy'
  /** The fetch ran, and gave its slot to a party with fewer fetches. */
  | 'gave-way'
  /** The same fetch failed a short while ago. */
  | 'recently-failed';

export interface OutboundProblem {
  readonly reason: OutboundFailure;
  /** For the log only: it may reveal addresses of the internal network. */
  readonly detail: string;
  /**
   * Seconds after which a retry may succeed. Present if the failure says nothing about the document: this server was busy,
   * or the other one gave no answer, or an answer that asks for a retry (RFC 9110 §15.6).
   */
  readonly retryAfter?: number;
}

/** The purposes of fetches. Each one has a budget of its own (decision 50). */
export const FETCH_PURPOSES = [
  /** Keys that verify what a client signed, or its certificate. */
  'client-keys',
  /** Keys that a response to an authenticated client is encrypted with. */
  'encryption-keys',
  'sector-identifiers',
  /** Entity statements of a federation. */
  'statements',
  /** Entity statements of clients that the server resolves again on its own. */
  'renewals',
  /** Keys of configured issuers: of software statements and of assertions. */
  'trusted-issuers',
  /** Back-channel logout. */
  'logout',
  /** Notifications of clients without a browser (CIBA). */
  'backchannel',
  /** Client ID Metadata Documents. */
  'client-documents',
  /** Logos of clients for pages. */
  'logos',
  /** Request objects of authorisation requests. */
  'request-objects',
  /** Deliveries of audit events to webhooks of operators. */
  'webhooks',
  /** Deliveries of security events to streams of clients. */
  'signals',
] as const;

export type FetchPurpose = (typeof FETCH_PURPOSES)[number];

/** The cause of a fetch. The outbound client shares its slots between purposes, networks and parties (decision 50). */
export interface FetchCause {
  readonly purpose: FetchPurpose;
  /** The IP address of the request that causes the fetch; undefined if the server causes it. */
  readonly remoteAddress: string | undefined;
  /** The owner of the documents, such as an entity. Absent: each URL counts as a party. */
  readonly party?: string;
}

/** The headers of a response that say how long it may be used again, and how to ask whether it changed (RFC 9111 §5, RFC 9110 §8.8.3). */
export type CachingHeaders = Readonly<
  Partial<Record<'age' | 'cache-control' | 'date' | 'etag' | 'expires' | 'vary', string>>
>;

export type Fetched =
  | {
      readonly status: 'ok';
      /** Empty if the document is unchanged. */
      readonly body: Uint8Array;
      readonly mediaType: string;
      readonly caching?: CachingHeaders;
      /** Present if the document is the one that `etag` of the expectation names (RFC 9110 §15.4.5). */
      readonly unchanged?: true;
    }
  | ({ readonly status: 'failed' } & OutboundProblem);

export interface Expectation {
  /** Accepted types in lower case, without parameters, sent as `Accept`. Charsets other than UTF-8 are refused. */
  readonly mediaTypes: readonly string[];
  /** Whether every type that ends in `+json` is accepted too (RFC 6839 §3.1). */
  readonly anyJson?: boolean;
  /** The maximum size of the document in bytes, instead of `outbound.body-limit`. */
  readonly bodyMax?: number;
  /** The caller remembers failures by its own rules: the fetch begins even if it failed a short while ago. */
  readonly forgetsFailures?: boolean;
  /** The entity tag of a copy that the caller has. */
  readonly etag?: string;
}

/** The status of another server's response to a form, or the reason why there is none. */
export type Posted =
  | { readonly status: 'answered'; readonly code: number }
  | ({ readonly status: 'failed' } & OutboundProblem);

export interface PostedBody {
  /** With `content-type`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Posts forms to other servers, under the same rules and limits as fetches. */
export interface OutboundForms {
  /** Posts a form and reads the document that answers it. Never rejects, remembers no failure, and follows no redirects. */
  askForm(
    url: string,
    form: Readonly<Record<string, string>>,
    expectation: Pick<Expectation, 'mediaTypes'>,
    cause: FetchCause,
  ): Promise<Fetched>;
  /** Posts a form and reads only the status code. Never rejects, and follows no redirects. */
  postForm(url: string, form: Readonly<Record<string, string>>, cause: FetchCause): Promise<Posted>;
  /** Posts a body with its headers and reads only the status code. Never rejects, and follows no redirects. */
  postBody(url: string, posted: PostedBody, cause: FetchCause): Promise<Posted>;
}

/**
 * Fetches documents from other servers: one GET, bounded in time, size and number, and never to an internal address.
 * The server has no other way to reach strangers' URLs.
 */
export interface OutboundHttp {
  /** Returns the problem of a URL that is visible without a look-up; undefined if it may be fetched. */
  urlProblem(url: string): OutboundProblem | undefined;
  /** Fetches a document. Never rejects. Concurrent calls for the same document share one fetch. */
  get(url: string, expectation: Expectation, cause: FetchCause): Promise<Fetched>;
}
