/** Base 62 in the order of the characters' codes, so that texts of one length sort as their numbers do. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TIME_LENGTH = 8;
const COUNT_LENGTH = 3;
const COUNT_END = DIGITS.length ** COUNT_LENGTH;

export const LOCATOR_LENGTH = TIME_LENGTH + COUNT_LENGTH;

let count = 0;

/**
 * Eleven characters that sort by time of issue. In front of a random identifier they make inserts land side by side
 * in the index; they reveal when a token was issued, and nothing else.
 */
export function locatorAt(milliseconds: number): string {
  count = (count + 1) % COUNT_END;
  return base62(milliseconds, TIME_LENGTH) + base62(count, COUNT_LENGTH);
}

function base62(number: number, length: number): string {
  let text = '';
  let rest = number;
  for (let digit = 0; digit < length; digit += 1) {
    text = DIGITS[rest % DIGITS.length] + text;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}
