import type { AuthenticatedClient } from '../../clients/client-authentication/authenticate-client.ts';
import type { ExchangePolicy } from './exchange-policy.ts';
import { type Actor, type ExchangedToken, unacceptableToken } from './exchanged-token.ts';

/** The party that acts for the subject: as the token of the actor names it, otherwise the client itself. */
export interface ActingParty {
  readonly sub: string;
  readonly iss: string;
  /** Undefined for an actor of another issuer. */
  readonly client_id: string | undefined;
}

/**
 * Returns who will use the new token.
 * @param shown the issuer of this server, and the subject of a token as the client may see it
 * @throws OAuthError invalid_request for a token of an actor that the policy does not allow
 */
export function actingParty(
  { stored: { client_id } }: AuthenticatedClient,
  { actors }: ExchangePolicy,
  actor: ExchangedToken | undefined,
  shown: { readonly issuer: string; readonly sub: (actor: ExchangedToken) => string },
): ActingParty {
  if (actor === undefined) return { sub: client_id, iss: shown.issuer, client_id };
  const isAllowed = actors === undefined ? actor.client_id === client_id : actors.includes(actor.sub);
  if (!isAllowed)
    throw unacceptableToken('actor_token', 'names an actor that the policy of the client does not allow', {
      values: { actor: actor.sub },
    });
  // It would be unclear who acts: the party that the token names, or the one that acts for it.
  if (actor.act !== undefined) throw unacceptableToken('actor_token', 'must not itself be a delegated token');
  return { sub: shown.sub(actor), iss: actor.iss, client_id: actor.client_id };
}

/**
 * Requires that the subject token permits the party, if it says who may act (RFC 8693 §4.4). A member that the party has no value
 * for is not met.
 * @throws OAuthError invalid_request
 */
export function requireMayAct({ may_act }: ExchangedToken, party: ActingParty): void {
  if (may_act === undefined) return;
  const names = Object.entries(may_act);
  const isMet =
    names.length > 0 && names.every(([name, value]) => party[name as keyof ActingParty] === value);
  if (!isMet)
    throw unacceptableToken('subject_token', 'has a may_act that does not name the acting party', {
      values: { may_act, sub: party.sub },
    });
}

/**
 * Returns the `act` of the new token: the party, with the earlier actors nested in it (RFC 8693 §4.1). With impersonation it is
 * that of the subject token.
 */
export function actOf(
  subject: ExchangedToken,
  { sub, iss }: ActingParty,
  isDelegation: boolean,
): Actor | undefined {
  if (!isDelegation) return subject.act;
  return { sub, iss, ...(subject.act === undefined ? {} : { act: subject.act }) };
}
