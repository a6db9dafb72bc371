import type { Random } from '../../ports/random.ts';

/**
 * The letters of user codes. RFC 8628 §6.1 recommends these: no vowels, so that no words arise, and no letter that looks like
 * another or like a digit.
 */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const HALF = LENGTH / 2;
const CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`, 'u');
/** The greatest multiple of 20 in a byte: greater bytes would make some letters more likely than others. */
const UNBIASED_BELOW = 240;

/** Makes a user code such as `WDJB-MJHT`: 34 bits, for people to type. */
export function newUserCode(random: Random): string {
  let code = '';
  while (code.length < LENGTH) {
    const [byte = 0] = random.bytes(1);
    if (byte < UNBIASED_BELOW) code += LETTERS[byte % LETTERS.length];
  }
  return written(code);
}

/**
 * Returns a code as the server made it. RFC 8628 §6.1: the server should strip what a person adds, such as punctuation and spaces,
 * and ignore case.
 * @returns undefined for a text that can be no code
 */
export function readUserCode(typed: string): string | undefined {
  const code = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return CODE.test(code) ? written(code) : undefined;
}

const written = (code: string): string => `${code.slice(0, HALF)}-${code.slice(HALF)}`;
