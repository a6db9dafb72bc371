import { digestOf } from '../../keys/digest.ts';
import type { ServerKeys } from '../../keys/server-keys.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

export interface JwkSetNeeds {
  readonly keys: ServerKeys;
  /** Seconds for which a cache may keep the set. */
  readonly maxAge: number;
}

/** The server JWK set. */
export function jwkSet(needs: JwkSetNeeds): Endpoint {
  const body = JSON.stringify(needs.keys.jwks);
  const etag = `"${digestOf(body)}"`;
  const headers = { 'cache-control': `public, max-age=${needs.maxAge}`, etag };
  return {
    contract,
    handle(request) {
      if (isUnchanged(request.headers['if-none-match'], etag)) return { status: 304, headers };
      return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body };
    },
  };
}

/** RFC 9110 §13.1.2, by weak comparison: caches may have made the tag a weak one. */
function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
