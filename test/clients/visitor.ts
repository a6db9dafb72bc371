import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text as wholeText } from 'node:stream/consumers';
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
  /** One request, with the cookies of the browser; redirections are not followed. */
  look(url: string): Promise<Page>;
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

  async function look(url: string, body?: Body): Promise<Page> {
    const jar = jarOf(jars, url);
    const answer = await navigate(
      url,
      {
        accept: 'text/html',
        ...(jar.size === 0 ? {} : { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(body === undefined ? {} : { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' }),
      },
      body,
    );
    for (const cookie of answer.headers.getSetCookie()) keep(jar, cookie);
    return answer;
  }

  async function send(url: string, body?: Body): Promise<Page> {
    if (way.push(url) > STEPS_MAX) throw new Error(`no end of redirections: ${way.join('\n')}`);
    const page = await look(url, body);
    for (const frame of framesIn(page)) await navigate(frame, {}, undefined);
    const next = nextOf(page);
    return next === undefined ? page : await send(new URL(next, url).href);
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

  return { go, look: async (url) => await look(url), way };
}

/** Returns where a page sends the browser. */
function nextOf({ status, headers, text }: Page): string | undefined {
  const location = headers.get('location');
  if (location !== null && REDIRECTION.has(status)) return location;
  const refresh = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(text)?.[1];
  return refresh?.replaceAll('&amp;', '&');
}

/** Returns the addresses in a page's frames. They are of other sites, which get no cookies there. */
function framesIn({ text }: Page): readonly string[] {
  return [...text.matchAll(/<iframe src="([^"]*)"/g)].map(([, src = '']) => src.replaceAll('&amp;', '&'));
}

/** One request as a browser sends it when a person goes somewhere: some clients answer scripts otherwise, and `fetch` says that it is one. */
async function navigate(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Body | undefined,
): Promise<Page> {
  const json = body !== undefined && 'json' in body;
  const sent = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, {
    method: body === undefined ? 'GET' : 'POST',
    agent: false,
    headers: {
      ...headers,
      'sec-fetch-mode': json ? 'cors' : 'navigate',
      ...(body === undefined
        ? {}
        : { 'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded' }),
    },
  });
  sent.end(body === undefined ? '' : encoded(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const received = new Headers();
  for (const [name, values = []] of Object.entries(answer.headersDistinct))
    for (const value of values) received.append(name, value);
  return { url, status: answer.statusCode ?? 0, headers: received, text: await wholeText(answer) };
}

function encoded(body: Body): string {
  return 'json' in body ? JSON.stringify(body.json) : new URLSearchParams(body.form).toString();
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
