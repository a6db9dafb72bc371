import { formOf } from '../program/plain-browser.ts';

/** A page at the end of its redirections. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A person with a browser that runs no scripts. It keeps cookies by host, follows redirections from site to site, and fills in the server's forms. */
export interface Visitor {
  /** Goes to an address: signs in, allows and goes on wherever the server asks, until a page of another site is there. */
  go(url: string, body?: Body): Promise<Page>;
  /** The addresses of the last `go`, in order. */
  readonly way: readonly string[];
}

/** Fields of a form, or the JSON of a page's script. */
export type Body = { readonly form: Readonly<Record<string, string>> } | { readonly json: unknown };

interface Account {
  readonly username: string;
  readonly password: string;
}

const STEPS_MAX = 30;
const REDIRECTION = new Set([301, 302, 303, 307, 308]);

/**
 * @param issuer the server whose forms are filled in with `account`
 * @param consent what the person chooses on the consent page
 */
export function visitor(issuer: string, account: Account, consent: 'allow' | 'deny' = 'allow'): Visitor {
  const jars = new Map<string, Map<string, string>>();
  const way: string[] = [];

  async function send(url: string, body?: Body): Promise<Page> {
    if (way.push(url) > STEPS_MAX) throw new Error(`no end of redirections: ${way.join('\n')}`);
    const jar = jarOf(jars, url);
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...(jar.size === 0 ? {} : { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(body === undefined ? {} : { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' }),
        ...(body !== undefined && 'json' in body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body === undefined ? {} : { method: 'POST', body: encoded(body) }),
    });
    for (const cookie of answer.headers.getSetCookie()) keep(jar, cookie);
    const text = await answer.text();
    const location = answer.headers.get('location');
    if (location !== null && REDIRECTION.has(answer.status)) return await send(new URL(location, url).href);
    return { url, status: answer.status, headers: answer.headers, text };
  }

  async function go(url: string, body?: Body): Promise<Page> {
    way.length = 0;
    let page = await send(url, body);
    for (let next = fieldsFor(page); next !== undefined; next = fieldsFor(page)) {
      const { action, hidden } = formOf(page.text);
      page = await send(new URL(action, page.url).href, { form: { ...hidden, ...next } });
    }
    return page;
  }

  /** Returns the entries of the person into a page of the server; undefined where it asks nothing. */
  function fieldsFor({ url, status, text }: Page): Record<string, string> | undefined {
    if (!url.startsWith(`${issuer}/`) || status !== 200) return undefined;
    if (text.includes('name="password"')) return { ...account, choice: 'sign-in' };
    for (const choice of [consent, 'logout']) if (text.includes(`value="${choice}"`)) return { choice };
    // The page of form_post, which a browser sends by script.
    return /<input type="hidden" name="(state|code|error|response)"/.test(text) ? {} : undefined;
  }

  return { go, way };
}

function encoded(body: Body): string | URLSearchParams {
  return 'json' in body ? JSON.stringify(body.json) : new URLSearchParams(body.form);
}

function jarOf(jars: Map<string, Map<string, string>>, url: string): Map<string, string> {
  const { hostname } = new URL(url);
  const jar = jars.get(hostname) ?? new Map<string, string>();
  jars.set(hostname, jar);
  return jar;
}

function keep(jar: Map<string, string>, cookie: string): void {
  const [pair = '', ...attributes] = cookie.split(/; */);
  const equals = pair.indexOf('=');
  const name = pair.slice(0, equals);
  const ended = attributes.some((attribute) => /^(Max-Age=0|Expires=Thu, 01 Jan 1970.*)$/i.test(attribute));
  if (ended) jar.delete(name);
  else jar.set(name, pair.slice(equals + 1));
}
