import type { AuthenticationNeeds } from '../clients/client-authentication/method.ts';
import type { RemoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import { type NetworkLimits, networkLimits } from '../clients/rate-limits.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { AuthorizationFlow } from '../endpoints/authorization-flow.ts';
import { type Browser, browserOf } from '../endpoints/browser.ts';
import { contract as assetContract } from '../endpoints/page-asset/contract.ts';
import type { AutomaticClients } from '../federation/registration/automatic-clients.ts';
import { AuthorizationRequests } from '../grants/authorization/receive-authorization-request.ts';
import type { EndUserNeeds } from '../grants/end-users.ts';
import type { Issuing } from '../grants/grant.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { AccountDirectory } from '../ports/account-directory.ts';
import { type Pages, ThemeInvalid } from '../ports/pages.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { SessionNeeds } from '../sessions/browser-session.ts';
import type { InteractionNeeds } from '../sessions/interaction.ts';
import type { AccountNeeds } from '../sessions/manage-account.ts';
import { ownAccounts } from '../sessions/own-accounts.ts';
import type { PasswordSignInNeeds } from '../sessions/password-sign-in.ts';
import { signInLimits } from '../sessions/sign-in-limits.ts';
import { SLOT_BYTES } from '../spec/caches.ts';
import type { JsonLimits } from '../spec/json.ts';
import type { Platform } from './platform.ts';

/** Signs the end-users of one tenant in, and remembers it: for endpoints and commands. */
export interface EndUsers {
  readonly accounts: AccountNeeds;
  readonly directory: AccountDirectory;
  readonly passwordSignIn: PasswordSignInNeeds;
  readonly sessions: SessionNeeds;
  readonly interactions: InteractionNeeds;
  /** For interactions that begin without a session. */
  readonly interactionLimits: NetworkLimits;
}

/** A subject and a time. */
const ATTACKED_BYTES = SLOT_BYTES + 64;

/** Opens the sign-in of end-users: one for a tenant, whatever its names. */
export function openEndUsers(
  settings: Settings,
  {
    clock,
    random,
    passwords,
    log,
    caches,
  }: Pick<Platform, 'clock' | 'random' | 'passwords' | 'log' | 'caches'>,
  storage: TenantStorage,
): EndUsers {
  const time = { clock, random };
  const directory = ownAccounts({ accounts: storage.accounts, passwords, clock, log });
  const counting = { store: storage.rates, clock, log, caches };
  return {
    accounts: { accounts: storage.accounts, passwords, ...time },
    directory,
    passwordSignIn: {
      directory,
      browsers: storage.accounts,
      limits: signInLimits(settings, counting),
      clock,
      log,
      audit: storage.audit,
      attacked: caches.open('refusals', { weigh: () => ATTACKED_BYTES }),
    },
    sessions: {
      sessions: storage.sessions,
      browsers: storage.accounts,
      ...time,
      settings,
    },
    interactions: {
      interactions: storage.interactions,
      ...time,
      settings,
    },
    interactionLimits: networkLimits(
      {
        kind: 'interaction',
        perNetwork: settings['interaction.rate-per-network'],
        overall: settings['interaction.rate'],
      },
      counting,
    ),
  };
}

/** Opens the pages of an issuer. @throws SettingsError at start for a theme that could not be shown */
export function openPagesOf(
  { issuer, 'pages.theme': theme }: Settings,
  { openPages }: Pick<Platform, 'openPages'>,
): Pages {
  const assets = `${new URL(issuer).pathname.replace(/\/$/, '')}${assetContract.path.replace('{id}', '')}`;
  try {
    return openPages(assets, theme === 'none' ? undefined : theme);
  } catch (failure) {
    if (!(failure instanceof ThemeInvalid)) throw failure;
    throw new SettingsError([
      { path: 'pages.theme', source: 'at start', rule: `cannot be used: ${failure.message}` },
    ]);
  }
}

interface SignInParts extends Issuing, Pick<Platform, 'random' | 'jose'> {
  readonly settings: Settings;
  readonly storage: TenantStorage;
  readonly keys: Pick<ServerKeys, 'verificationKeys' | 'decryptionKeys'>;
  readonly pages: Pages;
  readonly jwkSets: RemoteJwkSets;
  readonly json: JsonLimits;
  readonly people: EndUsers;
  readonly authentication: AuthenticationNeeds;
  /** Undefined where a client is registered only on request. */
  readonly automatic: AutomaticClients | undefined;
}

/** Lets end-users sign in for clients, under one issuer. */
export interface SignIn extends Omit<EndUsers, 'accounts'> {
  readonly browser: Browser;
  readonly endUsers: EndUserNeeds;
  readonly flow: AuthorizationFlow;
  readonly authorizationRequests: AuthorizationRequests;
  /** Finds clients that a federation vouches for too (OpenID Federation 1.0 §12.1.1.2). */
  readonly pushing: AuthenticationNeeds;
  /** The operator's own page; undefined where people sign in here. */
  readonly externalUrl: string | undefined;
}

export function openSignIn(parts: SignInParts): SignIn {
  const { issuer, settings, clients, clock, random, log, idTokens, pages, storage, uses, people } = parts;
  const { directory, passwordSignIn, sessions, interactions, interactionLimits } = people;
  const { consents, authorizationCodes: codes } = storage;
  const browser = browserOf(issuer);
  const external = settings['sign-in.external-url'];
  const endUsers = {
    codes,
    directory,
    sessions: storage.sessions,
    passwordSignIn,
    idTokens,
    clock,
    settings,
  };
  return {
    browser,
    directory,
    passwordSignIn,
    sessions,
    interactions,
    interactionLimits,
    endUsers,
    externalUrl: external === 'none' ? undefined : external,
    pushing: withAutomaticClients(parts),
    authorizationRequests: openAuthorizationRequests(parts),
    flow: new AuthorizationFlow({
      pages,
      settings,
      clients,
      clock,
      log,
      browser,
      sessions,
      responses: { issuer, clientJwts: idTokens.clientJwts },
      progress: {
        clients,
        consents,
        pairwiseSecret: idTokens.pairwiseSecret,
        settings,
        consentImplied: settings['sign-in.consent'] === 'third-party',
        clock,
      },
      responding: { issuing: parts, endUsers, uses, random },
    }),
  };
}

function withAutomaticClients({ authentication, automatic }: SignInParts): AuthenticationNeeds {
  if (automatic === undefined) return authentication;
  return {
    ...authentication,
    registerUnknown: async (client_id, remoteAddress) => await automatic.register(client_id, remoteAddress),
  };
}

function openAuthorizationRequests({
  issuer,
  settings,
  storage: { interactions, replays },
  clients,
  clock,
  random,
  keys,
  jwkSets,
  json,
  jose: { verifier, decrypter },
  automatic,
}: SignInParts): AuthorizationRequests {
  return new AuthorizationRequests({
    rules: { json, settings },
    requestObjects: { issuer, verifier, decrypter, keys, jwkSets, replays },
    pushed: { interactions, clock, random, lifetime: settings['pushed-request.lifetime'] },
    // §12.1.1.1: an unsigned request does not make the server ask other entities about its client.
    findClient: async (client_id, { request }, remoteAddress) =>
      (await clients.find(client_id)) ??
      (request === undefined ? undefined : await automatic?.register(client_id, remoteAddress)),
    hints: { issuer, keys, verifier, decrypter },
  });
}
