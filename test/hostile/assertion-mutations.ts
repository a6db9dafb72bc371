/** The same numbers for the same seed (mulberry32). */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export type Below = (below: number) => number;
type Mutation = (jwt: string, below: Below) => string;

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ {}"\0é';

const character = (below: Below): string => CHARACTERS[below(CHARACTERS.length)] ?? '';

const spliced = (text: string, at: number, removed: number, put: string): string =>
  text.slice(0, at) + put + text.slice(at + removed);

/** Changes what a segment says, and encodes it as it should be. */
function inSegment(jwt: string, below: Below, change: (octets: Buffer) => Buffer): string {
  const segments = jwt.split('.');
  const at = below(segments.length);
  const octets = Buffer.from(segments[at] ?? '', 'base64url');
  return segments.with(at, change(octets).toString('base64url')).join('.');
}

const MUTATIONS: readonly Mutation[] = [
  (jwt, below) => spliced(jwt, below(jwt.length), 1, character(below)),
  (jwt, below) => spliced(jwt, below(jwt.length), 0, character(below)),
  (jwt, below) => spliced(jwt, below(jwt.length), 1 + below(8), ''),
  (jwt, below) => jwt.slice(0, below(jwt.length)),
  (jwt, below) => jwt.slice(1 + below(jwt.length - 1)),
  (jwt, below) => jwt + jwt.slice(below(jwt.length)),
  (jwt, below) => {
    const segments = jwt.split('.');
    return [segments[below(3)], segments[below(3)], segments[below(3)]].join('.');
  },
  (jwt, below) =>
    inSegment(jwt, below, (octets) => {
      const changed = Buffer.from(octets);
      const at = below(octets.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << below(8));
      return changed;
    }),
  (jwt, below) => inSegment(jwt, below, (octets) => octets.subarray(0, below(octets.length))),
  (jwt, below) =>
    inSegment(jwt, below, (octets) => {
      const at = below(octets.length);
      return Buffer.concat([octets.subarray(0, at), Buffer.from(character(below)), octets.subarray(at)]);
    }),
];

/** Returns `count` spoilt copies; each differs from the original. */
export function mutationsOf(jwt: string, count: number, seed: number): string[] {
  const below = randomNumbers(seed);
  const mutants: string[] = [];
  while (mutants.length < count) {
    const mutate = MUTATIONS[below(MUTATIONS.length)];
    const mutant = mutate?.(jwt, below);
    if (mutant !== undefined && mutant !== jwt) mutants.push(mutant);
  }
  return mutants;
}
