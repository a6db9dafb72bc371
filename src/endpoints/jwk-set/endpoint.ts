import { digestOf } from '../../keys/digest.ts';
import type { JwkSet, ServerKeys } from '../../keys/server-keys.ts';
import type { Clock } from '../../ports/clock.ts';
import { whenKnown } from '../../spec/awaitable.ts';
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
  return {
    contract,
    handle: (request) =>
      whenKnown(needs.keys.jwks(), (set) => {
        const { body, etag } = rendered(set);
        const headers = { 'cache-control': `public, max-age=${maxAge(needs, set)}`, etag };
        if (isUnchanged(request.headers['if-none-match'], etag)) return { status: 304, headers };
        return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body };
      }),
  };
}

/** While a key waits to take over, nobody keeps a set beyond that moment. */
function maxAge({ maxAge, clock }: JwkSetNeeds, { activation_at }: JwkSet): number {
  if (activation_at === undefined) return maxAge;
  return Math.max(0, Math.min(maxAge, activation_at - clock.now()));
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
