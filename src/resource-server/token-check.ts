import { createHash } from 'node:crypto';
import { factsOf, isAccessTokenOf, type TokenFacts } from './access-token.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { RecentMap } from './bounded.ts';
import type { Feed } from './feed.ts';
import { otherTextOf, parseJwt } from './jws.ts';
import type { KeySet } from './key-set.ts';
import type { Revocations } from './revocations.ts';

export interface TokenCheckNeeds {
  readonly issuer: string;
  readonly server: Pick<AuthorizationServer, 'introspect'>;
  readonly keys: KeySet;
  /** Undefined where no feed is followed. */
  readonly feed: Pick<Feed, 'isLive' | 'age'> | undefined;
  readonly revocations: Revocations;
  /** Seconds for which a token is still accepted while the server cannot be asked. */
  readonly staleness: number;
  readonly tokensMax: number;
  /** Seconds since the epoch. */
  readonly now: () => number;
  readonly report: (problem: string) => void;
}

/** `unavailable`: the server must be asked, and gives no answer. */
export type TokenState = { readonly facts: TokenFacts } | 'invalid' | 'unavailable';

interface KnownToken {
  readonly facts: TokenFacts;
  /** The hash of the text that was shown, then those of others that it can have. The feed tells one of them. */
  readonly aths: readonly [shown: string, ...others: string[]];
  /** The key that signed it; undefined for a token that only the server can read. */
  readonly kid: string | undefined;
  /** See `CoveredToken`. */
  askedAt: number | undefined;
}

const LENGTH_MAX = 16_384;

/** Says whether a token is good now, whatever it is good for. */
export function openTokenCheck(needs: TokenCheckNeeds): (token: string) => TokenState | Promise<TokenState> {
  const { issuer, server, keys, feed, revocations, now } = needs;
  const known = new RecentMap<string, KnownToken>(needs.tokensMax);
  const stateOf = ({ facts, aths, askedAt }: KnownToken): 'good' | 'ended' | 'unknown' =>
    revocations.stateOf({ aths, client_id: facts.client_id, iat: facts.iat, askedAt });

  /** Asks the server. The answer counts from the moment of the question on, as long as the feed is followed. */
  const ask = async (token: string, about: KnownToken | undefined): Promise<TokenState> => {
    const askedAt = feed?.isLive() === true ? revocations.mark() : undefined;
    let answer: Readonly<Record<string, unknown>>;
    try {
      answer = await server.introspect(token);
    } catch (failure) {
      needs.report(`no introspection: ${failure instanceof Error ? failure.message : String(failure)}`);
      return about !== undefined && isStillAccepted(about) ? about : 'unavailable';
    }
    const facts = answer['active'] === true ? (about?.facts ?? factsOf(answer)) : undefined;
    if (facts === undefined) {
      if (about?.kid !== undefined) revocations.ended(about.aths[0], about.facts.exp);
      known.delete(token);
      return 'invalid';
    }
    const found: KnownToken = about ?? { facts, aths: [athOf(token)], kid: undefined, askedAt };
    found.askedAt = askedAt;
    known.set(token, found);
    return found;
  };
  /** The server does not answer: a token is good for as long as an end of it would hardly be known either. */
  const isStillAccepted = (token: KnownToken): boolean =>
    feed !== undefined && feed.age() <= needs.staleness && stateOf(token) === 'good';
  const checkKnown = (token: string, found: KnownToken): TokenState | Promise<TokenState> => {
    const state = stateOf(found);
    if (state === 'ended') return 'invalid';
    return state === 'good' && feed?.isLive() === true ? found : ask(token, found);
  };
  const checkJwt = async (token: string): Promise<TokenState> => {
    const jwt = parseJwt(token);
    const facts = jwt === undefined ? undefined : factsOf(jwt.claims);
    if (jwt === undefined || facts === undefined || !isAccessTokenOf(issuer, jwt)) return 'invalid';
    // Before the signature, which costs more.
    if (facts.exp <= now()) return 'invalid';
    let kid: string | undefined;
    try {
      kid = await keys.verify(jwt);
    } catch (failure) {
      needs.report(`no keys: ${failure instanceof Error ? failure.message : String(failure)}`);
      return 'unavailable';
    }
    if (kid === undefined) return 'invalid';
    const other = otherTextOf(jwt);
    const aths = [athOf(token), ...(other === undefined ? [] : [athOf(other)])] as const;
    const found: KnownToken = { facts, aths, kid, askedAt: undefined };
    known.set(token, found);
    return await checkKnown(token, found);
  };

  return (token) => {
    if (token.length > LENGTH_MAX) return 'invalid';
    const found = known.get(token);
    if (found === undefined) return token.startsWith('eyJ') ? checkJwt(token) : ask(token, undefined);
    if (found.facts.exp <= now()) {
      known.delete(token);
      return 'invalid';
    }
    // The keys changed: the signature counts only if its key is still there.
    if (found.kid !== undefined && !keys.isGood(found.kid)) {
      known.delete(token);
      return checkJwt(token);
    }
    return checkKnown(token, found);
  };
}

const athOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
