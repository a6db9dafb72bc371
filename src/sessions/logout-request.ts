import { metadataOf } from '../clients/registered-client.ts';
import type { Settings } from '../config/settings.ts';
import type { ClientStore, StoredClient } from '../ports/client-store.ts';
import type { Clock } from '../ports/clock.ts';
import { OAuthError } from '../spec/errors.ts';
import type { ClientId, ClientInstance, SessionId } from '../spec/identifiers.ts';
import { suggestion } from '../spec/nearest.ts';
import type { ParameterName } from '../spec/parameter-words.ts';
import type { Parameters } from '../spec/parameters.ts';
import { withQuery } from '../spec/uri.ts';
import { type HeldIdToken, type IdTokenHintNeeds, readIdTokenHint } from '../tokens/id-token-hint.ts';

export interface LogoutRequestNeeds {
  readonly hints: IdTokenHintNeeds;
  readonly clients: Pick<ClientStore, 'find'>;
  readonly clock: Clock;
  readonly settings: Settings;
}

/**
 * The parameters of OpenID Connect RP-Initiated Logout 1.0 §2. `logout_hint` is accepted and ignored: the
 * session of the browser decides.
 */
export const LOGOUT_PARAMETERS: ReadonlySet<ParameterName> = new Set<ParameterName>([
  'id_token_hint',
  'logout_hint',
  'client_id',
  'post_logout_redirect_uri',
  'state',
  'ui_locales',
]);

/** The registered URI that the browser is sent to after the logout, with the state of the client. */
export interface LogoutRedirect {
  readonly uri: string;
  readonly state: string | undefined;
}

export interface LogoutRequest {
  /** The client that requests the logout; undefined if no hint proves it. */
  readonly client: StoredClient | undefined;
  readonly redirect: LogoutRedirect | undefined;
  /**
   * Why a part of the request is ignored, for the log and for developers. Contains no value of the request.
   */
  readonly ignored: string | undefined;
}

/** The logout that waits for the answer of the end-user. */
export interface WaitingLogout {
  /** The session that the page asks about; null if there is none. */
  readonly sid: SessionId | null;
  readonly client: { readonly client_id: ClientId; readonly instance: ClientInstance } | null;
  readonly redirect: { readonly uri: string; readonly state: string | null } | null;
  readonly ui_locales: string | null;
}

/**
 * Reads a logout request. Without a valid hint only the redirection is ignored (decision 32; the interface is
 * stricter than OpenID Connect RP-Initiated Logout 1.0 §2, which admits other proofs).
 * @throws OAuthError invalid_request for a state that is too long
 */
export async function readLogoutRequest(
  needs: LogoutRequestNeeds,
  parameters: Parameters,
): Promise<LogoutRequest> {
  const { post_logout_redirect_uri: uri, state } = parameters;
  const lengthMax = needs.settings['logout.state-length-max'];
  if (state !== undefined && state.length > lengthMax) {
    const error_description = `state has ${state.length} characters; the limit is ${lengthMax}`;
    throw new OAuthError('invalid_request', { error_description });
  }
  const proof = await clientBehind(needs, parameters);
  if ('ignored' in proof) {
    // A request without hint and redirection asks for the confirmation page only.
    const asked = uri !== undefined || parameters['id_token_hint'] !== undefined;
    return { client: undefined, redirect: undefined, ignored: asked ? proof.ignored : undefined };
  }
  const { client } = proof;
  if (uri === undefined) return { client, redirect: undefined, ignored: undefined };
  const problem = redirectProblem(client, uri);
  return problem === undefined
    ? { client, redirect: { uri, state }, ignored: undefined }
    : { client, redirect: undefined, ignored: problem };
}

/** Returns the client that an ID token was issued to, if it is still registered. */
async function clientBehind(
  needs: LogoutRequestNeeds,
  { id_token_hint, client_id }: Parameters,
): Promise<{ readonly client: StoredClient } | { readonly ignored: string }> {
  if (id_token_hint === undefined) return { ignored: 'the request has no id_token_hint' };
  const hint = await readIdTokenHint(needs.hints, id_token_hint);
  if (!hint.holds) return { ignored: `the id_token_hint is not valid (${hint.reason})` };
  // OpenID Connect RP-Initiated Logout 1.0 §2: "the OP MUST verify that the Client Identifier matches the one used when issuing the ID Token".
  if (client_id !== undefined && client_id !== hint.client_id) {
    return { ignored: 'client_id differs from the client that the id_token_hint was issued to' };
  }
  const iat = issuedAt(hint);
  const ageMax = needs.settings['logout.hint-age-max'];
  if (ageMax !== 0 && needs.clock.now() - iat > ageMax) {
    return { ignored: `the id_token_hint is older than ${ageMax} seconds` };
  }
  const client = await needs.clients.find(hint.client_id as ClientId);
  // A client that was deleted and registered again never received this token.
  return client === undefined || iat < client.issued_at
    ? { ignored: 'the client that the id_token_hint was issued to is no longer registered' }
    : { client };
}

function issuedAt({ claims }: HeldIdToken): number {
  const { iat } = claims;
  return typeof iat === 'number' ? iat : 0;
}

/** "The OP MUST NOT perform post-logout redirection if the … value supplied does not exactly match" (§3). */
function redirectProblem(client: StoredClient, uri: string): string | undefined {
  const { post_logout_redirect_uris: registered = [] } = metadataOf(client);
  if (registered.includes(uri)) return undefined;
  if (registered.length === 0) return 'the client has registered no post_logout_redirect_uris';
  const words = 'the post_logout_redirect_uri must equal a registered one, character by character';
  return words + suggestion(uri, registered);
}

/**
 * Returns the record that is stored until the end-user answers (decision 31: on the server, not in hidden
 * fields).
 */
export function waitingLogout(
  { client, redirect }: LogoutRequest,
  sid: SessionId | undefined,
  ui_locales: string | undefined,
): WaitingLogout {
  return {
    sid: sid ?? null,
    client: client === undefined ? null : { client_id: client.client_id, instance: client.instance },
    redirect: redirect === undefined ? null : { uri: redirect.uri, state: redirect.state ?? null },
    ui_locales: ui_locales ?? null,
  };
}

/**
 * Returns the location that the browser is sent to. Checks the client again, because its registration may
 * have changed meanwhile.
 * @returns `location`: undefined if the browser stays here; `ignored`: why a requested redirection is not
 * done
 */
export async function logoutLocation(
  { clients }: Pick<LogoutRequestNeeds, 'clients'>,
  { client, redirect }: WaitingLogout,
): Promise<{ readonly location: string | undefined; readonly ignored: string | undefined }> {
  if (client === null || redirect === null) return { location: undefined, ignored: undefined };
  const found = await clients.find(client.client_id);
  if (found?.instance !== client.instance) {
    return { location: undefined, ignored: 'the client is no longer registered' };
  }
  const ignored = redirectProblem(found, redirect.uri);
  return ignored === undefined
    ? { location: withState(redirect), ignored }
    : { location: undefined, ignored };
}

/**
 * Appends `state` to the registered URI, which is not changed otherwise (OpenID Connect RP-Initiated Logout
 * 1.0 §2).
 */
function withState({ uri, state }: NonNullable<WaitingLogout['redirect']>): string {
  return state === null ? uri : withQuery(uri, `state=${encodeURIComponent(state)}`);
}
