import type { BoundedMap } from './bounded-map.ts';

/**
 * Characters of a key that make its slot: 30 bits of its digest. About five of 100,000 keys share theirs with an earlier one, and
 * displace it.
 */
const SLOT_CHARACTERS = 5;
/** The last character of SHA-256 in base64url holds two bits less. */
const BEHIND_SLOT = 1;
const SLOT_MASK = 2 ** 30 - 1;
const BITS = 6;

/** How many keys that were left out are remembered. */
const LEFT_OUT = 65_536;

/**
 * A cache whose keys are digests, or end with one. V8 makes each text that a `Map` is asked for a member of its table of texts, and
 * that costs more than all else. Numbers cost it nothing.
 *
 * Once the cache is full, a key enters it at the second time. So what is asked about once pays for no entry, and displaces none.
 */
export class DigestMap<Key extends string, Value> {
  readonly #entries: BoundedMap<number, Value>;
  readonly #keyOf: (value: Value) => Key;
  /** The slots of keys that were left out lately. */
  #leftOut: Int32Array | undefined;

  /** @param keyOf returns the key of an entry */
  constructor(entries: BoundedMap<number, Value>, keyOf: (value: Value) => Key) {
    this.#entries = entries;
    this.#keyOf = keyOf;
  }

  get(key: Key): Value | undefined {
    const found = this.#entries.get(slotOf(key));
    return found !== undefined && this.#keyOf(found) === key ? found : undefined;
  }

  set(key: Key, value: Value): void {
    const slot = slotOf(key);
    if (!this.#entries.isFull || this.#wasLeftOut(slot)) this.#entries.set(slot, value);
  }

  delete(key: Key): void {
    if (this.get(key) !== undefined) this.#entries.delete(slotOf(key));
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Says whether this slot was left out lately, and remembers it if not. */
  #wasLeftOut(slot: number): boolean {
    this.#leftOut ??= new Int32Array(LEFT_OUT);
    const place = slot % LEFT_OUT;
    if (this.#leftOut[place] === slot) return true;
    this.#leftOut[place] = slot;
    return false;
  }
}

function slotOf(key: string): number {
  const start = key.length - BEHIND_SLOT - SLOT_CHARACTERS;
  let slot = 0;
  for (let index = 0; index < SLOT_CHARACTERS; index += 1)
    slot ^= key.charCodeAt(start + index) << (BITS * index);
  return slot & SLOT_MASK;
}
