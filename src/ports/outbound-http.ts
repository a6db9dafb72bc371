/** Why a document was not fetched. */
export type OutboundFailure =
  /** Not a URL that all parsers read alike, or one with user information. */
  | 'invalid-url'
  | 'forbidden-scheme'
  | 'forbidden-port'
  /** A name that stands for no public host (RFC 6761), or the server's own. */
  | 'forbidden-host'
  /** A special-use address, as a literal or as what a name resolves to. */
  | 'forbidden-address'
  | 'unresolvable'
  | 'timeout'
  | 'redirected'
  | 'too-large'
  /** The answer has a content coding. */
  | 'encoded'
  | 'media-type'
  /** Any status but 200. */
  | 'status'
  /** The server was not authenticated, or no TLS connection came about. */
  | 'tls'
  | 'connection'
  /** Too many fetches are under way, to this host or in all. */
  | 'busy'
  /** The same fetch failed a short while ago. */
  | 'recently-failed';

export interface OutboundProblem {
  readonly reason: OutboundFailure;
  /** For the log only: it may say which addresses a name has in this network. */
  readonly detail: string;
}

export type Fetched =
  | { readonly status: 'ok'; readonly body: Uint8Array; readonly mediaType: string }
  | ({ readonly status: 'failed' } & OutboundProblem);

export interface Expectation {
  /** Accepted types in lower case, without parameters; sent as `Accept`. A charset other than UTF-8 is refused. */
  readonly mediaTypes: readonly string[];
}

/** What somebody else's server said to a form, or why it said nothing. */
export type Posted =
  | { readonly status: 'answered'; readonly code: number }
  | ({ readonly status: 'failed' } & OutboundProblem);

/** The one thing that is sent to others: a form, under the same rules and limits as what is fetched. */
export interface OutboundForms {
  /** Never rejects. Of the answer nothing but its status code is read; redirections are not followed. */
  postForm(url: string, form: Readonly<Record<string, string>>): Promise<Posted>;
}

/**
 * The only way out of the server: one GET of somebody else's URL, bounded in time, size and number, never to an
 * address of the inside.
 */
export interface OutboundHttp {
  /** What is wrong with a URL as far as that can be said without asking anyone; undefined when it may be fetched. */
  urlProblem(url: string): OutboundProblem | undefined;
  /** Never rejects. Parallel calls with the same arguments share one fetch. */
  get(url: string, expectation: Expectation): Promise<Fetched>;
}
