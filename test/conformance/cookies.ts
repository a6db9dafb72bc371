import type { Reply } from './http.ts';

interface Cookie {
  readonly name: string;
  readonly path: string;
  readonly value: string;
}

/** The cookies of a browser at one provider (RFC 6265 §5.3, §5.4): by name and path; the host is the provider's. */
export class CookieJar {
  readonly #cookies = new Map<string, Cookie>();

  /** Returns the header `Cookie` of a request, if there is one to send. */
  headerFor(url: string): Record<string, string> {
    const { pathname } = new URL(url);
    const sent = [...this.#cookies.values()]
      .filter(({ path }) => matches(pathname, path))
      .sort((a, b) => b.path.length - a.path.length);
    return sent.length === 0 ? {} : { cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; ') };
  }

  keep({ url, headers }: Reply): void {
    const lines = headers['set-cookie'];
    for (const line of typeof lines === 'string' ? [lines] : (lines ?? [])) this.#keepOne(url, line);
  }

  #keepOne(url: string, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const attribute = (name: string): string | undefined =>
      attributes.find((each) => each.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(pair.indexOf('=') + 1);
    const path = attribute('path') ?? defaultPath(new URL(url).pathname);
    const key = `${name} ${path}`;
    const age = attribute('max-age');
    const expires = attribute('expires');
    const over =
      age === undefined ? expires !== undefined && Date.parse(expires) <= Date.now() : Number(age) <= 0;
    if (over) this.#cookies.delete(key);
    else this.#cookies.set(key, { name, path, value });
  }
}

function matches(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}

/** RFC 6265 §5.1.4. */
function defaultPath(pathname: string): string {
  const last = pathname.lastIndexOf('/');
  return last <= 0 ? '/' : pathname.slice(0, last);
}
