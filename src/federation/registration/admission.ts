import { networkOf } from '../../spec/ip-address.ts';

/**
 * Bounds the resolutions that run at once. A network takes a place only while more places are free than it holds, so that
 * one network gets half of them, and each further one finds some (decision 50).
 */
export class Admission {
  readonly #places: number;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor(places: number) {
    this.#places = places;
  }

  /** Takes a place and returns the function that gives it back; undefined if there is none for this address. */
  enter(remoteAddress: string): (() => void) | undefined {
    const network = networkOf(remoteAddress);
    const held = this.#held.get(network) ?? 0;
    if (held >= this.#places - this.#taken) return undefined;
    this.#held.set(network, held + 1);
    this.#taken += 1;
    return () => {
      const left = (this.#held.get(network) ?? 1) - 1;
      if (left > 0) this.#held.set(network, left);
      else this.#held.delete(network);
      this.#taken -= 1;
    };
  }
}
