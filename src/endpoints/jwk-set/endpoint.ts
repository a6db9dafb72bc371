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

/** Serves the JWK set of the server. */
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
  /** Seconds since the Unix epoch, at which every cached copy expires. */
  readonly until: number;
}

/**
 * Returns the current set. While the storage is unavailable, it returns the last one as long as a cache might keep it (RFC 9111
 * §4.2), so that resource servers can verify tokens without the database.
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

/** Returns when cached copies expire: after `maxAge`, or earlier when an announced key starts to sign. */
function freshUntil({ maxAge, clock }: JwkSetNeeds, { activation_at }: JwkSet): number {
  const now = clock.now();
  return activation_at === undefined ? now + maxAge : Math.min(now + maxAge, activation_at);
}

/** Renders a set and its tag once, until the set changes. */
function rendering(): (set: JwkSet) => { readonly body: string; readonly etag: string } {
  let last: { readonly set: JwkSet; readonly body: string; readonly etag: string } | undefined;
  return (set) => {
    if (last?.set === set) return last;
    const body = JSON.stringify({ keys: set.keys });
    last = { set, body, etag: `"${digestOf(body)}"` };
    return last;
  };
}

/** Compares tags weakly (RFC 9110 §13.1.2), because caches may turn a tag into a weak one. */
function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
