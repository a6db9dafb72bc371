/**
 * Characters of a page. A reader that stops reading keeps its page in memory, and a client may be as large as
 * `limits.body`. So pages begin small and grow while their clients are small.
 */
const PAGE_LENGTH = 65_536;
export const FIRST_PAGE = 1;

/**
 * Returns how many clients the next page may have.
 * @param limit how many the last one might have
 * @param length the characters of the last one
 */
export const nextLimit = (limit: number, length: number, most: number): number =>
  Math.min(most, Math.max(1, Math.floor((limit * PAGE_LENGTH) / Math.max(1, length))), 4 * limit);
