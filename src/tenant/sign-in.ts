import type { AuthenticationNeeds } from '../clients/client-authentication/method.ts';
import type { RemoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { authorization, postedAuthorization } from '../endpoints/authorization/endpoint.ts';
import type { AuthorizationNeeds } from '../endpoints/authorization-progress.ts';
import { browserOf } from '../endpoints/browser.ts';
import type { Endpoint } from '../endpoints/contract.ts';
import { externalSignIn, externalSignInOutcome } from '../endpoints/external-sign-in/endpoint.ts';
import { interaction, interactionChoice } from '../endpoints/interaction/endpoint.ts';
import { contract as assetContract } from '../endpoints/page-asset/contract.ts';
import { pageAsset } from '../endpoints/page-asset/endpoint.ts';
import { pushedAuthorizationRequest } from '../endpoints/pushed-authorization-request/endpoint.ts';
import { postedUserinfo, userinfo } from '../endpoints/userinfo/endpoint.ts';
import type { AutomaticClients } from '../federation/registration/automatic-clients.ts';
import type { ReceivingNeeds } from '../grants/authorization/receive-authorization-request.ts';
import type { DirectAuthorizationNeeds } from '../grants/direct-authorization/authorize-directly.ts';
import type { EndUserNeeds } from '../grants/end-users.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import { type Pages, ThemeInvalid } from '../ports/pages.ts';
import type { TenantStorage } from '../ports/storage.ts';
import { readIdTokenHint } from '../tokens/id-token-hint.ts';
import type { EndUsers } from './end-users.ts';
import type { Platform } from './platform.ts';
import { masterTokens } from './settings.ts';

export interface AuthorizationParts {
  readonly platform: Platform;
  /** With the issuer that everything is under. */
  readonly settings: Settings;
  readonly storage: TenantStorage;
  readonly keys: Pick<ServerKeys, 'verificationKeys' | 'decryptionKeys'>;
  readonly pages: Pages;
  readonly jwkSets: RemoteJwkSets;
  readonly direct: DirectAuthorizationNeeds;
  readonly endUsers: EndUsers;
  readonly authentication: AuthenticationNeeds;
  /** Undefined where nobody is registered without asking. */
  readonly automatic: AutomaticClients | undefined;
}

/** What lets end-users sign in for clients, under one issuer. */
export interface OpenedAuthorization {
  readonly endpoints: readonly Endpoint[];
  readonly endUsers: EndUserNeeds;
  readonly languages: readonly string[];
}

export function openAuthorization(parts: AuthorizationParts): OpenedAuthorization {
  const { settings, pages } = parts;
  const endUsers = endUserNeeds(parts);
  const form = { parameters: settings['limits.form-parameters'] };
  const needs = authorizationNeeds(parts, endUsers);
  const receiving = receivingNeeds(parts);
  const authentication = withAutomaticClients(parts);
  const { directory, passwordSignIn, interactionLimits } = parts.endUsers;
  const externalUrl =
    settings['sign-in.external-url'] === 'none' ? undefined : settings['sign-in.external-url'];
  const interactionNeeds = { ...needs, directory, passwordSignIn, externalUrl, form };
  return {
    endpoints: [
      authorization({ ...needs, receiving, interactionLimits, form }),
      postedAuthorization({ ...needs, receiving, interactionLimits, form }),
      interaction(interactionNeeds),
      interactionChoice(interactionNeeds),
      ...(externalUrl === undefined ? [] : externalSignInEndpoints(parts)),
      pageAsset({ pages }),
      pushedAuthorizationRequest({ authentication, receiving, interactionLimits, form }),
      ...userinfoEndpoints(parts, endUsers),
    ],
    endUsers,
    languages: pages.languages,
  };
}

function externalSignInEndpoints({
  settings,
  storage,
  direct,
  endUsers,
  platform: { clock },
}: AuthorizationParts): readonly Endpoint[] {
  const needs = {
    issuer: settings.issuer,
    clients: direct.clients,
    accounts: storage.accounts,
    clock,
    interactions: endUsers.interactions,
    masterTokens: masterTokens(settings['sign-in.token-sha256']),
    bearerTokenLengthMax: settings['limits.bearer-token'],
    json: { depth: settings['limits.json-depth'], members: settings['limits.json-members'] },
  };
  return [externalSignIn(needs), externalSignInOutcome(needs)];
}

/** Whoever pushes a request is authenticated with the keys that the federation names (OpenID Federation 1.0 §12.1.1.2). */
function withAutomaticClients({ authentication, automatic }: AuthorizationParts): AuthenticationNeeds {
  if (automatic === undefined) return authentication;
  const { clients } = authentication;
  const find: AuthenticationNeeds['clients']['find'] = async (client_id) =>
    (await clients.find(client_id)) ?? (await automatic.register(client_id));
  return { ...authentication, clients: { ...clients, find } };
}

function userinfoEndpoints(
  { settings, direct }: AuthorizationParts,
  endUsers: EndUserNeeds,
): readonly Endpoint[] {
  const { clients, grants, accessTokens, idTokens } = direct;
  const needs = {
    issuer: settings.issuer,
    clients,
    grants,
    endUsers,
    accessTokens,
    clientJwts: idTokens.clientJwts,
    form: { parameters: settings['limits.form-parameters'] },
    bearerTokenLengthMax: settings['limits.bearer-token'],
  };
  return [userinfo(needs), postedUserinfo(needs)];
}

/** @throws SettingsError for a theme that could not be shown: better at start than to the first person who comes */
export function pagesUnder(
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

function endUserNeeds({
  platform: { clock },
  settings,
  storage,
  direct,
  endUsers,
}: AuthorizationParts): EndUserNeeds {
  return {
    codes: storage.authorizationCodes,
    directory: endUsers.directory,
    sessions: storage.sessions,
    passwordSignIn: endUsers.passwordSignIn,
    idTokens: direct.idTokens,
    clock,
    lifetimes: { code: settings['authorization-code.lifetime'], idToken: settings['id-token.lifetime'] },
  };
}

function authorizationNeeds(
  { platform: { clock, random }, settings, storage, direct, endUsers, pages }: AuthorizationParts,
  endUserNeeds: EndUserNeeds,
): AuthorizationNeeds {
  const { issuer } = settings;
  const { clients, uses, log, idTokens } = direct;
  return {
    issuer,
    pages,
    showErrorDetails: settings['pages.error-details'],
    askBeforeLeaving: settings['sign-in.open-client-errors'] === 'page',
    responses: { issuer, clientJwts: idTokens.clientJwts },
    clients,
    clock,
    log,
    browser: browserOf(issuer),
    sessions: endUsers.sessions,
    interactions: endUsers.interactions,
    progress: {
      clients,
      consents: storage.consents,
      pairwiseSecret: idTokens.pairwiseSecret,
      consentImplied: settings['sign-in.consent'] === 'third-party',
      clock,
    },
    responding: { issuing: direct, endUsers: endUserNeeds, uses, random },
  };
}

function receivingNeeds({
  platform: { clock, random, jose },
  settings,
  storage,
  keys,
  jwkSets,
  direct,
  automatic,
}: AuthorizationParts): ReceivingNeeds {
  const { issuer } = settings;
  const { verifier, decrypter } = jose;
  return {
    rules: {
      json: { depth: settings['limits.json-depth'], members: settings['limits.json-members'] },
      tokenSettings: direct.tokenSettings,
    },
    requestObjects: { issuer, verifier, decrypter, keys, jwkSets, replays: storage.replays },
    pushed: {
      interactions: storage.interactions,
      clock,
      random,
      lifetime: settings['pushed-request.lifetime'],
    },
    // A request that is not signed is nobody's reason to ask strangers about its client (§12.1.1.1).
    findClient: async (client_id, { request }) =>
      (await direct.clients.find(client_id)) ??
      (request === undefined ? undefined : await automatic?.register(client_id)),
    async subjectOfHint(id_token_hint, { client_id }) {
      const hint = await readIdTokenHint({ issuer, keys, verifier, decrypter }, id_token_hint);
      return hint.holds && hint.audience.includes(client_id) ? hint.sub : undefined;
    },
  };
}
