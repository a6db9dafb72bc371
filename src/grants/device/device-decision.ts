import { logEvent, personEvent, type RequestOrigin } from '../../clients/person-event.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { InteractionStore } from '../../ports/interaction-store.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import { DEVICE_GRANT } from '../../spec/grant-types.ts';
import { AuthorizationError, type AuthorizationRequest } from '../authorization/authorization-request.ts';
import type { AuthorizedResponseNeeds } from '../authorization/authorized-response.ts';
import { codeContent } from '../authorization/code-content.ts';
import { accountInUse } from '../end-users.ts';
import { type Device, useUserCode } from './device-request.ts';

/** Seconds after its own end in which a device may still fetch tokens that its person allowed at the last moment. */
const LATE = 60;
/** Seconds after that in which a second use of the device code is still noticed. */
const NOTICED_AFTER = 3600;

/**
 * Lets a device fetch its tokens: stores what an authorisation code has, under the device code (RFC 8628 §3.3).
 * @returns false if the code of the device is used or has expired
 * @throws AuthorizationError if the account or the session has ended in the meantime
 */
export async function allowDevice(
  {
    endUsers,
    uses,
    issuing,
    interactions,
  }: AuthorizedResponseNeeds & { readonly interactions: InteractionStore },
  stored: StoredClient,
  request: AuthorizationRequest & { readonly device: Device },
  { session, origin }: { readonly session: StoredSession; readonly origin: RequestOrigin },
): Promise<boolean> {
  const { client_id, instance: client_instance } = stored;
  const { clock, idTokens } = endUsers;
  const account = await accountInUse(endUsers, session.sub);
  const taking = { client_id, instance: client_instance, issuer: idTokens.issuer };
  const noted =
    account !== undefined && (await endUsers.sessions.addClient(session.sid, taking, clock.now()));
  if (account === undefined || !noted)
    throw new AuthorizationError(request, 'login_required', 'the end-user has signed out');
  const content = JSON.stringify(codeContent(idTokens.issuer, request, session));
  const isFirst = await useUserCode({ interactions, clock }, request.device, (ends_at) => ({
    key: request.device.key,
    client_id,
    client_instance,
    content,
    expires_at: ends_at + LATE,
    kept_until: ends_at + LATE + NOTICED_AFTER,
  }));
  if (!isFirst) return false;
  uses.note(stored, undefined);
  const about = { sub: account.sub, client_id, detail: DEVICE_GRANT };
  logEvent(issuing, personEvent(issuing, 'code.issue', about, origin));
  return true;
}
