/** RFC 6749 §3.3: `scope-token = 1*( %x21 / %x23-5B / %x5D-7E )`. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

export function isScopeToken(text: string): boolean {
  return SCOPE_TOKEN.test(text);
}

/** The scope that every client may request that registered no `scope` (OpenID Connect Core 1.0 §3.1.2.1, §5.4 and §11). */
export const OPENID_SCOPE = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'] as const;

/**
 * Returns scope values in order, without repetitions. The empty string is the empty scope. RFC 6749 §3.3 has single spaces between
 * values. Clients join parts that may be empty, and send spaces at an end or side by side: they mean the same.
 * @returns undefined for a text with other characters, or of spaces alone
 */
export function parseScope(text: string): readonly string[] | undefined {
  if (text === '') return [];
  const values = text.split(' ').filter((value) => value !== '');
  return values.length > 0 && values.every(isScopeToken) ? [...new Set(values)] : undefined;
}

/** Above this, a set is faster to ask than a list. */
const LIST_MAX = 16;

/**
 * Returns a function that says whether a word is in the list. Client and request both choose how many words they name; the
 * time for comparing them grows with the sum of both numbers, not with their product.
 */
export function memberOf(words: readonly string[]): (word: string) => boolean {
  if (words.length <= LIST_MAX) return (word) => words.includes(word);
  const set = new Set(words);
  return (word) => set.has(word);
}
