/** Returns the estimated memory of an entry, in bytes. It returns the same number for the same entry each time. */
export type Weigh<Key, Value> = (value: Value, key: Key) => number;

export interface MapOptions<Key, Value> {
  readonly weigh: Weigh<Key, Value>;
  /** A further bound: the maximum number of entries of this map; undefined = no such bound. */
  readonly entriesMax?: number | undefined;
}

/** The figures of a cache. Counts begin with the process. */
export interface CacheFigures {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  readonly bytesMax: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

/** A `Map` of V8 refuses more than 2^24 entries. */
const ENTRIES_MAX = 2 ** 23;

/** A map of any entries. */
export interface BoundedMember {
  /** Lets every entry become old, unless some still are. */
  age(): void;
  /** Evicts an old entry; returns whether there was one. */
  evictOld(): boolean;
  close(): void;
  figures(): Pick<CacheFigures, 'entries' | 'hits' | 'misses' | 'evictions'>;
}

/** When so much of a bound is taken, entries become old. The rest is the time in which they can be asked for before they leave. */
const AGES_AT = 7 / 8;

/**
 * Bounds the memory of maps that share it: the maps of one cache, one for each open tenant. Each map has two generations. When the
 * bound is nearly reached, all entries become old. One that is found becomes young again. At the bound a new entry displaces old
 * ones. So all entries stay if they fit, in whatever order they are asked for.
 */
export class SharedBound {
  readonly name: string;
  readonly bytesMax: number;
  readonly #maps = new Set<BoundedMember>();
  /** The maps that may have old entries. */
  #evicting: Iterator<BoundedMember> = this.#maps.values();
  #evictingFrom: BoundedMember | undefined;
  /** Whether there may be old entries. */
  #hasAged = false;
  #bytes = 0;
  /** Counts of maps that are closed. */
  #past = { hits: 0, misses: 0, evictions: 0 };

  constructor(name: string, bytesMax: number) {
    this.name = name;
    this.bytesMax = bytesMax;
  }

  open<Key, Value>(options: MapOptions<Key, Value>): BoundedMap<Key, Value> {
    const map = new BoundedMap(this, options);
    this.#maps.add(map);
    return map;
  }

  /** Forgets a map that was emptied. */
  left(map: BoundedMember): void {
    if (!this.#maps.delete(map)) return;
    const { hits, misses, evictions } = map.figures();
    this.#past.hits += hits;
    this.#past.misses += misses;
    this.#past.evictions += evictions;
  }

  figures(): CacheFigures {
    const sum = { entries: 0, ...this.#past };
    for (const map of this.#maps) {
      const { entries, hits, misses, evictions } = map.figures();
      sum.entries += entries;
      sum.hits += hits;
      sum.misses += misses;
      sum.evictions += evictions;
    }
    return { name: this.name, bytes: this.#bytes, bytesMax: this.bytesMax, ...sum };
  }

  /** Makes room for an entry. @returns false for one that is larger than half of the bound, and if no entry is old */
  admit(bytes: number): boolean {
    if (bytes > this.bytesMax / 2) return false;
    if (!this.#hasAged && this.#bytes + bytes > this.bytesMax * AGES_AT) this.#age();
    while (this.#bytes + bytes > this.bytesMax) if (!this.#evict()) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Counts the bytes of entries that are gone. */
  gone(bytes: number): void {
    this.#bytes -= bytes;
  }

  #age(): void {
    for (const map of this.#maps) map.age();
    this.#evicting = this.#maps.values();
    this.#evictingFrom = undefined;
    this.#hasAged = true;
  }

  /** Evicts an old entry. @returns false if there was none */
  #evict(): boolean {
    while (this.#evictingFrom?.evictOld() !== true) {
      const { value, done } = this.#evicting.next();
      if (done === true) {
        this.#hasAged = false;
        return false;
      }
      this.#evictingFrom = value;
    }
    return true;
  }
}

/** A cache with two generations. Each access costs less than in a least-recently-used list. */
export class BoundedMap<Key, Value> implements BoundedMember {
  readonly #bound: SharedBound;
  readonly #weigh: Weigh<Key, Value>;
  readonly #entriesMax: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  /** The old entries that are still to be visited, in the order in which they came. */
  #oldest: Iterator<[Key, Value]> = this.#old.entries();
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  #evictions = 0;
  #isClosed = false;

  constructor(bound: SharedBound, { weigh, entriesMax = Number.POSITIVE_INFINITY }: MapOptions<Key, Value>) {
    this.#bound = bound;
    this.#weigh = weigh;
    this.#entriesMax = Math.max(1, Math.min(ENTRIES_MAX, entriesMax));
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) {
      this.#hits += 1;
      return value;
    }
    const aged = this.#old.get(key);
    if (aged === undefined) {
      this.#misses += 1;
      return undefined;
    }
    this.#hits += 1;
    this.#old.delete(key);
    this.#young.set(key, aged);
    return aged;
  }

  /** Whether a new entry displaces old ones. */
  get isFull(): boolean {
    return this.#old.size > 0;
  }

  /** Caches a value in place of the previous one. A value that is larger than half of the bound is not cached. */
  set(key: Key, value: Value): void {
    this.delete(key);
    if (this.#isClosed) return;
    const entries = this.#young.size + this.#old.size;
    if (entries + 1 > this.#entriesMax * AGES_AT) this.age();
    if (entries >= this.#entriesMax) this.evictOld();
    const bytes = this.#weigh(value, key);
    if (!this.#bound.admit(bytes)) return;
    this.#young.set(key, value);
    this.#bytes += bytes;
  }

  delete(key: Key): void {
    const value = this.#young.get(key) ?? this.#old.get(key);
    if (value === undefined) return;
    if (!this.#young.delete(key)) this.#old.delete(key);
    this.#gone(this.#weigh(value, key));
  }

  clear(): void {
    this.#gone(this.#bytes);
    this.#young = new Map();
    this.#setOld(new Map());
  }

  /** Gives the memory back. Afterwards the map stays empty. */
  close(): void {
    this.clear();
    this.#isClosed = true;
    this.#bound.left(this);
  }

  age(): void {
    if (this.#old.size > 0) return;
    this.#setOld(this.#young);
    this.#young = new Map();
  }

  evictOld(): boolean {
    const { value: oldest, done } = this.#oldest.next();
    if (done === true) return false;
    const [key, value] = oldest;
    this.#old.delete(key);
    this.#evictions += 1;
    this.#gone(this.#weigh(value, key));
    return true;
  }

  figures(): Pick<CacheFigures, 'entries' | 'hits' | 'misses' | 'evictions'> {
    const entries = this.#young.size + this.#old.size;
    return { entries, hits: this.#hits, misses: this.#misses, evictions: this.#evictions };
  }

  #setOld(entries: Map<Key, Value>): void {
    this.#old = entries;
    this.#oldest = entries.entries();
  }

  #gone(bytes: number): void {
    this.#bytes -= bytes;
    this.#bound.gone(bytes);
  }
}
