import { CookieJar } from './cookies.ts';
import type { Reply, Send } from './http.ts';
import { addressesOf, type Form, formsOf, type Page, refreshOf } from './page.ts';

/** How to get past one kind of page of a provider: what a person would do there. */
export interface PageRule {
  /** `sign-in`, `consent`, `logout`: conditions ask which pages were shown. */
  readonly kind: string;
  /** The page's form, or the page itself, contains this text. */
  readonly has: string;
  /** The texts that the person writes, and the button that the person presses. */
  readonly fields: Readonly<Record<string, string>>;
  /** The same of a person who says no. */
  readonly refusal?: Readonly<Record<string, string>>;
}

/** Where the browser ends. `callback`: at an address of the relying party, by a redirection or by a form that posts itself. */
export interface Landed {
  readonly callback?: {
    readonly url: string;
    readonly method: 'GET' | 'POST';
    readonly contentType: string;
    readonly form: Readonly<Record<string, string>>;
  };
  /** The page that it ends on, where that is no address of the relying party. */
  readonly page?: Page;
  /** The pages that it went through, with the kinds of their rules. */
  readonly shown: readonly { readonly kind: string; readonly page: Page }[];
  /** The addresses that frames of the pages loaded at the relying party. */
  readonly framed: readonly string[];
}

export interface Journey {
  readonly method?: 'GET' | 'POST';
  /** Stops at the first page of this kind. */
  readonly until?: string;
  /** Whether the person says no. */
  readonly refuse?: boolean;
}

/** More pages than any sign-in shows. */
const PAGES_MAX = 20;

/** A browser without scripts. It keeps cookies, follows redirections, and acts on pages by the provider's rules. */
export class ConformanceBrowser {
  readonly #jar = new CookieJar();
  readonly #send: Send;
  readonly #rules: readonly PageRule[];
  readonly #site: string;

  /** @param site what the addresses of the relying party begin with: the browser does not call them */
  constructor(send: Send, rules: readonly PageRule[], site: string) {
    this.#send = send;
    this.#rules = rules;
    this.#site = site;
  }

  async go(address: string, { method = 'GET', until, refuse = false }: Journey = {}): Promise<Landed> {
    const shown: { kind: string; page: Page }[] = [];
    const framed: string[] = [];
    let reply = await this.#first(address, method);
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const location = redirection(reply);
      if (location?.startsWith(this.#site) === true) return arrived(location, { shown, framed });
      if (location !== undefined) {
        reply = await this.#request(location);
        continue;
      }
      framed.push(...addressesOf(pageOf(reply), 'iframe').filter((each) => each.startsWith(this.#site)));
      const next = this.#onPage(pageOf(reply), shown, { until, refuse });
      if (next.landed !== undefined) return { ...next.landed, shown, framed };
      if (next.address?.startsWith(this.#site) === true) return arrived(next.address, { shown, framed });
      if (next.address !== undefined) reply = await this.#request(next.address);
      else if (next.form !== undefined) reply = await this.#submit(next.form, next.fields ?? {});
    }
    throw new Error(`more than ${PAGES_MAX} pages from ${address}`);
  }

  /** Decides what a person does on a page. */
  #onPage(
    page: Page,
    shown: { kind: string; page: Page }[],
    { until, refuse }: { readonly until: string | undefined; readonly refuse: boolean },
  ): {
    landed?: Omit<Landed, 'shown' | 'framed'>;
    address?: string;
    form?: Form;
    fields?: Readonly<Record<string, string>>;
  } {
    const forms = formsOf(page);
    const posting = forms.find(({ action }) => action.startsWith(this.#site));
    if (posting !== undefined) return { landed: { callback: posted(posting) } };
    const rule = this.#rules.find(({ has }) => page.html.includes(has));
    if (rule !== undefined) {
      shown.push({ kind: rule.kind, page });
      const form = forms.find(({ html }) => html.includes(rule.has)) ?? forms[0];
      if (rule.kind === until || form === undefined) return { landed: { page } };
      return { form, fields: refuse ? (rule.refusal ?? rule.fields) : rule.fields };
    }
    const address = refreshOf(page) ?? addressesOf(page, 'a').find((each) => each.startsWith(this.#site));
    return address === undefined ? { landed: { page } } : { address };
  }

  async #first(address: string, method: string): Promise<Reply> {
    if (method === 'GET') return await this.#request(address);
    const { origin, pathname, searchParams } = new URL(address);
    return await this.#request(`${origin}${pathname}`, Object.fromEntries(searchParams));
  }

  async #submit({ action, method, hidden }: Form, fields: Readonly<Record<string, string>>): Promise<Reply> {
    if (method === 'POST') return await this.#request(action, { ...hidden, ...fields });
    const query = new URLSearchParams({ ...hidden, ...fields }).toString();
    return await this.#request(`${action.split('?')[0] ?? action}?${query}`);
  }

  async #request(url: string, form?: Readonly<Record<string, string>>): Promise<Reply> {
    const posted = { 'sec-fetch-site': 'same-origin', origin: new URL(url).origin };
    const reply = await this.#send(url, {
      headers: { ...this.#jar.headerFor(url), ...(form === undefined ? {} : posted) },
      ...(form === undefined ? {} : { form }),
    });
    this.#jar.keep(reply);
    return reply;
  }
}

function redirection({ url, status, headers }: Reply): string | undefined {
  const location = headers['location'];
  return status >= 300 && status < 400 && typeof location === 'string'
    ? new URL(location, url).href
    : undefined;
}

function arrived(url: string, before: Pick<Landed, 'shown' | 'framed'>): Landed {
  return { ...before, callback: { url, method: 'GET', contentType: '', form: {} } };
}

function posted({ action, method, hidden }: Form): NonNullable<Landed['callback']> {
  const contentType = 'application/x-www-form-urlencoded';
  return { url: action, method: method === 'POST' ? 'POST' : 'GET', contentType, form: hidden };
}

function pageOf({ url, status, text, headers }: Reply): Page {
  return { url, status, html: text, headers };
}
