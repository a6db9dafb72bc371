import assert from 'node:assert/strict';
import type { StoredAccount } from '../../src/ports/account-store.ts';
import type { TenantStorage } from '../../src/ports/storage.ts';
import { type AccountNeeds, addAccount } from '../../src/sessions/manage-account.ts';
import type { TenantId } from '../../src/spec/identifiers.ts';
import { systemClock } from '../../src/system/clock.ts';
import { argon2PasswordHasher } from '../../src/system/password-hasher.ts';
import { systemRandom } from '../../src/system/random.ts';
import { codeRequest, type Fields, formText, VERIFIER } from '../program/code-request.ts';
import { type PlainBrowser, plainBrowser, type Visit } from '../program/plain-browser.ts';
import type { Program } from '../program/start.ts';
import { openProgramStorage, storageAt } from '../program/storage-place.ts';

export const CALLBACK = 'https://rp.example/cb';
/** Stands in the audit. Not imported from `src/testing`, which registers tests: `npm run faults` uses this file too. */
const ACTOR = { actor: 'cli', request_id: 'test' } as const;
/** The program's own: it would make other hashes anew, and change the account with that. */
const PASSWORD_PARAMETERS = { memoryKib: 19_456, passes: 2, lanes: 1 };

type Json = Readonly<Record<string, unknown>>;

export interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
  readonly registration_access_token: string;
}

export interface Person {
  readonly username: string;
  readonly password: string;
}

/** Changes accounts beside the program, as a command does. */
export interface Accounts {
  readonly needs: AccountNeeds;
  readonly tenant: TenantStorage;
  add(person: Person): Promise<StoredAccount>;
  close(): Promise<void>;
}

export async function accountsBeside({ folder, tenant: id }: Program, url?: string): Promise<Accounts> {
  const storage = url === undefined ? await openProgramStorage(folder) : await storageAt(url);
  const tenant = storage.forTenant(id as TenantId);
  const passwords = argon2PasswordHasher(
    { parameters: PASSWORD_PARAMETERS, concurrency: 1, waitingMax: 9 },
    systemRandom,
  );
  const needs = { accounts: tenant.accounts, passwords, clock: systemClock, random: systemRandom };
  return {
    needs,
    tenant,
    add: async (person) => await addAccount(needs, { ...person, claims: { email: 'e@example.com' } }, ACTOR),
    close: async () => await storage.close(),
  };
}

/** Where the program answers for an address below its issuer. */
export const reached = ({ issuer, url }: Program, address: string): string => address.replace(issuer, url);

/** Returns a browser that reaches the listener at the issuer's address. */
export function browserAt(program: Program): PlainBrowser {
  return plainBrowser(program.issuer, async (url, init) => await fetch(reached(program, url), init));
}

export const cookieHeader = (browser: PlainBrowser): string =>
  [...browser.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');

export async function register(program: Program, metadata: object = {}): Promise<Registered> {
  const answer = await fetch(`${program.url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      ...metadata,
    }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return JSON.parse(text) as Registered;
}

export function authorizeUrl({ issuer }: Program, { client_id }: Registered, change: Fields = {}): string {
  return codeRequest(issuer, { client_id, redirect_uri: CALLBACK }, change);
}

/** Through every page that comes, as `person`, to the client. */
export async function through(browser: PlainBrowser, url: string, person: Person): Promise<Visit> {
  let page = await browser.open(url);
  if (page.html.includes('name="password"')) page = await browser.submit(page, 'sign-in', { ...person });
  if (page.html.includes('value="allow"')) page = await browser.submit(page, 'allow');
  return page;
}

/** The parameters that an answer brings to the client, or would post to it. */
export function answered({ location, html }: Visit): Readonly<Record<string, string>> {
  if (location === undefined) {
    const inputs = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
    return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
  }
  const { search, hash } = new URL(location);
  return Object.fromEntries(new URLSearchParams(hash === '' ? search : hash.slice(1)));
}

export interface Called {
  readonly status: number;
  readonly json: Json;
}

/** A form to the program, as a client that authenticates. */
export async function call(program: Program, path: string, as: Registered, form: Fields): Promise<Called> {
  const credentials =
    as.client_secret === undefined
      ? ''
      : Buffer.from(`${as.client_id}:${as.client_secret}`).toString('base64');
  const answer = await fetch(`${program.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(credentials === '' ? {} : { authorization: `Basic ${credentials}` }),
    },
    body: formText(credentials === '' ? { client_id: as.client_id, ...form } : form),
  });
  return { status: answer.status, json: asJson(await answer.text()) };
}

const asJson = (text: string): Json => (text.startsWith('{') ? (JSON.parse(text) as Json) : {});

export async function redeem(
  program: Program,
  as: Registered,
  code: string | undefined,
  change: Fields = {},
): Promise<Called> {
  return await call(program, '/token', as, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    ...change,
  });
}
