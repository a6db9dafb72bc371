import type { JsonValue } from './json.ts';

/**
 * Says whether the `aud` of a JWT is `expected` and nothing else. RFC 7519 §4.1.3: the general form is an array, and "in the
 * special case when the JWT has one audience", a string. Both forms say the same (decision 45).
 */
export function isSoleAudience(aud: JsonValue | undefined, expected: string): boolean {
  return aud === expected || (Array.isArray(aud) && aud.length === 1 && aud[0] === expected);
}
