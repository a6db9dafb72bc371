/** The names of the loopback interface (RFC 8252 §8.3). */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/u.test(hostname)
  );
}

/**
 * Returns why `issuer` cannot be an issuer identifier, as words that follow its name ("must use https"), or undefined.
 *
 * An issuer is "a URL that uses the "https" scheme and has no query or fragment components" (RFC 8414 §2). Clients compare
 * it character by character (RFC 9207 §2.4), so only the canonical spelling of URL parsers passes. `allowLoopbackHttp`
 * permits `http` for loopback hosts.
 */
export function issuerProblem(issuer: string, allowLoopbackHttp: boolean): string | undefined {
  const url = URL.parse(issuer);
  if (url === null) return 'must be an absolute URL such as https://op.example.com';
  return (
    schemeProblem(url, allowLoopbackHttp) ?? componentProblem(url, issuer) ?? spellingProblem(url, issuer)
  );
}

function schemeProblem(url: URL, allowLoopbackHttp: boolean): string | undefined {
  if (url.protocol === 'https:') return undefined;
  if (url.protocol !== 'http:') return 'must use https';
  if (!isLoopbackHost(url.hostname)) return 'must use https';
  return allowLoopbackHttp
    ? undefined
    : 'must use https; http on a loopback host is for the development mode only';
}

function componentProblem(url: URL, issuer: string): string | undefined {
  // `URL` drops an empty query or fragment from its members, so this checks the text.
  if (issuer.includes('?')) return 'must not have a query';
  if (issuer.includes('#')) return 'must not have a fragment';
  if (url.username !== '' || url.password !== '' || issuer.includes('@'))
    return 'must not have user information';
  if (issuer.endsWith('/')) return 'must not end with a slash';
  if (url.pathname.includes('//')) return 'must not have an empty path segment';
  return undefined;
}

function spellingProblem(url: URL, issuer: string): string | undefined {
  const canonical = url.pathname === '/' ? url.origin : url.href;
  return issuer === canonical ? undefined : `must be written as ${canonical}`;
}

/** Returns the path of a valid issuer, the prefix of every endpoint: '' or '/c2'. */
export function issuerPath(issuer: string): string {
  const { pathname } = new URL(issuer);
  return pathname === '/' ? '' : pathname;
}
