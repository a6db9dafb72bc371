import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { makeKeys } from '../../../bench/processes/oidc-provider-parts.ts';
import type { CertificateAuthority } from '../../tls/certificate.ts';
import type { PageRule } from '../browser.ts';
import { type Send, sender } from '../http.ts';
import { ACCOUNT } from '../real-suite/account.ts';
import { BROWSER_ORIGIN } from '../site.ts';
import type { Target } from '../world.ts';
import { MemoryAdapter } from './memory-adapter.ts';

/** oidc-provider's own pages for developers. Its sign-in form takes any password. */
const PAGES: readonly PageRule[] = [
  { kind: 'sign-in', has: 'name="password"', fields: { login: ACCOUNT.username, password: 'any' } },
  { kind: 'consent', has: 'name="prompt" value="consent"', fields: {} },
  { kind: 'logout', has: 'op.logoutForm', fields: { logout: 'yes' } },
];
const NEVER_SENT = 'https://unused.example';
const SECRET = 'a secret of forty characters for a client';

/** Starts oidc-provider with every feature that the plans ask for, over https on a free port. */
export async function startOidcProvider(
  authority: CertificateAuthority,
): Promise<{ target: Target; stop(): Promise<void> }> {
  const send = sender(authority.certificate);
  const server = createServer(authority.issue({ addresses: ['127.0.0.1'] }), (request, response) => {
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let keys = makeKeys();
  let listener = new Provider(issuer, configuration(keys, send)).callback();
  return {
    target: {
      name: 'oidc-provider',
      issuer,
      send,
      pages: PAGES,
      // It keeps a client's keys for a minute.
      settings: { jwks_refresh_delay: '61' },
      clients: Object.fromEntries(
        CLIENTS.map((client) => [client.client_id.replace('static-', ''), { ...client }]),
      ),
      // A new instance with the new keys in front, as a restart of its process would be.
      async rotateKeys() {
        keys = [...makeKeys(), ...keys];
        listener = new Provider(issuer, configuration(keys, send)).callback();
      },
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const CLIENTS = ['client', 'client2', 'client_secret_post'].map((name) => ({
  client_id: `static-${name}`,
  client_secret: SECRET,
  token_endpoint_auth_method: name === 'client_secret_post' ? 'client_secret_post' : 'client_secret_basic',
}));

function configuration(keys: readonly object[], send: Send): object {
  const base = `${BROWSER_ORIGIN}/test/a/static`;
  return {
    adapter: MemoryAdapter,
    jwks: { keys },
    cookies: { keys: ['for these modules alone'], long: { sameSite: 'none' } },
    enableHttpPostMethods: true,
    clients: CLIENTS.map((client) => ({
      ...client,
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [`${base}/callback`, `${base}/callback?dummy1=lorem&dummy2=ipsum`],
      post_logout_redirect_uris: [`${base}/post_logout_redirect`],
      response_types: ['code'],
    })),
    scopes: ['openid', 'offline_access'],
    claims: {
      openid: ['sub'],
      profile: [...PROFILE, 'updated_at'],
      email: ['email', 'email_verified'],
      phone: ['phone_number', 'phone_number_verified'],
      address: ['address'],
    },
    acrValues: ['urn:example:password'],
    subjectTypes: ['public', 'pairwise'],
    pairwiseIdentifier: (
      _context: unknown,
      accountId: string,
      { sectorIdentifier }: { sectorIdentifier: string },
    ) => `${accountId} at ${sectorIdentifier}`,
    responseTypes: [
      'code',
      'id_token',
      'id_token token',
      'code id_token',
      'code token',
      'code id_token token',
      'none',
    ],
    pkce: { required: () => false },
    clientAuthMethods: [
      'client_secret_basic',
      'client_secret_post',
      'client_secret_jwt',
      'private_key_jwt',
      'none',
    ],
    features: {
      devInteractions: { enabled: true },
      claimsParameter: { enabled: true },
      requestObjects: { enabled: true },
      registration: { enabled: true },
      registrationManagement: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: true },
      jwtUserinfo: { enabled: true },
      encryption: { enabled: true },
    },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ ...ACCOUNT.claims, sub: accountId, updated_at: 1_700_000_000 }),
    }),
    async fetch(url: string | URL, options: { method?: string; headers?: object; body?: string } = {}) {
      const { status, text, headers } = await send(String(url).split('#')[0] ?? NEVER_SENT, {
        method: options.method ?? 'GET',
        headers: Object.fromEntries(new Headers(options.headers as Record<string, string>)),
        ...(options.body === undefined
          ? {}
          : { form: Object.fromEntries(new URLSearchParams(options.body)) }),
      });
      return new Response(text, { status, headers: { 'content-type': String(headers['content-type']) } });
    },
  };
}

const PROFILE = [
  'name',
  'given_name',
  'family_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
];
