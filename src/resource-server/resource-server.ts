import { createHash } from 'node:crypto';
import type { AccessToken, TokenFacts } from './access-token.ts';
import { type Adapters, adaptersOf } from './adapters.ts';
import { authorizationServer, type Credentials } from './authorization-server.ts';
import { type Refusal, type RefusalWords, refusalOf } from './challenge.ts';
import { type DpopOptions, type DpopProofs, openDpopProofs } from './dpop.ts';
import { type FeedNeeds, followFeed } from './feed.ts';
import { SIGNING_ALGORITHMS } from './jws.ts';
import { openKeySet } from './key-set.ts';
import { openRevocations } from './revocations.ts';
import { openTokenCheck } from './token-check.ts';

export type { AccessToken } from './access-token.ts';
export type { Adapters } from './adapters.ts';
export type { Credentials } from './authorization-server.ts';
export type { Refusal } from './challenge.ts';
export type { DpopOptions } from './dpop.ts';

export interface ResourceServerOptions {
  /** The issuer, without a slash at its end. */
  readonly issuer: string;
  /** The names of this API in `aud`. A token for none of them is refused. */
  readonly audience: string | readonly string[];
  /** A client with the introspection scope, or an access token with it. */
  readonly credentials: Credentials;
  /** The origin at which clients call this API, for DPoP proofs; that of the first audience by default. */
  readonly origin?: string | undefined;
  /** The address of the protected resource metadata of this API (RFC 9728 §5.1). */
  readonly resourceMetadata?: string | undefined;
  /** `false`: no feed is followed, and each request is introspected. */
  readonly feed?: boolean | undefined;
  /**
   * Seconds; 5 by default. A feed that says nothing for longer counts as cut. While the server cannot be asked either, a token is
   * accepted for so long after the last word of the feed.
   */
  readonly staleness?: number | undefined;
  /** Tokens that are remembered; 10,000 by default. */
  readonly tokens?: number | undefined;
  /** Ended tokens and clients that are remembered; 100,000 by default. */
  readonly ends?: number | undefined;
  /** `false`: tokens that are bound to a key are refused. */
  readonly dpop?: DpopOptions | false | undefined;
  /** Milliseconds for a request to the server; 5,000 by default. */
  readonly timeout?: number | undefined;
  /** Introspections at once; 64 by default. Beyond it a request is refused with 503. */
  readonly introspections?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Learns what goes wrong between this API and the server. It never sees a token. */
  readonly report?: ((problem: string) => void) | undefined;
}

/** A request, as far as its access token matters. */
export interface CheckedRequest {
  readonly method: string;
  /** The path with the query, or the whole address: its path counts. */
  readonly url: string;
  readonly authorization: string | undefined;
  /** The value of the `DPoP` header. */
  readonly dpop?: string | undefined;
  /** The certificate of the client in DER, if it showed one. */
  readonly certificate?: Uint8Array | undefined;
}

export interface Rules {
  /** The scope values that the request needs, all of them. */
  readonly scope?: string | readonly string[] | undefined;
}

export type Outcome = { readonly token: AccessToken } | { readonly refusal: Refusal };

export interface ResourceServer extends Adapters {
  /** Checks the access token of a request. */
  check(request: CheckedRequest, rules?: Rules): Promise<Outcome>;
  /** Whether revocations come in, so that tokens are not introspected again and again. */
  isLive(): boolean;
  /** Ends the stream. The process can end then. */
  close(): void;
}

const CREDENTIALS = /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*) *$/iu;

/** Opens the check of access tokens of one API, and follows the revocations of its authorisation server. */
export function resourceServer(options: ResourceServerOptions): ResourceServer {
  const { feed, stateOf } = openTokens(options);
  const check = requestCheck(options, stateOf);
  return {
    check,
    isLive: () => feed?.isLive() === true,
    close: () => feed?.close(),
    ...adaptersOf(check),
  };
}

const secondsNow = (): number => Date.now() / 1000;

/** Opens what says whether a token is good, and the feed. */
function openTokens(options: ResourceServerOptions) {
  const { issuer, staleness = 5, report = () => undefined } = options;
  const server = authorizationServer({
    issuer,
    credentials: options.credentials,
    fetch: options.fetch ?? fetch,
    timeout: options.timeout ?? 5000,
    introspectionsMax: options.introspections ?? 64,
  });
  const elapsed = (): number => performance.now();
  const keys = openKeySet(async () => await server.keys(), elapsed);
  const revocations = openRevocations(options.ends ?? 100_000, secondsNow);
  const open: FeedNeeds['open'] = async (cursor, signal) => await server.openFeed(cursor, signal);
  const shared = { issuer, keys, revocations, staleness, report };
  const feed = options.feed === false ? undefined : followFeed({ ...shared, open, now: Date.now, elapsed });
  const tokensMax = options.tokens ?? 10_000;
  return { feed, stateOf: openTokenCheck({ ...shared, server, feed, tokensMax, now: secondsNow }) };
}

/** Returns the check of a request: its credentials, its token, the token's holder, its audience and scope. */
function requestCheck(
  options: ResourceServerOptions,
  stateOf: ReturnType<typeof openTokenCheck>,
): ResourceServer['check'] {
  const audience = typeof options.audience === 'string' ? [options.audience] : options.audience;
  const origin = options.origin ?? originOf(audience[0]);
  const proofs = options.dpop === false ? undefined : openDpopProofs(options.dpop ?? {}, secondsNow);
  const { resourceMetadata } = options;
  const schemes: readonly ('Bearer' | 'DPoP')[] = proofs === undefined ? ['Bearer'] : ['Bearer', 'DPoP'];
  const refused = (words: RefusalWords): Outcome => ({
    refusal: refusalOf({ resourceMetadata, schemes, algorithms: SIGNING_ALGORITHMS }, words),
  });
  return async (request, { scope: wanted = [] } = {}) => {
    const needed = typeof wanted === 'string' ? wanted.split(' ') : wanted;
    const scope = needed.length === 0 ? undefined : needed.join(' ');
    if (request.authorization === undefined) return refused({ status: 401, scope });
    const [, name = '', token = ''] = CREDENTIALS.exec(request.authorization) ?? [];
    if (token === '') return refused(MALFORMED);
    const scheme = name.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer';
    const asked = stateOf(token);
    // No promise for a token that is known: this is the path of almost every request.
    const state = asked instanceof Promise ? await asked : asked;
    if (state === 'unavailable') return refused(UNAVAILABLE);
    const problem =
      state === 'invalid'
        ? invalidToken('the access token is not valid', scheme)
        : (audienceProblem(state.facts, audience, scheme) ??
          holderProblem({ facts: state.facts, scheme, token, request, origin, proofs }));
    if (state === 'invalid' || problem !== undefined) return refused(problem ?? UNAVAILABLE);
    if (needed.every((value) => state.facts.scope.includes(value))) return { token: state.facts };
    return refused({
      status: 403,
      error: 'insufficient_scope',
      words: 'the token lacks scope',
      scope,
      scheme,
    });
  };
}

const MALFORMED: RefusalWords = {
  status: 400,
  error: 'invalid_request',
  words: 'the Authorization header has no access token',
};
const UNAVAILABLE: RefusalWords = {
  status: 503,
  error: 'temporarily_unavailable',
  words: 'the token cannot be checked now',
};

const invalidToken = (words: string, scheme: 'Bearer' | 'DPoP'): RefusalWords => ({
  status: 401,
  error: 'invalid_token',
  words,
  scheme,
});

const audienceProblem = (
  facts: TokenFacts,
  audience: readonly string[],
  scheme: 'Bearer' | 'DPoP',
): RefusalWords | undefined =>
  facts.audience.some((each) => audience.includes(each))
    ? undefined
    : invalidToken('the access token is for another resource', scheme);

interface Holding {
  readonly facts: TokenFacts;
  readonly scheme: 'Bearer' | 'DPoP';
  readonly token: string;
  readonly request: CheckedRequest;
  readonly origin: string | undefined;
  readonly proofs: DpopProofs | undefined;
}

/** Returns why the sender has not proved the keys that the token is bound to; undefined if it has. */
function holderProblem({ facts, scheme, token, request, origin, proofs }: Holding): RefusalWords | undefined {
  const invalid = (words: string): RefusalWords => invalidToken(words, scheme);
  if (facts.isBoundOtherwise)
    return invalid('the access token is bound in a way that this API does not know');
  if (facts.certificate !== undefined && facts.certificate !== thumbprintOf(request.certificate))
    return invalid('the access token is bound to another certificate');
  // RFC 9449 §7.1 and §7.2: a bound token is no bearer token, and an unbound one has no proof.
  if ((facts.jkt !== undefined) !== (scheme === 'DPoP'))
    return {
      ...invalid('the access token needs the other scheme'),
      scheme: facts.jkt === undefined ? 'Bearer' : 'DPoP',
    };
  if (facts.jkt === undefined) return undefined;
  if (proofs === undefined || origin === undefined) return invalid('this API takes no DPoP proofs');
  const outcome = proofs.verify({
    method: request.method,
    url: origin + pathOf(request.url),
    proof: request.dpop,
    accessToken: token,
  });
  const nonce = proofs.nonce();
  if ('problem' in outcome)
    return { status: 401, error: outcome.problem, words: outcome.words, scheme, nonce };
  return outcome.jkt === facts.jkt ? undefined : invalid('the access token is bound to another key');
}

const thumbprintOf = (certificate: Uint8Array | undefined): string | undefined =>
  certificate === undefined ? undefined : createHash('sha256').update(certificate).digest('base64url');

const originOf = (text: string | undefined): string | undefined =>
  text !== undefined && URL.canParse(text) && /^https?:/u.test(text) ? new URL(text).origin : undefined;

/** Neither the Host header nor the address of a proxy says at which origin the client called. */
function pathOf(url: string): string {
  if (!URL.canParse(url, 'http://api.invalid')) return '/';
  return new URL(url, 'http://api.invalid').pathname;
}
