import { codeRequest, type Fields } from '../../test/program/code-request.ts';
import { type PlainBrowser, plainBrowser, type Visit } from '../../test/program/plain-browser.ts';
import { buildRouter, type Router } from '../http/router.ts';
import type { StoredAccount } from '../ports/account-store.ts';
import { type AccountNeeds, addAccount } from '../sessions/manage-account.ts';
import { argon2PasswordHasher } from '../system/password-hasher.ts';
import { systemRandom } from '../system/random.ts';
import { ACTOR, ADA, QUICK } from './end-users.ts';
import { CALLBACK, type ClientInformation, ISSUER, type TestTenant } from './tenant.ts';

/** A client of the code flow that the operator registered. */
export const RELYING_PARTY = {
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  client_name: 'Paper Clips',
};

/** An end-user with an account of a tenant and a browser. */
export interface TestPerson {
  readonly account: StoredAccount;
  /** For what happens to the account. */
  readonly accounts: AccountNeeds;
  readonly browser: PlainBrowser;
  /** The page, or the answer, that an authorisation request leads to. */
  ask(client: ClientInformation, change?: Fields): Promise<Visit>;
  /** The same, after signing in and agreeing wherever a page asks for that. */
  grant(client: ClientInformation, change?: Fields): Promise<Visit>;
  signIn(page: Visit): Promise<Visit>;
}

export function authorizationUrl(
  { client_id }: Pick<ClientInformation, 'client_id'>,
  change: Fields = {},
): string {
  return codeRequest(ISSUER, { client_id, redirect_uri: CALLBACK }, change);
}

export async function aPerson(
  tenant: TestTenant,
  who: { readonly username: string; readonly password: string; readonly claims: object } = ADA,
): Promise<TestPerson> {
  const passwords = argon2PasswordHasher({ parameters: QUICK, concurrency: 2, waitingMax: 10 }, systemRandom);
  const accounts = {
    accounts: tenant.storage.accounts,
    passwords,
    clock: tenant.clock,
    random: systemRandom,
  };
  const claims = Object.fromEntries(Object.entries(who.claims));
  const account = await addAccount(accounts, { ...who, claims }, ACTOR);
  return { account, accounts, ...inFrontOf(browserOf(tenant), who) };
}

/** Another browser of the same end-user. */
export function inFrontOf(
  browser: PlainBrowser,
  { username, password }: { readonly username: string; readonly password: string } = ADA,
): Omit<TestPerson, 'account' | 'accounts'> {
  const signIn: TestPerson['signIn'] = async (page) =>
    await browser.submit(page, 'sign-in', { username, password });
  const ask: TestPerson['ask'] = async (client, change) =>
    await browser.open(authorizationUrl(client, change));
  return {
    browser,
    ask,
    signIn,
    async grant(client, change) {
      let page = await ask(client, change);
      if (page.html.includes('name="password"')) page = await signIn(page);
      if (page.html.includes('value="allow"')) page = await browser.submit(page, 'allow');
      return page;
    },
  };
}

/** A browser before the endpoints of a tenant. @param always headers of each request */
export function browserOf(tenant: TestTenant, always: Readonly<Record<string, string>> = {}): PlainBrowser {
  let router: Router | undefined;
  return plainBrowser(ISSUER, async (url, { method = 'GET', headers, body }) => {
    const { pathname, search } = new URL(url);
    router ??= buildRouter([await tenant.site()]);
    const match = router.find(pathname);
    const endpoint = match?.resource.routes.get(method);
    if (match === undefined || endpoint === undefined)
      throw new Error(`nothing stands at ${method} ${pathname}`);
    const form = body instanceof URLSearchParams ? body.toString() : '';
    const answered = await tenant.ask(endpoint, {
      segment: match.segments['id'] ?? '',
      segments: match.segments,
      query: search.slice(1),
      form,
      headers: Object.assign({}, headers, always),
    });
    const sent = new Headers(answered.headers);
    for (const cookie of answered.cookies) sent.append('set-cookie', cookie);
    return new Response(answered.body, { status: answered.status, headers: sent });
  });
}

/** Fields of the answer that a client gets in an address. */
export function answeredTo({ location = '' }: Visit): Readonly<Record<string, string>> {
  const { search, hash } = new URL(location);
  return Object.fromEntries(new URLSearchParams(hash === '' ? search : hash.slice(1)));
}
