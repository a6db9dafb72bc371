import type { Settings } from '../../config/settings.ts';
import { digestOf } from '../../keys/digest.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JwtVerification } from '../../ports/jwt-verifier.ts';
import type { FetchCause } from '../../ports/outbound-http.ts';
import { type BoundedMap, SharedBound } from '../../spec/bounded-map.ts';
import { type Caches, SLOT_BYTES, textBytes } from '../../spec/caches.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { type RefusalNotes, temporarilyUnavailable } from '../../spec/errors.ts';
import { networkOf } from '../../spec/ip-address.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { metadataOf } from '../registered-client.ts';
import {
  type FetchedJwkSet,
  type FetchJwkSetNeeds,
  fetchJwkSet,
  type RemoteJwkSet,
} from './fetch-jwk-set.ts';
import { keySourceOf } from './key-source.ts';

/** Seconds that a fetched key set is cached. A key that its owner removed stays usable this long at most. */
export const KEY_SET_LIFETIME = 300;

/** Seconds between two fetches of one set that unknown key ids cause. */
export const RELOAD_INTERVAL = 60;

const MINUTE = 60;

/** Networks of requesters that are remembered for one set. */
const NETWORKS_MAX = 64;

/** A key set takes about three times the bytes of its document, and each key is imported once, outside the heap. */
const PARSED_FACTOR = 3;
const SET_BYTES = SLOT_BYTES + 1024;
const KEY_BYTES = 2048;
/** The attempts at one set, with a fetch for each of a dozen networks. */
const ATTEMPTS_BYTES = SLOT_BYTES + 4096;

export type RemoteVerification =
  | JwtVerification
  | ({ readonly verified: false; readonly reason: 'key-set'; readonly detail: string } & Retry &
      Pick<Problem, 'noCopy'>);

/** Present if the keys could not be had for now, so that nothing is known about the signature. */
interface Retry {
  /** Seconds after which a retry may succeed. */
  readonly retryAfter?: number;
}

/** A cache of key sets that clients and other parties publish at a `jwks_uri` or a `signed_jwks_uri`. */
export interface RemoteJwkSets {
  /**
   * Verifies with the keys of a set. If no key has the id that the JWT names, fetches the set again, because
   * its owner may have added the key. At most one such fetch per `RELOAD_INTERVAL` for each network of
   * requesters, and `outbound.key-set-fetches` in a minute for all, so that invented key ids cost the owner
   * little. A JWT that no key could verify causes no fetch.
   */
  verifyWith(
    set: RemoteJwkSet,
    cause: FetchCause,
    verify: (keys: readonly JsonWebKey[]) => Promise<JwtVerification>,
  ): Promise<RemoteVerification>;
  /**
   * Returns what `choose` finds among the keys of a set. If it finds nothing, fetches the set again under the
   * same limits.
   * @returns `problem`: why there is none, for the log
   */
  find<Found>(
    set: RemoteJwkSet,
    cause: FetchCause,
    choose: (keys: readonly JsonWebKey[]) => Found | undefined,
  ): Promise<RemoteFinding<Found>>;
}

export type RemoteFinding<Found> = { readonly found: Found } | Problem;

type Problem = {
  readonly problem: string;
  /** Whether the set could be used, and has no such key. */
  readonly lacksKey?: true;
  /** Whether a federation key that is not known signed the set. */
  readonly unknownSigner?: true;
  /**
   * Whether no registered copy may stand in for the set: a set that could be used lacks the key, or only a limit of this server
   * kept it from being fetched. Anyone can reach such a limit, and the copy may have a key that its owner withdrew.
   */
  readonly noCopy?: true;
} & Retry;

interface KeptSet extends FetchedJwkSet {
  readonly fetchedAt: number;
  /** The set is older than its lifetime, and could not be fetched again for this reason. */
  readonly stale?: Problem;
}

type Loaded = KeptSet | Problem;

export interface RemoteJwkSetNeeds extends Omit<FetchJwkSetNeeds, 'issuer'> {
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'issuer' | 'outbound.key-set-fetches' | 'outbound.stale-key-sets'>;
  readonly caches: Caches;
}

/** Opens an empty cache of key sets for one process and tenant. */
export function remoteJwkSets(needs: RemoteJwkSetNeeds): RemoteJwkSets {
  const cache = new KeySetCache(needs);
  return {
    async verifyWith(remote, cause, verify) {
      const live = cache.live(remote);
      if (live === undefined) {
        const keyless = await verify([]);
        if (keyless.verified || keyless.reason !== 'unknown-key') return keyless;
      }
      const set = live ?? (await cache.load(remote, cause));
      if ('problem' in set) return keySetProblem(set);
      const verification = await verify(set.keys);
      if (verification.verified || verification.reason !== 'unknown-key') return verification;
      if (set.stale !== undefined) return keySetProblem(set.stale);
      if (live === undefined) return verification;
      const newer = await cache.reload(remote, cause);
      return 'problem' in newer ? keySetProblem({ ...newer, noCopy: true }) : await verify(newer.keys);
    },
    async find(remote, cause, choose) {
      const live = cache.live(remote);
      const first = live ?? (await cache.load(remote, cause));
      if ('problem' in first) return first;
      const found = choose(first.keys);
      if (found !== undefined) return { found };
      if (first.stale !== undefined) return first.stale;
      const newer = live === undefined ? first : await cache.reload(remote, cause);
      if ('problem' in newer) return { ...newer, noCopy: true };
      const late = choose(newer.keys);
      return late === undefined
        ? { problem: 'the key set has no suitable key', lacksKey: true }
        : { found: late };
    },
  };
}

/** The recent fetches of one set. */
interface Attempts {
  /** Calls that wait for a fetch; the outbound client shares it between them. */
  underWay: number;
  /** When the fetches of the last minute began. */
  began: readonly number[];
  /** The latest fetch for an unknown key, by the network of the requester. Parallel requests share it. */
  readonly reloads: BoundedMap<string, { readonly at: number; readonly result: Promise<Loaded> }>;
}

class KeySetCache {
  readonly #needs: RemoteJwkSetNeeds;
  readonly #kept: BoundedMap<string, KeptSet>;
  readonly #attempts: BoundedMap<string, Attempts>;

  constructor(needs: RemoteJwkSetNeeds) {
    this.#needs = needs;
    this.#kept = needs.caches.open('key-sets', {
      weigh: ({ keys, bytes }, name) =>
        SET_BYTES + PARSED_FACTOR * bytes + KEY_BYTES * keys.length + textBytes(name),
    });
    this.#attempts = needs.caches.open('key-set-fetches', { weigh: () => ATTEMPTS_BYTES });
  }

  /** Returns a set that is not older than its lifetime. */
  live(remote: RemoteJwkSet): KeptSet | undefined {
    return this.#youngerThan(remote, KEY_SET_LIFETIME);
  }

  /** Fetches a set. If its server cannot answer, returns the last one for `outbound.stale-key-sets` more. */
  async load(remote: RemoteJwkSet, cause: FetchCause): Promise<Loaded> {
    const loaded = await this.#fetch(remote, cause);
    if (!('problem' in loaded) || loaded.retryAfter === undefined) return loaded;
    const last = this.#youngerThan(
      remote,
      KEY_SET_LIFETIME + this.#needs.settings['outbound.stale-key-sets'],
    );
    return last === undefined ? loaded : { ...last, stale: loaded };
  }

  /** Fetches a set again for an unknown key, within the limits of such fetches. */
  async reload(remote: RemoteJwkSet, cause: FetchCause): Promise<Loaded> {
    const { reloads } = this.#attemptsAt(nameOf(remote));
    const now = this.#needs.clock.now();
    const network = networkOf(cause.remoteAddress ?? '');
    const last = reloads.get(network);
    if (last !== undefined && now < last.at + RELOAD_INTERVAL) return await last.result;
    const reload = { at: now, result: this.#fetch(remote, cause) };
    reloads.set(network, reload);
    const loaded = await reload.result;
    // A fetch that could not take place does not count.
    if ('problem' in loaded && loaded.retryAfter !== undefined && reloads.get(network) === reload)
      reloads.delete(network);
    return loaded;
  }

  async #fetch(remote: RemoteJwkSet, cause: FetchCause): Promise<Loaded> {
    const name = nameOf(remote);
    const attempts = this.#attemptsAt(name);
    const { clock, outbound, settings, verifier } = this.#needs;
    const { issuer } = settings;
    const leads = attempts.underWay === 0;
    attempts.began = attempts.began.filter((at) => clock.now() < at + MINUTE);
    const [oldest = 0] = attempts.began;
    if (leads && attempts.began.length >= settings['outbound.key-set-fetches'])
      return {
        problem: 'outbound.key-set-fetches is reached for this key set',
        retryAfter: oldest + MINUTE - clock.now(),
        noCopy: true,
      };
    attempts.underWay += 1;
    try {
      const fetched = await fetchJwkSet({ outbound, verifier, issuer }, remote, cause);
      if (leads && !('problem' in fetched && fetched.unbegun))
        attempts.began = [...attempts.began, clock.now()];
      if ('problem' in fetched) {
        const { unbegun: _, unasked, ...problem } = fetched;
        return unasked === true ? { ...problem, noCopy: true } : problem;
      }
      const set = { ...fetched, fetchedAt: clock.now() };
      this.#kept.set(name, set);
      return set;
    } finally {
      attempts.underWay -= 1;
    }
  }

  #youngerThan(remote: RemoteJwkSet, seconds: number): KeptSet | undefined {
    const found = this.#kept.get(nameOf(remote));
    if (found === undefined) return undefined;
    const { fetchedAt, ends_at = Infinity } = found;
    return this.#needs.clock.now() < Math.min(fetchedAt + seconds, ends_at) ? found : undefined;
  }

  #attemptsAt(name: string): Attempts {
    const known = this.#attempts.get(name);
    if (known !== undefined) return known;
    const reloads: Attempts['reloads'] = new SharedBound('reloads', NETWORKS_MAX).open({ weigh: () => 1 });
    const attempts: Attempts = { underWay: 0, began: [], reloads };
    this.#attempts.set(name, attempts);
    return attempts;
  }
}

/** Names a set in the caches. The signer is part of the name: another entity may state the same address. */
function nameOf({ url, signer }: RemoteJwkSet): string {
  return signer === undefined ? url : `${url} ${digestOf(JSON.stringify(signer))}`;
}

function keySetProblem({ problem: detail, ...retry }: Problem): RemoteVerification {
  return { verified: false, reason: 'key-set', detail, ...retry };
}

/**
 * Verifies a signature of a client with its keys, which `keySourceOf` chooses.
 * @param remoteAddress the IP address of the request, for the budget of a fetch
 */
export async function verifyWithClientKeys(
  jwkSets: RemoteJwkSets,
  client: StoredClient,
  remoteAddress: string,
  verify: (keys: readonly JsonWebKey[]) => Promise<JwtVerification>,
): Promise<RemoteVerification> {
  const { remote, keys } = keySourceOf(metadataOf(client));
  if (remote === undefined) return await verify(keys);
  const cause = { purpose: 'client-keys', remoteAddress } as const;
  const verification = await jwkSets.verifyWith(remote, cause, verify);
  if (verification.verified || verification.reason !== 'key-set') return verification;
  const standsIn = keys.length > 0 && !('noCopy' in verification);
  return standsIn ? await verify(keys) : verification;
}

/**
 * Returns what `choose` finds among the keys of a client, which `keySourceOf` chooses.
 * @returns `problem`: why there is none, for the log
 */
export async function findClientKey<Found>(
  jwkSets: RemoteJwkSets,
  metadata: ClientMetadata,
  cause: FetchCause,
  choose: (keys: readonly JsonWebKey[]) => Found | undefined,
): Promise<RemoteFinding<Found>> {
  const { remote, keys } = keySourceOf(metadata);
  const finding = remote === undefined ? undefined : await jwkSets.find(remote, cause, choose);
  if (finding !== undefined && ('found' in finding || finding.lacksKey === true || keys.length === 0))
    return finding;
  if (finding?.noCopy === true) return finding;
  const found = choose(keys);
  return found === undefined
    ? (finding ?? { problem: 'jwks has no suitable key', lacksKey: true })
    : { found };
}

/**
 * Requires that the keys could be had: otherwise nothing is known about what they should verify, and a
 * refusal would blame the caller.
 * @param what the keys, in the words of the error
 * @throws OAuthError temporarily_unavailable
 */
export function requireKeysNow(refusal: object & Retry, what: string): void {
  const { retryAfter } = refusal;
  if (retryAfter === undefined) return;
  const detail = 'detail' in refusal ? refusal.detail : 'problem' in refusal ? refusal.problem : undefined;
  throw temporarilyUnavailable(`the ${what} cannot be fetched now; try again later`, {
    retryAfter,
    ...(typeof detail === 'string' ? { detail } : {}),
  });
}

/**
 * Returns what the log says about a JWT that is refused.
 * @param what the JWT, such as `client_assertion`
 */
export function jwtRefusalNotes(
  what: string,
  refusal: Extract<RemoteVerification, { readonly verified: false }>,
): RefusalNotes & { readonly detail: string } {
  const reason = 'unknownSigner' in refusal ? 'unknown-key' : refusal.reason;
  if ('detail' in refusal)
    return { reason: `jwt-${reason}`, detail: `${what}: ${reason} (${refusal.detail})` };
  const { found } = refusal as { readonly found?: Readonly<Record<string, unknown>> };
  const detail = `${what}: ${reason}`;
  return { reason: `jwt-${reason}`, detail, ...(found === undefined ? {} : { values: found }) };
}
