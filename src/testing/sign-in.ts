import type { AuthenticationNeeds } from '../clients/client-authentication/method.ts';
import { type NetworkRates, networkLimits } from '../clients/rate-limits.ts';
import { SETTING_PATHS, type Settings, settingAt } from '../config/settings.ts';
import type { Endpoint } from '../endpoints/contract.ts';
import type { DirectAuthorizationNeeds } from '../grants/direct-authorization/authorize-directly.ts';
import type { EndUserNeeds } from '../grants/end-users.ts';
import { openPages } from '../pages/liquid-pages.ts';
import type { Pages } from '../ports/pages.ts';
import type { TenantStorage } from '../ports/storage.ts';
import { ownAccounts } from '../sessions/own-accounts.ts';
import { type SignInRates, signInLimits } from '../sessions/sign-in-limits.ts';
import { BoundedMap } from '../spec/bounded-map.ts';
import { argon2PasswordHasher } from '../system/password-hasher.ts';
import { systemRandom } from '../system/random.ts';
import type { EndUsers } from '../tenant/end-users.ts';
import { openAuthorization } from '../tenant/sign-in.ts';
import { QUICK } from './end-users.ts';
import { testPlatform } from './platform.ts';
import { publishedKeys } from './server-keys.ts';

export interface SignInOptions {
  readonly settings?: Partial<Settings>;
  readonly rates?: Partial<SignInRates>;
  readonly interactionRates?: Partial<NetworkRates>;
}

interface Parts {
  readonly storage: TenantStorage;
  readonly direct: DirectAuthorizationNeeds;
  readonly authentication: AuthenticationNeeds;
  readonly options: SignInOptions;
}

/** The endpoints that an end-user's browser sees, and those that go with them. */
export interface OpenedSignIn {
  readonly endUsers: EndUserNeeds;
  readonly endpoints: Readonly<Record<(typeof NAMES)[number], Endpoint>>;
}

const NAMES = [
  'authorization',
  'authorization-post',
  'external-sign-in',
  'external-sign-in-outcome',
  'interaction',
  'interaction-post',
  'page-asset',
  'pushed-authorization-request',
  'userinfo',
  'userinfo-post',
] as const;

let pages: Pages | undefined;
const passwords = argon2PasswordHasher({ parameters: QUICK, concurrency: 2, waitingMax: 100 }, systemRandom);
const DEFAULTS = Object.fromEntries(SETTING_PATHS.map((path) => [path, settingAt(path).default]));

export function openedSignIn({ storage, direct, authentication, options }: Parts): OpenedSignIn {
  const { issuer } = direct.idTokens;
  pages ??= openPages(`${new URL(issuer).pathname}/assets/`, undefined);
  const settings = { ...DEFAULTS, issuer, ...options.settings } as unknown as Settings;
  const { clock } = direct.accessTokens;
  const opened = openAuthorization({
    platform: { ...testPlatform(), clock, log: direct.log },
    settings,
    storage,
    direct,
    authentication,
    pages,
    jwkSets: authentication.assertions.jwkSets,
    keys: {
      verificationKeys: async () => await (await publishedKeys()).verificationKeys(),
      decryptionKeys: async () => await (await publishedKeys()).decryptionKeys(),
    },
    automatic: undefined,
    endUsers: endUsersOf(storage, direct, options),
  });
  const named = new Map(opened.endpoints.map((endpoint) => [endpoint.contract.name, endpoint]));
  const endpoints = NAMES.flatMap((name) => (named.has(name) ? [[name, named.get(name)] as const] : []));
  return {
    endUsers: opened.endUsers,
    endpoints: Object.fromEntries(endpoints) as unknown as OpenedSignIn['endpoints'],
  };
}

function endUsersOf(
  storage: TenantStorage,
  { accessTokens, log }: DirectAuthorizationNeeds,
  { rates, interactionRates }: SignInOptions,
): EndUsers {
  const { clock } = accessTokens;
  const time = { clock, random: systemRandom };
  const { accounts, sessions, interactions } = storage;
  const directory = ownAccounts({ accounts, passwords, clock, log });
  const limits = { perAccountAndNetwork: 3, perAccount: 6, perNetwork: 100, ...rates };
  return {
    accounts: { accounts, passwords, ...time },
    directory,
    passwordSignIn: {
      directory,
      browsers: accounts,
      limits: signInLimits(limits, { store: storage.rates, clock, log }),
      clock,
      log,
      audit: storage.audit,
      attacked: new BoundedMap(100),
    },
    sessions: {
      sessions,
      browsers: accounts,
      ...time,
      limits: { idleLifetime: 3600, lifetime: 86_400, perAccount: 3, browserLifetime: 864_000 },
    },
    interactions: { interactions, ...time, interactionLifetime: 900 },
    interactionLimits: networkLimits(
      { kind: 'interaction', perNetwork: 0, overall: 0, ...interactionRates },
      { store: storage.rates, clock, log },
    ),
  };
}
