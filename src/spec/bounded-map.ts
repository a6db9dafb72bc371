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
const GENERATION_ENTRIES_MAX = 2 ** 23;

/** A map of any entries. */
export interface BoundedMember {
  age(): void;
  close(): void;
  figures(): Pick<CacheFigures, 'entries' | 'hits' | 'misses' | 'evictions'>;
}

/**
 * Bounds the memory of maps that share it: the maps of one cache, one for each open tenant. Each map has two
 * generations. When the young generations together have half of the bytes, they become the old ones, and the
 * old entries are evicted.
 */
export class SharedBound {
  readonly name: string;
  readonly bytesMax: number;
  readonly #maps = new Set<BoundedMember>();
  #bytes = 0;
  #youngBytes = 0;
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

  /** Makes room for a young entry. @returns false for an entry that is larger than a generation */
  admit(bytes: number): boolean {
    const generationMax = this.bytesMax / 2;
    if (bytes > generationMax) return false;
    if (this.#youngBytes + bytes > generationMax || this.#bytes + bytes > this.bytesMax) {
      for (const map of this.#maps) map.age();
    }
    this.#youngBytes += bytes;
    this.#bytes += bytes;
    return true;
  }

  /** Counts bytes that left a young generation: they became old, or they are gone. */
  youngLeft(bytes: number, where: 'old' | 'gone'): void {
    this.#youngBytes -= bytes;
    if (where === 'gone') this.#bytes -= bytes;
  }

  oldLeft(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/**
 * A cache with two generations. An entry that is found in the old generation moves to the young one. Each access
 * costs less than in a least-recently-used list.
 */
export class BoundedMap<Key, Value> implements BoundedMember {
  readonly #bound: SharedBound;
  readonly #weigh: Weigh<Key, Value>;
  readonly #generationEntriesMax: number;
  #young = new Map<Key, Value>();
  #youngBytes = 0;
  #old = new Map<Key, Value>();
  #oldBytes = 0;
  #hits = 0;
  #misses = 0;
  #evictions = 0;
  #isClosed = false;

  constructor(bound: SharedBound, { weigh, entriesMax = Number.POSITIVE_INFINITY }: MapOptions<Key, Value>) {
    this.#bound = bound;
    this.#weigh = weigh;
    this.#generationEntriesMax = Math.max(1, Math.min(GENERATION_ENTRIES_MAX, Math.floor(entriesMax / 2)));
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
    this.#removeOld(key, aged);
    this.#add(key, aged);
    return aged;
  }

  /** Caches a value in place of the previous one. A value that is larger than a generation is not cached. */
  set(key: Key, value: Value): void {
    this.delete(key);
    if (!this.#isClosed) this.#add(key, value);
  }

  delete(key: Key): void {
    const young = this.#young.get(key);
    if (young !== undefined) {
      const bytes = this.#weigh(young, key);
      this.#young.delete(key);
      this.#youngBytes -= bytes;
      return this.#bound.youngLeft(bytes, 'gone');
    }
    const old = this.#old.get(key);
    if (old !== undefined) this.#removeOld(key, old);
  }

  clear(): void {
    this.#bound.youngLeft(this.#youngBytes, 'gone');
    this.#bound.oldLeft(this.#oldBytes);
    [this.#young, this.#old] = [new Map(), new Map()];
    [this.#youngBytes, this.#oldBytes] = [0, 0];
  }

  /** Gives the memory back. Afterwards the map stays empty. */
  close(): void {
    this.clear();
    this.#isClosed = true;
    this.#bound.left(this);
  }

  /** Evicts the old generation; the young one becomes old. */
  age(): void {
    if (this.#young.size + this.#old.size === 0) return;
    this.#evictions += this.#old.size;
    this.#bound.oldLeft(this.#oldBytes);
    this.#bound.youngLeft(this.#youngBytes, 'old');
    this.#old = this.#young;
    this.#oldBytes = this.#youngBytes;
    this.#young = new Map();
    this.#youngBytes = 0;
  }

  figures(): Pick<CacheFigures, 'entries' | 'hits' | 'misses' | 'evictions'> {
    const entries = this.#young.size + this.#old.size;
    return { entries, hits: this.#hits, misses: this.#misses, evictions: this.#evictions };
  }

  #add(key: Key, value: Value): void {
    const bytes = this.#weigh(value, key);
    if (this.#young.size >= this.#generationEntriesMax) this.age();
    if (!this.#bound.admit(bytes)) return;
    this.#young.set(key, value);
    this.#youngBytes += bytes;
  }

  #removeOld(key: Key, value: Value): void {
    const bytes = this.#weigh(value, key);
    this.#old.delete(key);
    this.#oldBytes -= bytes;
    this.#bound.oldLeft(bytes);
  }
}
