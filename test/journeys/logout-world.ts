import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as client from 'openid-client';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { developer } from '../program/developer.ts';
import { type PlainBrowser, plainBrowser, type Visit } from '../program/plain-browser.ts';
import { type Program, type StartOptions, startProgram } from '../program/start.ts';

export const CALLBACK = 'https://rp.example/cb';
export const HOME = 'https://rp.example/signed-out';

/** The notifications that a relying party received, with their paths. */
interface Received {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** The back-channel logout addresses of all relying parties of a test. */
export interface BackChannel {
  /** Returns the notifications to the relying party of this name. */
  url(name: string): string;
  received(name: string): readonly Received[];
  /** Waits until the relying party has received at least this many. */
  until(name: string, count: number): Promise<readonly Received[]>;
  /** Sets its response to later notifications. `hang`: it never answers. */
  answer(name: string, status: number | 'hang'): void;
  close(): Promise<void>;
}

export async function startBackChannel(): Promise<BackChannel> {
  const all: Received[] = [];
  const answers = new Map<string, number | 'hang'>();
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      all.push({ path, type: request.headers['content-type'] ?? '', body });
      const status = answers.get(path) ?? 200;
      if (status !== 'hang') response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  const port = await listeningPort(server);
  const received = (name: string): readonly Received[] => all.filter(({ path }) => path === `/${name}`);
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    received,
    async until(name, count) {
      for (let attempt = 0; attempt < 1000 && received(name).length < count; attempt += 1) await sleep(20);
      assert.ok(received(name).length >= count, `${received(name).length} of ${count} for ${name}`);
      return received(name);
    },
    answer: (name, status) => void answers.set(`/${name}`, status),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A development server that may call this machine. */
export async function startLogoutProgram(options: StartOptions = {}): Promise<Program> {
  return await startProgram({
    mode: 'dev',
    ...options,
    environment: {
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      CHANCERY_LOGOUT_DELIVERY_INTERVAL: '1',
      CHANCERY_LOGOUT_RETRY_DELAY: '1',
      ...options.environment,
    },
  });
}

export async function relyingParty(program: Program, metadata: object = {}): Promise<client.Configuration> {
  return await client.dynamicClientRegistration(
    new URL(program.issuer),
    {
      redirect_uris: [CALLBACK],
      post_logout_redirect_uris: [HOME],
      grant_types: ['authorization_code', 'refresh_token'],
      client_name: 'Logout',
      ...metadata,
    },
    client.ClientSecretBasic(),
    { execute: [client.allowInsecureRequests], initialAccessToken: program.masterToken },
  );
}

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>;

/** Signs the developer in, or goes through where that has happened. */
export async function signIn(
  program: Program,
  browser: PlainBrowser,
  rp: client.Configuration,
  scope = 'openid',
): Promise<Tokens> {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
  const url = client.buildAuthorizationUrl(rp, {
    redirect_uri: CALLBACK,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    ...(scope.includes('offline_access') ? { prompt: 'consent' } : {}),
  });
  let page = await browser.open(url.href);
  if (page.html.includes('name="password"')) {
    page = await browser.submit(page, 'sign-in', await developer(program));
  }
  if (page.html.includes('value="allow"')) page = await browser.submit(page, 'allow');
  const checks = { pkceCodeVerifier, expectedState, expectedNonce };
  return await client.authorizationCodeGrant(rp, new URL(page.location ?? ''), checks);
}

/** Where a relying party sends the browser to log out. */
export function logoutUrl(rp: client.Configuration, parameters: Readonly<Record<string, string>>): string {
  const { end_session_endpoint = '' } = rp.serverMetadata();
  return `${end_session_endpoint}?${new URLSearchParams(parameters).toString()}`;
}

/** Whether the server asks for a password again. */
export async function isSignedIn(browser: PlainBrowser, rp: client.Configuration): Promise<boolean> {
  const url = client.buildAuthorizationUrl(rp, { redirect_uri: CALLBACK, scope: 'openid', prompt: 'none' });
  const { location = '' } = await browser.open(url.href);
  const { searchParams } = new URL(location);
  assert.ok(searchParams.has('code') || searchParams.get('error') === 'login_required', location);
  return searchParams.has('code');
}

export interface SignedInWorld {
  readonly browser: PlainBrowser;
  readonly rp: client.Configuration;
  readonly id_token: string;
  readonly tokens: Tokens;
}

/** A browser that is signed in at a relying party of its own. */
export async function signedIn(
  program: Program,
  metadata: object = {},
  scope = 'openid',
): Promise<SignedInWorld> {
  const browser = plainBrowser(program.issuer);
  const rp = await relyingParty(program, metadata);
  const tokens = await signIn(program, browser, rp, scope);
  return { browser, rp, tokens, id_token: tokens.id_token ?? assert.fail('no ID token') };
}

/** The dialog of RP-Initiated Logout, which is what a logout request leads to. */
export function assertDialog({ status, headers, html }: Visit): void {
  assert.equal(status, 200, html);
  assert.match(headers.get('content-type') ?? '', /^text\/html/);
  assert.match(html, /name="choice" value="logout"/);
}
