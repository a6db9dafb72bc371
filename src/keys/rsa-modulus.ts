const BITS_MIN = 2048;
const BITS_MAX = 4096;

/** The odd primes below 752, as Let's Encrypt's key policy tries them. */
const SMALL_PRIMES: readonly bigint[] = primesBelow(752);

/** Rounds of Fermat's method; two primes that differ in their lower halves only are found in the first ones. */
const FERMAT_ROUNDS = 100;

/**
 * Why a modulus must not be trusted, although it has the right size: it can be factored by what is publicly known.
 * @returns undefined for a modulus that none of this finds fault with.
 */
export function rsaModulusProblem(modulus: bigint): string | undefined {
  const bits = modulus.toString(2).length;
  if (bits < BITS_MIN) return `has a modulus of fewer than ${BITS_MIN} bits`;
  if (bits > BITS_MAX) return `has a modulus of more than ${BITS_MAX} bits`;
  if (modulus % 2n === 0n) return 'has an even modulus';
  if (SMALL_PRIMES.some((prime) => modulus % prime === 0n)) return 'has a modulus with a small factor';
  if (isRocaShaped(modulus))
    return 'has a modulus made by a generator that is known to be broken (CVE-2017-15361)';
  return hasClosePrimes(modulus) ? 'has a modulus of two primes that are too close to each other' : undefined;
}

function primesBelow(end: number): readonly bigint[] {
  const primes: number[] = [];
  for (let candidate = 3; candidate < end; candidate += 2) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes.map(BigInt);
}

/** Fermat's factorisation: a² − n is a square soon if the primes are close to the root of n. */
function hasClosePrimes(modulus: bigint): boolean {
  let a = squareRoot(modulus);
  if (a * a < modulus) a += 1n;
  for (let round = 0; round < FERMAT_ROUNDS; round += 1, a += 1n) {
    const difference = a * a - modulus;
    if (couldBeSquare(difference)) {
      const root = squareRoot(difference);
      if (root * root === difference) return true;
    }
  }
  return false;
}

/** Squares end in few hexadecimal digits; four out of five candidates need no root. */
function couldBeSquare(number: bigint): boolean {
  const last = Number(number & 15n);
  return last === 0 || last === 1 || last === 4 || last === 9;
}

/** Newton's method, rounded down. */
function squareRoot(number: bigint): bigint {
  if (number < 2n) return number;
  let estimate = 1n << BigInt((number.toString(2).length + 1) >> 1);
  while (true) {
    const better = (estimate + number / estimate) >> 1n;
    if (better >= estimate) return estimate;
    estimate = better;
  }
}

/**
 * Primes of the broken generator are powers of 65537 modulo a product of small primes, and so is the modulus: it lies
 * in the subgroup that 65537 generates, modulo each of them (Nemec et al., 2017, §2.3).
 */
const ROCA_PRIMES: readonly bigint[] = primesBelow(168);
const ROCA_SUBGROUPS: ReadonlyMap<bigint, ReadonlySet<bigint>> = new Map(
  ROCA_PRIMES.map((prime) => [prime, subgroupOf(65_537n % prime, prime)]),
);

function subgroupOf(generator: bigint, prime: bigint): ReadonlySet<bigint> {
  const elements = new Set<bigint>();
  for (let element = 1n; !elements.has(element); element = (element * generator) % prime)
    elements.add(element);
  return elements;
}

function isRocaShaped(modulus: bigint): boolean {
  return ROCA_PRIMES.every((prime) => ROCA_SUBGROUPS.get(prime)?.has(modulus % prime) === true);
}
