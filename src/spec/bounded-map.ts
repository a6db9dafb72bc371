/**
 * A cache with two generations. When the young generation is full, it becomes the old one and the old one is evicted; an
 * entry found in the old generation moves to the young one. Each access costs less than in a least-recently-used list.
 */
export class BoundedMap<Key, Value> {
  readonly #generationMax: number;
  readonly #weigh: (value: Value) => number;
  #young = new Map<Key, Value>();
  #youngWeight = 0;
  #old = new Map<Key, Value>();

  /**
   * @param entriesMax the capacity of both generations together
   * @param weigh returns the number of entries that a value counts for; a value heavier than a generation is not cached
   */
  constructor(entriesMax: number, weigh: (value: Value) => number = () => 1) {
    this.#generationMax = Math.max(1, Math.floor(entriesMax / 2));
    this.#weigh = weigh;
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const aged = this.#old.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  set(key: Key, value: Value): void {
    const weight = this.#weigh(value);
    if (weight > this.#generationMax) return this.delete(key);
    this.#removeYoung(key);
    if (this.#youngWeight + weight > this.#generationMax) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngWeight = 0;
    }
    this.#young.set(key, value);
    this.#youngWeight += weight;
  }

  delete(key: Key): void {
    this.#removeYoung(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#youngWeight = 0;
    this.#old.clear();
  }

  #removeYoung(key: Key): void {
    const value = this.#young.get(key);
    if (value === undefined) return;
    this.#young.delete(key);
    this.#youngWeight -= this.#weigh(value);
  }
}
