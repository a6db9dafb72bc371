/** A browser without scripts: it keeps cookies. Tests follow its redirects and fill in its forms. */
export interface PlainBrowser {
  /** One request, with what cookies it would send; redirections are not followed. */
  visit(url: string, form?: Readonly<Record<string, string>>): Promise<Visit>;
  /** Follows redirections until an answer is none, or leads away from the server. */
  open(url: string, form?: Readonly<Record<string, string>>): Promise<Visit>;
  /** Fills in the form of a page and sends it with the button of that value. */
  submit(page: Visit, choice: string, fields?: Readonly<Record<string, string>>): Promise<Visit>;
  cookies(): ReadonlyMap<string, string>;
}

export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Where a redirection leads, absolute; undefined where it is none. */
  readonly location: string | undefined;
}

type Send = (url: string, init: RequestInit & { headers: Record<string, string> }) => Promise<Response>;

/** @param issuer whose server is asked: whatever begins with it */
export function plainBrowser(issuer: string, send: Send = fetch): PlainBrowser {
  const jar = new Map<string, string>();

  async function visit(url: string, form?: Readonly<Record<string, string>>): Promise<Visit> {
    const sent = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await send(url, {
      redirect: 'manual',
      headers: {
        ...(sent === '' ? {} : { cookie: sent }),
        ...(form === undefined ? {} : { 'sec-fetch-site': 'same-origin', origin: 'null' }),
      },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) keep(jar, cookie);
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      headers: response.headers,
      html: await response.text(),
      location: location === null ? undefined : new URL(location, url).href,
    };
  }

  async function open(url: string, form?: Readonly<Record<string, string>>): Promise<Visit> {
    let page = await visit(url, form);
    while (page.location?.startsWith(`${issuer}/`) === true) page = await visit(page.location);
    return page;
  }

  return {
    visit,
    open,
    async submit(page, choice, fields = {}) {
      const { action, hidden } = formOf(page.html);
      return await open(new URL(action, page.url).href, { ...hidden, ...fields, choice });
    },
    cookies: () => jar,
  };
}

function keep(jar: Map<string, string>, cookie: string): void {
  const [pair = '', ...attributes] = cookie.split('; ');
  const equals = pair.indexOf('=');
  if (attributes.includes('Max-Age=0')) jar.delete(pair.slice(0, equals));
  else jar.set(pair.slice(0, equals), pair.slice(equals + 1));
}

/** The one form of a page of ours, as a browser reads it. */
export function formOf(html: string): {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
} {
  const action = /<form method="post" action="([^"]*)">/.exec(html)?.[1];
  if (action === undefined) throw new Error(`no form in:\n${html}`);
  const hidden = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  return {
    action: unescaped(action),
    hidden: Object.fromEntries(
      hidden.map(([, name = '', value = '']) => [unescaped(name), unescaped(value)]),
    ),
  };
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
