import type { AuthenticationNeeds } from '../clients/client-authentication/method.ts';
import type { RemoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import { currentConsoleClient } from '../clients/console-client.ts';
import { type NetworkLimits, networkLimits } from '../clients/rate-limits.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import { consoleUrl } from '../config/management-address.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { AuthorizationFlow } from '../endpoints/authorization-flow.ts';
import { type Browser, browserOf } from '../endpoints/browser.ts';
import { contract as assetContract } from '../endpoints/page-asset/contract.ts';
import { REQUEST_URI_PREFIX } from '../grants/authorization/pushed-request.ts';
import { AuthorizationRequests } from '../grants/authorization/receive-authorization-request.ts';
import type { ReferencedObjects } from '../grants/authorization/referenced-object.ts';
import type { EndUserNeeds } from '../grants/end-users.ts';
import type { Issuing } from '../grants/grant.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { AccountDirectory } from '../ports/account-directory.ts';
import type { StoredClient } from '../ports/client-store.ts';
import { type Pages, ThemeInvalid } from '../ports/pages.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { SessionNeeds } from '../sessions/browser-session.ts';
import type { InteractionNeeds } from '../sessions/interaction.ts';
import type { AccountNeeds } from '../sessions/manage-account.ts';
import { ownAccounts } from '../sessions/own-accounts.ts';
import type { PasswordSignInNeeds } from '../sessions/password-sign-in.ts';
import { signInLimits } from '../sessions/sign-in-limits.ts';
import { ADMIN_SCOPES } from '../spec/admin-scopes.ts';
import { SLOT_BYTES } from '../spec/caches.ts';
import { OAuthError } from '../spec/errors.ts';
import { type ClientId, CONSOLE_CLIENT_ID, type Digest } from '../spec/identifiers.ts';
import type { JsonLimits } from '../spec/json.ts';
import type { Platform } from './platform.ts';
import { newerClient, type RenewedClients } from './renewed-clients.ts';
import { requireShownWishes } from './shown-wishes.ts';

/** Signs the end-users of one tenant in, and remembers it: for endpoints and commands. */
export interface EndUsers {
  readonly accounts: AccountNeeds;
  readonly directory: AccountDirectory;
  readonly passwordSignIn: PasswordSignInNeeds;
  readonly sessions: SessionNeeds;
  readonly interactions: InteractionNeeds;
  /** For interactions that begin without a session. */
  readonly interactionLimits: NetworkLimits;
  /** Limits of wrong codes of devices. */
  readonly userCodeLimits: NetworkLimits;
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
    metrics,
    caches,
  }: Pick<Platform, 'clock' | 'random' | 'passwords' | 'log' | 'metrics' | 'caches'>,
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
      metrics,
      settings,
      audit: storage.audit,
      attacked: caches.open('refusals', { weigh: () => ATTACKED_BYTES }),
    },
    sessions: {
      sessions: storage.sessions,
      browsers: storage.accounts,
      ...time,
      settings,
      log,
      metrics,
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
    userCodeLimits: networkLimits(
      {
        kind: 'user-code',
        perNetwork: settings['device.wrong-code-rate-per-network'],
        overall: settings['device.wrong-code-rate'],
      },
      counting,
    ),
  };
}

/** Opens the pages of an issuer. @throws SettingsError at start for a theme that could not be shown, or would hide what clients ask for */
export function openPagesOf(
  { issuer, 'pages.theme': theme, 'authorization-details.types': types, 'ciba.enabled': ciba }: Settings,
  { openPages }: Pick<Platform, 'openPages'>,
): Pages {
  const assets = `${new URL(issuer).pathname.replace(/\/$/, '')}${assetContract.path.replace('{id}', '')}`;
  try {
    const pages = openPages(assets, theme === 'none' ? undefined : theme);
    if (theme !== 'none') requireShownWishes(pages, { details: types.length > 0, messages: ciba });
    return pages;
  } catch (failure) {
    if (!(failure instanceof ThemeInvalid)) throw failure;
    throw new SettingsError([
      { path: 'pages.theme', source: 'at start', rule: `cannot be used: ${failure.message}` },
    ]);
  }
}

/** A digest and a time. */
const POLL_BYTES = SLOT_BYTES + 64;

interface SignInParts extends Issuing, Pick<Platform, 'random' | 'jose' | 'caches'>, RenewedClients {
  readonly settings: Settings;
  readonly storage: TenantStorage;
  readonly keys: Pick<ServerKeys, 'verificationKeys' | 'decryptionKeys'>;
  readonly pages: Pages;
  readonly jwkSets: RemoteJwkSets;
  readonly json: JsonLimits;
  readonly people: EndUsers;
  readonly authentication: AuthenticationNeeds;
  readonly registry: RegistryNeeds;
  /** Undefined where the server fetches no request objects. */
  readonly referenced: ReferencedObjects | undefined;
}

/** Lets end-users sign in for clients, under one issuer. */
export interface SignIn extends Omit<EndUsers, 'accounts'> {
  readonly browser: Browser;
  readonly endUsers: EndUserNeeds;
  readonly flow: AuthorizationFlow;
  readonly authorizationRequests: AuthorizationRequests;
  /** Finds clients that a federation or a document vouches for too (OpenID Federation 1.0 §12.1.1.2). */
  readonly pushing: AuthenticationNeeds;
  /** The operator's own page; undefined where people sign in here. */
  readonly externalUrl: string | undefined;
}

export function openSignIn(parts: SignInParts): SignIn {
  const { issuer, settings, clients, clock, log, metrics, random, idTokens, pages, storage, uses } = parts;
  const { people, documents } = parts;
  const { directory, passwordSignIn, sessions, interactions, interactionLimits, userCodeLimits } = people;
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
    devices: { interactions: storage.interactions },
    backchannelRequests: storage.backchannelRequests,
    polls: parts.caches.open<Digest, number>('refusals', { weigh: () => POLL_BYTES }),
  };
  return {
    browser,
    directory,
    passwordSignIn,
    sessions,
    interactions,
    interactionLimits,
    userCodeLimits,
    endUsers,
    externalUrl: external === 'none' ? undefined : external,
    pushing: withUnknownClients(parts),
    authorizationRequests: openAuthorizationRequests(parts),
    flow: new AuthorizationFlow({
      pages,
      settings,
      clients,
      clock,
      browser,
      sessions,
      responses: { issuer, clientJwts: idTokens.clientJwts },
      progress: {
        clients,
        directory,
        consents,
        pairwiseSecret: idTokens.pairwiseSecret,
        settings,
        consentImplied: settings['sign-in.consent'] === 'third-party',
        log,
        metrics,
        keepClient: async (client) => await documents.keep(client),
        clock,
      },
      responding: { issuing: parts, endUsers, uses, random },
      devices: { interactions: storage.interactions, clock },
      backchannels: { backchannelRequests: storage.backchannelRequests, clock, settings, log, metrics },
    }),
  };
}

function withUnknownClients(parts: SignInParts): AuthenticationNeeds {
  const { authentication } = parts;
  return {
    ...authentication,
    current: (found, client_id, remoteAddress, requestObject) =>
      found === undefined
        ? registerUnknown(parts, client_id, { remoteAddress, signed: true, requestObject })
        : authentication.current(found, client_id, remoteAddress, requestObject),
  };
}

interface FirstRequest {
  readonly remoteAddress: string;
  /** Whether the client signs or authenticates its request, which a federation asks for. */
  readonly signed: boolean;
  /** Undefined without one, and for one that `request_uri` names. */
  readonly requestObject: string | undefined;
}

/**
 * Registers a client that comes for the first time, or again after its registration expired: by its federation, otherwise by the
 * document at its identifier.
 * @throws OAuthError, TooManyRequests
 */
async function registerUnknown(
  { federated, documents }: RenewedClients,
  client_id: ClientId,
  { remoteAddress, signed, requestObject }: FirstRequest,
): Promise<StoredClient | undefined> {
  const returning = await federated?.returning(client_id, remoteAddress, 'explicit');
  if (returning !== undefined) return returning;
  if (federated === undefined || !signed) return await documents.register(client_id, remoteAddress);
  try {
    const registered = await federated.register(client_id, remoteAddress, requestObject);
    if (registered !== undefined) return registered;
  } catch (untrusted) {
    if (!(untrusted instanceof OAuthError) || untrusted.code === 'temporarily_unavailable') throw untrusted;
    // Both kinds of identifier are URLs. The federation's reason counts if there is no document either.
    const registered = await documents.register(client_id, remoteAddress).catch(() => undefined);
    if (registered === undefined) throw untrusted;
    return registered;
  }
  return await documents.register(client_id, remoteAddress);
}

/** A browser has no client authentication that could have failed: RFC 6749 §4.1.2.1 has no invalid_client. */
async function forPerson<T>(find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (failure) {
    if (!(failure instanceof OAuthError) || failure.code !== 'invalid_client') throw failure;
    const { error_description, notes } = failure;
    throw new OAuthError('invalid_request', { error_description, ...notes });
  }
}

function openAuthorizationRequests({
  issuer,
  settings,
  storage: { interactions, replays },
  clock,
  random,
  keys,
  jwkSets,
  json,
  jose: { verifier, decrypter },
  federated,
  documents,
  registry,
  referenced,
  detailTypes,
}: SignInParts): AuthorizationRequests {
  const console = { registry, url: consoleUrl(settings), scope: ADMIN_SCOPES };
  return new AuthorizationRequests({
    rules: { json, settings, detailTypes },
    requestObjects: { issuer, verifier, decrypter, keys, jwkSets, replays, clock, settings },
    referenced,
    pushed: { interactions, clock, random, lifetime: settings['pushed-request.lifetime'] },
    // §12.1.1.1: an unsigned request does not make the server ask other entities about its client.
    findClient: async (client_id, { request, request_uri }, remoteAddress) =>
      await forPerson(async () => {
        if (client_id === CONSOLE_CLIENT_ID) return await currentConsoleClient(console);
        const found = await documents.clients.find(client_id);
        // Objects by reference are signed too. A pushed request is one of a client that is known.
        const byReference = referenced !== undefined && request_uri?.startsWith(REQUEST_URI_PREFIX) === false;
        const signed = request !== undefined || byReference;
        const from = { remoteAddress, signed, requestObject: request };
        return found === undefined
          ? await registerUnknown({ federated, documents }, client_id, from)
          : await documents.current(found, remoteAddress);
      }),
    newerClient: async (client, remoteAddress) =>
      await forPerson(async () => await newerClient({ federated, documents }, client, remoteAddress)),
    hints: { issuer, keys, verifier, decrypter },
  });
}
