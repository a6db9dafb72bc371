import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { remoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import type { LogoutTokenNeeds } from '../clients/issued-jwt/logout-token.ts';
import { joseJwtSigner } from '../jose/compact-jws.ts';
import { joseJweDecrypter, joseJweEncrypter } from '../jose/jwe.ts';
import { joseJwtVerifier } from '../jose/jwt-verifier.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { Posted } from '../ports/outbound-http.ts';
import type { StoredSession } from '../ports/session-store.ts';
import { type BrowserCookies, signIn } from '../sessions/browser-session.ts';
import {
  type LogoutDelivery,
  type LogoutDeliveryNeeds,
  logoutDelivery,
} from '../sessions/logout-delivery.ts';
import type { LogoutRequestNeeds } from '../sessions/logout-request.ts';
import type { Subject } from '../spec/identifiers.ts';
import { systemRandom } from '../system/random.ts';
import { START, type TestEndUsers, testEndUsers } from './end-users.ts';
import { signedJwt, type TestKey, testKey } from './jwt.ts';
import { aClient, OPEN } from './storage/stored-examples.ts';

export const ISSUER = 'https://op.example.com/c2';
export const HOME = 'https://rp.example/signed-out';
export const BACK_CHANNEL = 'https://rp.example/back-channel';
export const KEY: TestKey = testKey('RS256', 'ours');

const METADATA = {
  client_name: 'The <b>Shop</b>',
  redirect_uris: ['https://rp.example/cb'],
  post_logout_redirect_uris: [HOME, 'https://rp.example/out?a=b', 'com.example.app:/out'],
  backchannel_logout_uri: BACK_CHANNEL,
};

interface SentForm {
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
}

/** Sessions and clients, and what clients are told of them. */
export interface TestLogout {
  readonly endUsers: TestEndUsers;
  readonly requests: LogoutRequestNeeds;
  readonly deliveryNeeds: LogoutDeliveryNeeds;
  readonly delivery: LogoutDelivery;
  /** The notifications that clients received. */
  readonly sent: SentForm[];
  readonly outcomes: string[];
  /** Sets the response of clients to later notifications. */
  answer(posted: Posted | ((url: string) => Promise<Posted>)): void;
  client(metadata?: object): Promise<StoredClient>;
  /** A session with the value of its cookie. */
  signedIn(...clients: readonly StoredClient[]): Promise<SignedInBrowser>;
  /** An ID token of ours for this client. */
  idToken(client: StoredClient, claims?: object, header?: object, key?: TestKey): string;
}

export interface SignedInBrowser {
  readonly session: StoredSession;
  readonly cookie: string;
}

export const TOLD: Posted = { status: 'answered', code: 200 };

export function testLogout(settings: Partial<LogoutRequestNeeds> = {}): TestLogout {
  const endUsers = testEndUsers();
  const { storage, sessions, lines } = endUsers;
  const { clock } = sessions;
  const sent: SentForm[] = [];
  const outcomes: string[] = [];
  let answer: (url: string) => Promise<Posted> = async () => TOLD;
  const note = (members: Readonly<Record<string, unknown>>, message: string): void =>
    void lines.push({ members, message });
  const deliveryNeeds: LogoutDeliveryNeeds = {
    notifications: storage.logoutNotifications,
    clients: storage.clients,
    tokens: TOKENS,
    outbound: {
      async postForm(url, form) {
        sent.push({ url, form });
        return await answer(url);
      },
    },
    clock,
    // No jitter, unless a test wants it.
    random: { ...systemRandom, bytes: (count) => new Uint8Array(count) },
    log: { info: note, warn: note, error: note },
    attemptsMax: 3,
    retryDelay: 5,
    attemptTime: 60,
    count: (outcome) => outcomes.push(outcome),
  };
  return {
    endUsers,
    requests: {
      hints: {
        issuer: ISSUER,
        keys: { verificationKeys: () => [KEY.jwk], decryptionKeys: async () => [] },
        verifier: joseJwtVerifier(clock),
        decrypter: joseJweDecrypter(),
      },
      clients: storage.clients,
      clock,
      hintAgeMax: 0,
      stateLengthMax: 1024,
      ...settings,
    },
    deliveryNeeds,
    delivery: logoutDelivery(deliveryNeeds),
    sent,
    outcomes,
    answer(posted) {
      answer = typeof posted === 'function' ? posted : async () => posted;
    },
    async client(metadata = {}) {
      const text = JSON.stringify({ ...METADATA, ...metadata });
      const client = aClient({ metadata: text, issued_at: START - 1000, registered_via: 'master:test' });
      await storage.clients.create(client, OPEN);
      return client;
    },
    signedIn: async (...clients) => await signedIn(endUsers, clients),
    idToken: ({ client_id }, claims = {}, header = {}, key = KEY) =>
      signedJwt(
        key,
        { iss: ISSUER, sub: 'ada', aud: client_id, iat: START, exp: START + 300, ...claims },
        { typ: 'JWT', ...header },
      ),
  };
}

const signer = joseJwtSigner();

const TOKENS: LogoutTokenNeeds = {
  issuer: ISSUER,
  pairwiseSecret: createSecretKey(Buffer.alloc(32, 7)),
  clientJwts: {
    keys: {
      canSign: (alg) => alg === KEY.algorithm,
      sign: async (claims, { alg, typ }) =>
        await signer.sign(
          claims,
          { alg, typ, kid: KEY.kid },
          { ...KEY.privateKey.export({ format: 'jwk' }) },
        ),
    },
    encrypter: joseJweEncrypter,
    jwkSets: remoteJwkSets({
      clock: { now: () => START, milliseconds: () => START * 1000 },
      outbound: {
        urlProblem: () => undefined,
        get: async () => ({ status: 'failed', reason: 'timeout', detail: 'nothing is fetched here' }),
      },
    }),
  },
};

async function signedIn(
  { sessions, storage }: TestEndUsers,
  clients: readonly StoredClient[],
): Promise<SignedInBrowser> {
  const none: BrowserCookies = { session: undefined, browser: undefined };
  const who = { sub: 'ada' as Subject, accountVersion: undefined, acr: null, amr: ['pwd'] };
  const signed = await signIn(sessions, who, none);
  assert.ok(signed.outcome === 'signed_in');
  for (const client of clients) await storage.sessions.addClient(signed.session.sid, client, START);
  return { session: signed.session, cookie: signed.cookies.session };
}
