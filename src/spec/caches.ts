import {
  type BoundedMap,
  type BoundedMember,
  type CacheFigures,
  type MapOptions,
  SharedBound,
} from './bounded-map.ts';

/**
 * The caches of a process. Each has a share of the cache memory in percent, and at least some MiB however little there
 * is. A cache whose entries strangers can cause has a share of its own, so that they displace nothing else.
 */
const SHARES = {
  /** Records of clients with their parsed metadata. */
  clients: { percent: 37, mebibytesMin: 2 },
  /** Records of access tokens. */
  'access-tokens': { percent: 28, mebibytesMin: 2 },
  /** Access tokens whose MAC or signature was verified. */
  'verified-tokens': { percent: 10, mebibytesMin: 1 },
  /** `Authorization` headers that authenticated a client. */
  authentications: { percent: 9, mebibytesMin: 1 },
  /** Clients whose use was recorded lately. */
  'client-uses': { percent: 3, mebibytesMin: 1 },
  /** Key sets at a `jwks_uri` or `signed_jwks_uri`. One document fits into half of it. */
  'key-sets': { percent: 4, mebibytesMin: 2 },
  /** The recent fetches of key sets, for their limits. */
  'key-set-fetches': { percent: 2, mebibytesMin: 4 },
  /** Entity statements of federations. One document fits into half of it. */
  'entity-statements': { percent: 2, mebibytesMin: 2 },
  /** Refusals by rate limits. A flood from 10,000 networks is refused without a write. */
  refusals: { percent: 1, mebibytesMin: 2 },
  /** Images at the `logo_uri` of clients. One image of the greatest size fits into half of it. */
  logos: { percent: 1, mebibytesMin: 4 },
  /** Request objects at a `request_uri` of clients. */
  'request-objects': { percent: 1, mebibytesMin: 2 },
  /** Opened themes of pages. */
  themes: { percent: 2, mebibytesMin: 4 },
} as const;

export type CacheName = keyof typeof SHARES;

const MIB = 1024 * 1024;

/** The memory that a process or a tenant uses for caches. */
export interface Caches {
  /** Opens a map of the cache `name`. All maps of this name share its bytes. */
  open<Key, Value>(name: CacheName, options: MapOptions<Key, Value>): BoundedMap<Key, Value>;
}

/** The caches of one tenant. */
export interface TenantCaches extends Caches {
  /** Gives the memory of all maps back. */
  close(): void;
}

/** The caches of a process. */
export class ProcessCaches implements Caches {
  readonly #bounds: Readonly<Record<CacheName, SharedBound>>;

  /** @param bytesMax the memory of all caches together, in bytes */
  constructor(bytesMax: number) {
    const bounds = Object.entries(SHARES).map(([name, { percent, mebibytesMin }]) => {
      const bytes = Math.max(mebibytesMin * MIB, Math.floor((bytesMax * percent) / 100));
      return [name, new SharedBound(name, bytes)];
    });
    this.#bounds = Object.fromEntries(bounds) as Record<CacheName, SharedBound>;
  }

  open<Key, Value>(name: CacheName, options: MapOptions<Key, Value>): BoundedMap<Key, Value> {
    return this.#bounds[name].open(options);
  }

  /** Returns caches that are closed together. They share the memory of this process with all others. */
  forTenant(): TenantCaches {
    const opened: BoundedMember[] = [];
    return {
      open: (name, options) => {
        const map = this.open(name, options);
        opened.push(map);
        return map;
      },
      close: () => opened.forEach((map) => map.close()),
    };
  }

  figures(): readonly CacheFigures[] {
    return Object.values(this.#bounds).map((bound) => bound.figures());
  }
}

/** An entry of a `Map` of V8: key, value and chain, in a table that is between half and wholly full. */
export const SLOT_BYTES = 48;

const TEXT_HEAD_BYTES = 16;

/** Returns the estimated memory of a text. V8 takes two bytes a character where one character is not of Latin-1. */
export function textBytes(text: string): number {
  const { length } = text;
  const wide = Buffer.byteLength(text) !== length;
  return TEXT_HEAD_BYTES + (wide ? 2 * length : length);
}
