import assert from 'node:assert/strict';
import type { Settings } from '../config/settings.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { Posted } from '../ports/outbound-http.ts';
import type { StoredSession } from '../ports/session-store.ts';
import { type BrowserCookies, signIn } from '../sessions/browser-session.ts';
import type { LogoutDelivery } from '../sessions/logout-delivery.ts';
import type { LogoutRequestNeeds } from '../sessions/logout-request.ts';
import type { ClientId, Subject } from '../spec/identifiers.ts';
import { systemRandom } from '../system/random.ts';
import { openLogout } from '../tenant/logout.ts';
import { endUsersOf, START, type TestEndUsers } from './end-users.ts';
import { signedJwt, type TestKey, testKey } from './jwt.ts';
import { type TestPlatform, testPlatform } from './platform.ts';
import { aClient, OPEN } from './storage/stored-examples.ts';
import { ISSUER, type TestTenant, testTenant } from './tenant.ts';

export { ISSUER };

export const HOME = 'https://rp.example/signed-out';
export const BACK_CHANNEL = 'https://rp.example/back-channel';
export const KEY: TestKey = testKey('RS256', 'ours');

/** The server signs with `KEY`, so that a test can make any ID token. */
const KEYS = {
  'keys.jwk-set': JSON.stringify({
    keys: [{ ...KEY.privateKey.export({ format: 'jwk' }), kid: KEY.kid, use: 'sig', alg: KEY.algorithm }],
  }),
};

const METADATA = {
  grant_types: ['authorization_code'],
  client_name: 'The <b>Shop</b>',
  redirect_uris: ['https://rp.example/cb'],
  post_logout_redirect_uris: [HOME, 'https://rp.example/out?a=b', 'com.example.app:/out'],
  backchannel_logout_uri: BACK_CHANNEL,
};

interface SentForm {
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
}

/** A tenant with sessions and clients, and what its clients are told of logouts. */
export interface TestLogout {
  readonly tenant: TestTenant;
  readonly endUsers: TestEndUsers;
  readonly requests: LogoutRequestNeeds;
  readonly delivery: LogoutDelivery;
  /** The notifications that clients received. */
  readonly sent: readonly SentForm[];
  readonly outcomes: readonly string[];
  /** Sets the response of clients to later notifications. */
  answer(posted: Posted | ((url: string) => Promise<Posted>)): void;
  client(metadata?: object): Promise<StoredClient>;
  /** Begins a session that these clients take part in. */
  signedIn(...clients: readonly StoredClient[]): Promise<SignedInBrowser>;
  /** Returns an ID token that the server issued to this client. */
  idToken(client: StoredClient, claims?: object, header?: object, key?: TestKey): string;
  /** Opens the same tenant again, as another process does. */
  again(settings?: Partial<Settings>): Promise<TestLogout>;
}

export interface SignedInBrowser {
  readonly session: StoredSession;
  /** The value of its cookie. */
  readonly cookie: string;
}

export const TOLD: Posted = { status: 'answered', code: 200 };

/** @param jitter the octet that makes the random part of a retry delay; 0 adds nothing */
export async function testLogout(settings: Partial<Settings> = {}, jitter = 0): Promise<TestLogout> {
  const sent: SentForm[] = [];
  let answer: (url: string) => Promise<Posted> = async () => TOLD;
  const platform = testPlatform({
    outbound: {
      async postForm(url, form) {
        sent.push({ url, form });
        return await answer(url);
      },
    },
    random: { bytes: (count) => (count === 2 ? Buffer.alloc(2, jitter) : systemRandom.bytes(count)) },
  });
  return await logoutOn(platform, settings, {
    sent,
    answer(posted) {
      answer = typeof posted === 'function' ? posted : async () => posted;
    },
  });
}

async function logoutOn(
  platform: TestPlatform,
  settings: Partial<Settings>,
  clients: Pick<TestLogout, 'sent' | 'answer'>,
): Promise<TestLogout> {
  const tenant = testTenant({ platform, settings: { ...KEYS, ...settings } });
  const { issuing, serverKeys, logoutDelivery } = await tenant.opened();
  const endUsers = await endUsersOf(tenant);
  return {
    ...clients,
    tenant,
    endUsers,
    requests: openLogout({ ...platform, ...issuing, keys: serverKeys.keys }).logoutRequests,
    delivery: logoutDelivery,
    outcomes: platform.logoutAttempts,
    client: async (metadata = {}) => await storedClient(endUsers, { ...METADATA, ...metadata }),
    signedIn: async (...participants) => await signedIn(endUsers, participants),
    idToken: ({ client_id }, claims = {}, header = {}, key = KEY) =>
      signedJwt(
        key,
        { iss: ISSUER, sub: 'ada', aud: client_id, iat: START, exp: START + 300, ...claims },
        { typ: 'JWT', ...header },
      ),
    again: async (changes = {}) => await logoutOn(platform, { ...settings, ...changes }, clients),
  };
}

/** Stores a client that was registered before the clock of the tests starts. */
async function storedClient({ storage }: TestEndUsers, metadata: object): Promise<StoredClient> {
  const text = JSON.stringify(metadata);
  const client = aClient({ metadata: text, issued_at: START - 1000, registered_via: 'master:test' });
  await storage.clients.create(client, OPEN);
  return client;
}

async function signedIn(
  { sessions, storage }: TestEndUsers,
  clients: readonly StoredClient[],
): Promise<SignedInBrowser> {
  const none: BrowserCookies = { session: undefined, browser: undefined };
  const who = { sub: 'ada' as Subject, accountVersion: undefined, acr: null, amr: ['pwd'] };
  const signed = await signIn(sessions, who, none, {
    client_id: 'rp' as ClientId,
    method: 'password',
    origin: { remoteAddress: '192.0.2.7', request_id: 'r', userAgent: undefined },
  });
  assert.ok(signed.outcome === 'signed_in');
  for (const client of clients) await storage.sessions.addClient(signed.session.sid, client, START);
  return { session: signed.session, cookie: signed.cookies.session };
}
