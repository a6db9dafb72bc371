import type { AuthenticatedClient } from '../../clients/client-authentication/authenticate-client.ts';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import { OAuthError, quotedValue, type RefusalNotes } from '../../spec/errors.ts';
import type { ClientId, Subject } from '../../spec/identifiers.ts';
import { ACCESS_TOKEN_TYPE, JWT_TYPE } from '../../spec/token-types.ts';
import { findAccessToken, scopeOf } from '../../tokens/access-token.ts';
import { type Confirmation, confirms } from '../../tokens/confirmation.ts';
import type { Refusing } from '../assertion-grant.ts';
import type { GrantNeeds } from '../grant.ts';
import { foreignToken, isForeign } from './foreign-token.ts';

/** The parameter that holds a token, for texts. */
export type TokenParameter = 'subject_token' | 'actor_token';

/** Says who acts (RFC 8693 §4.1). An actor before it is nested in it. */
export interface Actor {
  readonly sub: string;
  readonly iss?: string;
  readonly client_id?: string;
  readonly act?: Actor;
}

/** A valid token that a client presents for exchange: the subject's, or the one of the party that acts. */
export interface ExchangedToken {
  /** The record of a token of this server; undefined for one of another issuer. */
  readonly stored: StoredAccessToken | undefined;
  /** The client that it was issued to; undefined if another issuer did. */
  readonly client_id: ClientId | undefined;
  readonly expires_at: number;
  /** The subject that the server knows, also where the token has a pairwise one. */
  readonly sub: string;
  readonly iss: string;
  readonly scope: readonly string[];
  /** Undefined: the token is for everyone. */
  readonly audience: readonly string[] | undefined;
  readonly act: Actor | undefined;
  /** The party that may act for the subject (RFC 8693 §4.4). */
  readonly may_act: Readonly<Record<string, unknown>> | undefined;
  /** The keys that it is bound to. */
  readonly cnf: Confirmation | undefined;
  /** How its end-user was authenticated, and the name of the end-user. They go on into the new token. */
  readonly more: Readonly<Record<string, unknown>>;
  readonly username: string | undefined;
}

/** The members of an introspection response that an exchange reads. */
interface Introspected {
  readonly sub: string;
  readonly iss: string;
  readonly client_id: string;
  readonly username?: string;
  readonly aud?: readonly string[];
  readonly act?: Actor;
  readonly may_act?: Readonly<Record<string, unknown>>;
  readonly cnf?: Confirmation;
  readonly auth_time?: number;
  readonly acr?: string;
  readonly amr?: readonly string[];
}

/** A token as the request has it. */
export interface PresentedForExchange {
  readonly token: string;
  readonly type: string | undefined;
  readonly remoteAddress: string;
}

/**
 * Returns the token of a parameter: an access token of this server, of either format, or a JWT of a trusted issuer.
 * @throws OAuthError invalid_request (RFC 8693 §2.2.2: "if either the subject_token or actor_token are invalid for any reason …
 * the value of the error parameter MUST be the invalid_request error code")
 */
export async function tokenForExchange(
  needs: GrantNeeds,
  client: AuthenticatedClient,
  parameter: TokenParameter,
  presented: PresentedForExchange,
): Promise<ExchangedToken> {
  const { token, type } = presented;
  requireType(parameter, type);
  const refused: Refusing = (problem, detail, notes) =>
    unacceptableToken(parameter, problem, { ...(detail === undefined ? {} : { detail }), ...notes });
  const exchanged =
    type === JWT_TYPE && isForeign(needs.assertions, parameter, token)
      ? await foreignToken(needs.assertions, client, parameter, presented, refused)
      : await ownToken(needs, parameter, presented);
  requireHeldKeys(client, parameter, exchanged.cnf);
  return exchanged;
}

async function ownToken(
  needs: GrantNeeds,
  parameter: TokenParameter,
  { token, type }: PresentedForExchange,
): Promise<ExchangedToken> {
  const stored = await findAccessToken(needs.accessTokens, token);
  // A token without an instance registers a client, and is for nothing else.
  if (
    stored === undefined ||
    stored.client_instance === null ||
    (type === JWT_TYPE && !token.startsWith('eyJ'))
  )
    throw unacceptableToken(parameter, 'is not valid here: it is unknown, expired or revoked');
  const said = JSON.parse(stored.introspection) as Introspected;
  const { iss, username, cnf, aud, act, may_act, auth_time, acr, amr } = said;
  return {
    stored,
    client_id: stored.client_id,
    expires_at: stored.expires_at,
    cnf,
    sub: await subjectOf(needs, stored, parameter, said.sub),
    iss,
    scope: scopeOf(stored),
    audience: aud,
    act,
    may_act,
    more: Object.fromEntries(
      Object.entries({ auth_time, acr, amr }).filter(([, value]) => value !== undefined),
    ),
    username,
  };
}

function requireType(parameter: TokenParameter, type: string | undefined): void {
  if (type === ACCESS_TOKEN_TYPE || type === JWT_TYPE) return;
  const problem = type === undefined ? 'is missing' : `${quotedValue(type)} is not supported`;
  throw new OAuthError('invalid_request', {
    error_description: `${parameter}_type ${problem}, supported: ${ACCESS_TOKEN_TYPE}, ${JWT_TYPE}`,
    reason: type === undefined ? 'missing-parameter' : 'token-type',
    values: { type },
  });
}

/**
 * Requires the keys that a token is bound to (RFC 8705 §3, RFC 9449 §7.1): an exchange must not be a way around them.
 * @throws OAuthError invalid_request
 */
function requireHeldKeys(
  { certificate, proof }: AuthenticatedClient,
  parameter: TokenParameter,
  cnf: Confirmation | undefined,
): void {
  if (cnf === undefined || confirms({ certificate, jkt: proof?.jkt }, cnf)) return;
  const isDpop = cnf.jkt !== undefined;
  throw unacceptableToken(
    parameter,
    `is bound to a key that the request does not prove: send ${isDpop ? 'a DPoP proof by that key' : 'it over a connection with that certificate'}`,
    { reason: isDpop ? 'dpop-proof' : 'certificate-binding' },
  );
}

/** Returns the subject of a token, which may have a pairwise one. Its account must be in use. */
async function subjectOf(
  { grants, endUsers }: GrantNeeds,
  { grant_id }: StoredAccessToken,
  parameter: TokenParameter,
  stated: string,
): Promise<string> {
  const grant = grant_id === null ? undefined : await grants.find(grant_id);
  if (grant_id !== null && grant === undefined)
    throw unacceptableToken(parameter, 'belongs to a grant that has ended');
  const sub = grant?.sub ?? stated;
  const account = await endUsers?.directory.find(sub as Subject);
  if (account?.disabled === true)
    throw unacceptableToken(parameter, 'is about an account that is disabled', { reason: 'no-end-user' });
  return sub;
}

/** Builds the error for a token that cannot be exchanged. */
export function unacceptableToken(
  parameter: TokenParameter,
  problem: string,
  notes: RefusalNotes = {},
): OAuthError {
  return new OAuthError('invalid_request', {
    error_description: `${parameter} ${problem}`,
    reason: 'exchanged-token',
    ...notes,
  });
}
