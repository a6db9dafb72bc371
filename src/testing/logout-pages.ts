import assert from 'node:assert/strict';
import type { Settings } from '../config/settings.ts';
import { browserOf } from '../endpoints/browser.ts';
import type { Answer, TestRequest } from './exchange.ts';
import { ISSUER, type TestLogout, testLogout } from './logout.ts';

const ORIGIN = new URL(ISSUER).origin;

/** The cookies of a browser, by name. */
export type Jar = Map<string, string>;

export interface Dialog extends Answer {
  readonly handle: string;
  readonly form_token: string;
}

export interface TestLogoutPages extends TestLogout {
  readonly jar: Jar;
  readonly faults: readonly unknown[];
  /** Gives the browser the cookie of this session. */
  use(cookie: string): void;
  get(parameters?: Readonly<Record<string, string>> | string, headers?: Headers): Promise<Answer>;
  post(form: Readonly<Record<string, string>> | string, headers?: Headers): Promise<Answer>;
  dialog(parameters?: Readonly<Record<string, string>>): Promise<Dialog>;
  /** Sends the form of the page, except for what is different. */
  choose(dialog: Dialog, choice: string, different?: Different): Promise<Answer>;
}

type Headers = Readonly<Record<string, string>>;

export interface Different {
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Headers;
  readonly jar?: Jar;
  readonly query?: string;
  readonly handle?: string;
}

/** Opens a tenant with these settings, and one browser in front of its logout endpoints. */
export async function testLogoutPages(settings: Partial<Settings> = {}): Promise<TestLogoutPages> {
  const logout = await testLogout(settings);
  const { tenant } = logout;
  const jar: Jar = new Map();
  const send = async (name: string, request: TestRequest, own: Jar = jar): Promise<Answer> => {
    const headers = { ...(own.size === 0 ? {} : { cookie: cookieHeader(own) }), ...request.headers };
    const answered = await tenant.send(name, { ...request, headers });
    keepCookies(own, answered);
    return answered;
  };
  const get: TestLogoutPages['get'] = async (parameters = {}, headers = {}) =>
    await send('end-session', { query: encoded(parameters), headers });
  return {
    ...logout,
    jar,
    faults: tenant.reports,
    use: (cookie) => void jar.set(sessionCookieName(), cookie),
    get,
    post: async (form, headers = {}) => await send('end-session-form', { form: encoded(form), headers }),
    async dialog(parameters = {}) {
      const page = await get(parameters);
      assert.equal(page.status, 200, page.body);
      return { ...page, ...formOf(page.body) };
    },
    async choose({ handle, form_token }, choice, different = {}) {
      const request = {
        segment: different.handle ?? handle,
        form: { form_token, choice, ...different.form },
        headers: different.headers ?? { origin: ORIGIN, 'sec-fetch-site': 'same-origin' },
        query: different.query ?? '',
      };
      return await send('end-session-confirmation', request, different.jar);
    },
  };
}

const encoded = (parameters: Readonly<Record<string, string>> | string): string =>
  typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString();

export function sessionCookieName(): string {
  return browserOf(ISSUER).keep('session', 'x').split('=', 1)[0] ?? '';
}

const cookieHeader = (jar: Jar): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');

function keepCookies(jar: Jar, { cookies }: Answer): void {
  for (const cookie of cookies) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (/;\s*max-age=0/i.test(cookie)) jar.delete(name);
    else jar.set(name, value);
  }
}

function formOf(html: string): { readonly handle: string; readonly form_token: string } {
  const [, handle] = /<form method="post" action="\/c2\/logout\/([A-Za-z0-9]{43})">/.exec(html) ?? [];
  const [, form_token] = /name="form_token" value="([^"]+)"/.exec(html) ?? [];
  assert.ok(handle !== undefined && form_token !== undefined, html);
  return { handle, form_token };
}

/** Checks the headers of a page (H-185). */
export function assertPage({ headers, body }: Answer, target = ''): void {
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.equal(headers['x-frame-options'], 'DENY');
  const policy = headers['content-security-policy'] ?? '';
  assert.ok(policy.includes(`form-action 'self'${target};`), policy);
  assert.ok(policy.startsWith("default-src 'none'; style-src 'self'"), policy);
  assert.ok(policy.endsWith("frame-ancestors 'none'; base-uri 'none'"), policy);
  assert.ok(!/<script/i.test(body), body);
}
