import assert from 'node:assert/strict';
import { networkLimits } from '../clients/rate-limits.ts';
import { answer } from '../endpoints/answer.ts';
import { browserOf } from '../endpoints/browser.ts';
import type { Endpoint, EndpointResponse } from '../endpoints/contract.ts';
import { endSession, endSessionForm } from '../endpoints/end-session/endpoint.ts';
import { endSessionConfirmation } from '../endpoints/end-session-confirmation/endpoint.ts';
import { openPages } from '../pages/liquid-pages.ts';
import type { LogoutRequestNeeds } from '../sessions/logout-request.ts';
import { type Answer, received, requestOf, type TestRequest } from './exchange.ts';
import { ISSUER, type TestLogout, testLogout } from './logout.ts';

const ORIGIN = new URL(ISSUER).origin;
const PAGES = openPages('/c2/assets/', undefined);

/** The cookies of a browser, by name. */
export type Jar = Map<string, string>;

export interface LogoutAnswer extends Answer {
  readonly cookies: readonly string[];
}

export interface Dialog extends LogoutAnswer {
  readonly handle: string;
  readonly form_token: string;
}

export interface TestLogoutPages extends TestLogout {
  readonly jar: Jar;
  readonly faults: unknown[];
  /** The browser has this session from now on. */
  use(cookie: string): void;
  get(parameters?: Readonly<Record<string, string>> | string, headers?: Headers): Promise<LogoutAnswer>;
  post(form: Readonly<Record<string, string>> | string, headers?: Headers): Promise<LogoutAnswer>;
  dialog(parameters?: Readonly<Record<string, string>>): Promise<Dialog>;
  /** As a page of ours would send it, but for what a test says. */
  choose(dialog: Dialog, choice: string, different?: Different): Promise<LogoutAnswer>;
}

type Headers = Readonly<Record<string, string>>;

export interface Different {
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Headers;
  readonly jar?: Jar;
  readonly query?: string;
  readonly handle?: string;
}

export interface PageOptions extends Partial<LogoutRequestNeeds> {
  readonly showErrorDetails?: boolean;
  /** From one network; 0 = no limit. */
  readonly interactionsPerMinute?: number;
  /** Waits for the notification of a client. If absent, the logout does not wait. */
  readonly patience?: () => Promise<void>;
}

/** The endpoints of RP-Initiated Logout, and one browser in front of them. */
export function testLogoutPages(options: PageOptions = {}): TestLogoutPages {
  const {
    showErrorDetails = false,
    interactionsPerMinute = 0,
    patience = async () => await new Promise<void>(() => undefined),
  } = options;
  const logout = testLogout(options);
  const { sessions, interactions, signIn, lines } = logout.endUsers;
  const note = (members: Headers | object, message: string): void =>
    void lines.push({ members: { ...members }, message });
  const needs = {
    issuer: ISSUER,
    pages: PAGES,
    settings: { 'pages.error-details': showErrorDetails },
    browser: browserOf(ISSUER),
    sessions,
    interactions,
    interactionLimits: networkLimits(
      { kind: 'interaction', perNetwork: interactionsPerMinute, overall: 0 },
      {
        store: logout.endUsers.storage.rates,
        clock: sessions.clock,
        log: { info: note, warn: note, error: note },
      },
    ),
    directory: signIn.directory,
    logoutRequests: logout.requests,
    delivery: logout.delivery,
    patience,
    form: { parameters: 32 },
    log: { info: note, warn: note, error: note },
  };
  const jar: Jar = new Map();
  const faults: unknown[] = [];
  const send = async (endpoint: Endpoint, request: TestRequest, own: Jar = jar): Promise<LogoutAnswer> => {
    const headers = { ...(own.size === 0 ? {} : { cookie: cookieHeader(own) }), ...request.headers };
    const response = await answer(
      endpoint,
      requestOf(endpoint.contract, { ...request, headers }),
      (failure) => void faults.push(failure),
    );
    keepCookies(own, response);
    return { ...(await received(endpoint.contract, response)), cookies: response.cookies ?? [] };
  };
  const get: TestLogoutPages['get'] = async (parameters = {}, headers = {}) =>
    await send(endSession(needs), { query: encoded(parameters), headers });
  return {
    ...logout,
    jar,
    faults,
    use: (cookie) => void jar.set(sessionCookieName(), cookie),
    get,
    post: async (form, headers = {}) => await send(endSessionForm(needs), { form: encoded(form), headers }),
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
      return await send(endSessionConfirmation(needs), request, different.jar);
    },
  };
}

const encoded = (parameters: Readonly<Record<string, string>> | string): string =>
  typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString();

export function sessionCookieName(): string {
  return browserOf(ISSUER).keep('session', 'x').split('=', 1)[0] ?? '';
}

const cookieHeader = (jar: Jar): string => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');

function keepCookies(jar: Jar, { cookies = [] }: EndpointResponse): void {
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
