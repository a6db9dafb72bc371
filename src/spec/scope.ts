/** RFC 6749 §3.3: `scope-token = 1*( %x21 / %x23-5B / %x5D-7E )`. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

export function isScopeToken(text: string): boolean {
  return SCOPE_TOKEN.test(text);
}

/**
 * Scope values in their order, without repetitions; the empty string is the empty scope.
 * @returns undefined where the text is not of the form of RFC 6749 §3.3 (values separated by one space each).
 */
export function parseScope(text: string): readonly string[] | undefined {
  if (text === '') return [];
  const values = text.split(' ');
  return values.every(isScopeToken) ? [...new Set(values)] : undefined;
}
