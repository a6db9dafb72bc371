/** RFC 6265 §4.1.1, `cookie-octet`; what we set is in it. */
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** Longer headers hold no cookie of ours: browsers keep 4 KB for one, and the edge bounds the header section. */
const HEADER_LENGTH_MAX = 8192;

/**
 * The name of a cookie of ours. With the prefix `__Host-` browsers take it only from a secure origin, for the whole host
 * and for no other one (RFC 6265bis §4.1.3.2); over plain http, on one's desk, there is no prefix.
 */
export function cookieName(base: string, secure: boolean): string {
  return secure ? `__Host-${base}` : base;
}

export interface CookieToSet {
  /** As `cookieName` gives it. */
  readonly name: string;
  readonly value: string;
  /** Seconds; 0 removes the cookie; undefined ends it with the browser's session. */
  readonly maxAge: number | undefined;
  readonly secure: boolean;
}

/** A `Set-Cookie` value (RFC 6265 §4.1): no script reads the cookie, and no other site's form sends it. */
export function setCookie({ name, value, maxAge, secure }: CookieToSet): string {
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`;
  return `${name}=${value}; Path=/${age}${secure ? '; Secure' : ''}; HttpOnly; SameSite=Lax`;
}

/**
 * The value of one cookie in a `Cookie` header (RFC 6265 §4.2). Undefined where it is absent, malformed, or there more
 * than once: then somebody else may have set one of them, and nobody knows which.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > HEADER_LENGTH_MAX) return undefined;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  return values.length === 1 && value !== undefined && COOKIE_VALUE.test(value) ? value : undefined;
}
