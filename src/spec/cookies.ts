/** RFC 6265 §4.1.1, `cookie-octet`: the alphabet of the server's cookies. */
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/**
 * Returns the name of one of the server's cookies. With the prefix `__Host-`, browsers accept it only from a secure origin
 * and for that host alone (RFC 6265bis §4.1.3.2). Plain http in development has no prefix.
 */
export function cookieName(base: string, secure: boolean): string {
  return secure ? `__Host-${base}` : base;
}

export interface CookieToSet {
  /** A name from `cookieName`. */
  readonly name: string;
  readonly value: string;
  /** Seconds; 0 removes the cookie; undefined ends it with the browser's session. */
  readonly maxAge: number | undefined;
  readonly secure: boolean;
}

/** Returns a `Set-Cookie` value (RFC 6265 §4.1). Scripts cannot read the cookie, and forms of other sites do not send it. */
export function setCookie({ name, value, maxAge, secure }: CookieToSet): string {
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`;
  return `${name}=${value}; Path=/${age}${secure ? '; Secure' : ''}; HttpOnly; SameSite=Lax`;
}

/**
 * Returns the value of one cookie in a `Cookie` header (RFC 6265 §4.2). Returns undefined if it is absent, malformed or
 * repeated: another host may have set one of the copies. Cookies of other hosts do not count: `limits.header` bounds the header.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  return values.length === 1 && value !== undefined && COOKIE_VALUE.test(value) ? value : undefined;
}
