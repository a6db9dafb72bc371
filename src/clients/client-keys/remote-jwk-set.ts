import { clientJwkProblem } from '../../keys/client-jwk.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JwtVerification } from '../../ports/jwt-verifier.ts';
import type { OutboundHttp } from '../../ports/outbound-http.ts';
import { OAuthError } from '../../spec/errors.ts';
import { parseJsonObject } from '../../spec/json.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { metadataOf } from '../registered-client.ts';

/** Seconds that a fetched key set is cached. A key that its owner removed stays usable this long at most. */
export const KEY_SET_LIFETIME = 300;

/** Seconds between two fetches of one set that unknown key ids cause. */
export const RELOAD_INTERVAL = 60;

/** Sets in the cache; the one fetched longest ago is evicted first. */
const SETS_MAX = 1000;

const KEYS_MAX = 20;

const JSON_LIMITS = { depth: 8, members: 64 };

const MEDIA_TYPES = ['application/jwk-set+json', 'application/json'];

export type RemoteVerification =
  | JwtVerification
  | { readonly verified: false; readonly reason: 'key-set'; readonly detail: string };

/** A cache of key sets that clients and other parties publish at a `jwks_uri`. */
export interface RemoteJwkSets {
  /**
   * Verifies with the keys at `url`. If no key has the id that the JWT names, fetches the set again, because
   * its owner may have added the key. At most one such fetch per `RELOAD_INTERVAL`, so that invented key ids
   * cost the owner no traffic.
   */
  verifyWith(
    url: string,
    verify: (keys: readonly JsonWebKey[]) => Promise<JwtVerification>,
  ): Promise<RemoteVerification>;
  /**
   * Returns what `choose` finds among the keys at `url`. If it finds nothing, fetches the set again under the
   * same limit.
   * @returns `problem`: why there is none, for the log
   */
  find<Found>(
    url: string,
    choose: (keys: readonly JsonWebKey[]) => Found | undefined,
  ): Promise<RemoteFinding<Found>>;
}

export type RemoteFinding<Found> = { readonly found: Found } | { readonly problem: string };

interface KeptSet {
  readonly keys: readonly JsonWebKey[];
  readonly fetchedAt: number;
  /** The latest fetch for an unknown key. Parallel requests share it. */
  reload: { readonly at: number; readonly result: Promise<Loaded> } | undefined;
}

type Loaded = KeptSet | { readonly problem: string };

export interface RemoteJwkSetNeeds {
  readonly outbound: OutboundHttp;
  readonly clock: Clock;
}

/** Opens an empty cache of key sets for one process and tenant. */
export function remoteJwkSets(needs: RemoteJwkSetNeeds): RemoteJwkSets {
  const kept = new Map<string, KeptSet>();
  const load = async (url: string): Promise<Loaded> => {
    const fetched = await fetchKeySet(needs.outbound, url);
    if ('problem' in fetched) return fetched;
    const set = { keys: fetched.keys, fetchedAt: needs.clock.now(), reload: kept.get(url)?.reload };
    keep(kept, url, set);
    return set;
  };
  const reload = async (url: string, set: KeptSet): Promise<Loaded> => {
    const now = needs.clock.now();
    if (set.reload === undefined || now >= set.reload.at + RELOAD_INTERVAL) {
      set.reload = { at: now, result: load(url) };
    }
    return await set.reload.result;
  };
  const liveSet = (url: string): KeptSet | undefined => {
    const found = kept.get(url);
    return found !== undefined && needs.clock.now() < found.fetchedAt + KEY_SET_LIFETIME ? found : undefined;
  };
  return {
    async verifyWith(url, verify) {
      const live = liveSet(url);
      const set = live ?? (await load(url));
      if ('problem' in set) return keySetProblem(set.problem);
      const verification = await verify(set.keys);
      if (live === undefined || verification.verified || verification.reason !== 'unknown-key')
        return verification;
      const newer = await reload(url, set);
      return 'problem' in newer ? keySetProblem(newer.problem) : await verify(newer.keys);
    },
    async find(url, choose) {
      const live = liveSet(url);
      const first = live ?? (await load(url));
      if ('problem' in first) return first;
      const found = choose(first.keys);
      if (found !== undefined) return { found };
      const newer = live === undefined ? first : await reload(url, live);
      if ('problem' in newer) return newer;
      const late = choose(newer.keys);
      return late === undefined
        ? { problem: 'the key set at jwks_uri has no suitable key' }
        : { found: late };
    },
  };
}

function keep(kept: Map<string, KeptSet>, url: string, set: KeptSet): void {
  kept.delete(url);
  kept.set(url, set);
  const [oldest] = kept.keys();
  if (kept.size > SETS_MAX && oldest !== undefined) kept.delete(oldest);
}

function keySetProblem(detail: string): RemoteVerification {
  return { verified: false, reason: 'key-set', detail };
}

/**
 * Fetches a JWK Set (RFC 7517 §5). Leaves out keys that break the key policy, so that one bad key does not
 * disable the others.
 */
async function fetchKeySet(
  outbound: OutboundHttp,
  url: string,
): Promise<{ readonly keys: readonly JsonWebKey[] } | { readonly problem: string }> {
  const fetched = await outbound.get(url, { mediaTypes: MEDIA_TYPES });
  if (fetched.status === 'failed') return { problem: `${fetched.reason}: ${fetched.detail}` };
  const keys = keysOf(fetched.body);
  if (keys === undefined) return { problem: `the document is not a JWK Set of at most ${KEYS_MAX} keys` };
  return { keys: keys.filter((key) => clientJwkProblem(key) === undefined) };
}

function keysOf(body: Uint8Array): readonly JsonWebKey[] | undefined {
  try {
    const { keys } = parseJsonObject(body, JSON_LIMITS).members;
    return Array.isArray(keys) && keys.length <= KEYS_MAX ? (keys as readonly JsonWebKey[]) : undefined;
  } catch (failure) {
    if (failure instanceof OAuthError) return undefined;
    throw failure;
  }
}

/** Verifies a signature of a client with the keys in its registration (`jwks`, `jwks_uri`). */
export async function verifyWithClientKeys(
  jwkSets: RemoteJwkSets,
  client: StoredClient,
  verify: (keys: readonly JsonWebKey[]) => Promise<JwtVerification>,
): Promise<RemoteVerification> {
  const { jwks, jwks_uri } = metadataOf(client);
  if (typeof jwks_uri === 'string') return await jwkSets.verifyWith(jwks_uri, verify);
  // Registration admits only public keys that satisfy the key policy.
  const { keys } = (jwks ?? { keys: [] }) as { readonly keys: readonly JsonWebKey[] };
  return await verify(keys);
}

/** Renders a refusal for the log. */
export const refusalInWords = (refusal: Extract<RemoteVerification, { readonly verified: false }>): string =>
  `${refusal.reason}${'detail' in refusal ? ` (${refusal.detail})` : ''}`;
