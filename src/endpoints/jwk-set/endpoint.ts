import { digestOf } from '../../keys/digest.ts';
import type { JwkSet, ServerKeys } from '../../keys/server-keys.ts';
import type { Clock } from '../../ports/clock.ts';
import { StorageUnavailable } from '../../ports/storage.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

export interface JwkSetNeeds {
  readonly keys: Pick<ServerKeys, 'jwks'>;
  readonly clock: Clock;
  /** Seconds for which a cache may keep the set. */
  readonly maxAge: number;
}

/** The server JWK set. */
export function jwkSet(needs: JwkSetNeeds): Endpoint {
  const rendered = rendering();
  const fresh = lastFresh(needs);
  return {
    contract,
    async handle(request) {
      const { set, until } = await fresh();
      const { body, etag } = rendered(set);
      const maxAge = Math.max(0, until - needs.clock.now());
      const headers = { 'cache-control': `public, max-age=${maxAge}`, etag };
      if (isUnchanged(request.headers['if-none-match'], etag)) return { status: 304, headers };
      return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body };
    },
  };
}

interface Fresh {
  readonly set: JwkSet;
  /** Seconds since the epoch: nobody keeps it beyond that moment. */
  readonly until: number;
}

/**
 * The set as it is now. While storage is away, the one that was last seen for as long as any cache might keep it (RFC 9111
 * §4.2): those who verify tokens elsewhere need nothing of the database.
 */
function lastFresh(needs: JwkSetNeeds): () => Promise<Fresh> {
  let last: Fresh | undefined;
  const kept = (reason: unknown): Fresh => {
    if (!(reason instanceof StorageUnavailable) || last === undefined || last.until <= needs.clock.now())
      throw reason;
    return last;
  };
  return async () => {
    try {
      const set = await needs.keys.jwks();
      last = { set, until: freshUntil(needs, set) };
      return last;
    } catch (reason) {
      return kept(reason);
    }
  };
}

/** While a key waits to take over, nobody keeps a set beyond that moment. */
function freshUntil({ maxAge, clock }: JwkSetNeeds, { activation_at }: JwkSet): number {
  const now = clock.now();
  return activation_at === undefined ? now + maxAge : Math.min(now + maxAge, activation_at);
}

/** The text of a set and its tag; made once for as long as the set is the same. */
function rendering(): (set: JwkSet) => { readonly body: string; readonly etag: string } {
  let last: { readonly set: JwkSet; readonly body: string; readonly etag: string } | undefined;
  return (set) => {
    if (last?.set === set) return last;
    const body = JSON.stringify({ keys: set.keys });
    last = { set, body, etag: `"${digestOf(body)}"` };
    return last;
  };
}

/** RFC 9110 §13.1.2, by weak comparison: caches may have made the tag a weak one. */
function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
