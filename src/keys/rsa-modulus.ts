const BITS_MIN = 2048;
const BITS_MAX = 4096;

/** The odd primes below 752, which Let's Encrypt's key policy also tries. */
const SMALL_PRIMES: readonly bigint[] = primesBelow(752);

/** Rounds of Fermat's method. The first rounds find two primes that differ only in their lower halves. */
const FERMAT_ROUNDS = 100;

/** Returns why a modulus must be refused: its size, or a publicly known way to factor it. Returns undefined if it passes. */
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

/** Tries Fermat's factorisation: a² − n is soon a square if both primes are close to the root of n. */
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

/** Tells whether a number may be a square by its last hexadecimal digit. Four of five candidates need no root then. */
function couldBeSquare(number: bigint): boolean {
  const last = Number(number & 15n);
  return last === 0 || last === 1 || last === 4 || last === 9;
}

/** Returns the square root, rounded down, by Newton's method. */
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
 * The small primes of the ROCA test. The broken generator makes primes that are powers of 65537 modulo a product of small
 * primes. The modulus then lies in the subgroup that 65537 generates, modulo each of them (Nemec et al., 2017, §2.3).
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
