import type { StoredSession } from '../../ports/session-store.ts';
import type { Digest, SessionId, Subject } from '../../spec/identifiers.ts';
import type { AuthorizationDetails } from '../authorization-details/detail-types.ts';
import type { Backchannel } from '../backchannel/backchannel-request.ts';
import type { Device } from '../device/device-request.ts';
import type { EndUserContext } from '../issue-token.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

/** The stored content of an authorisation code, as JSON text (RFC 6749 §4.1.2). */
export interface CodeContent {
  /** The issuer identifier that issued the code. Under another one the code is not valid. */
  readonly issuer: string;
  readonly redirect_uri: string;
  /** As in the request. */
  readonly client_keys?: Digest;
  readonly code_challenge?: string;
  /** The device that the tokens are for (RFC 8628). */
  readonly device?: Device;
  /** The request of a client without a browser that the tokens are for (OpenID Connect CIBA Core 1.0). */
  readonly backchannel?: Backchannel;
  readonly dpop_jkt?: string;
  readonly nonce?: string;
  readonly scope: readonly string[];
  readonly resource: readonly string[];
  /** The granted details (RFC 9396). */
  readonly authorization_details?: AuthorizationDetails;
  readonly sub: Subject;
  readonly endUser: EndUserContext & { readonly sid: SessionId };
}

/** Returns the content of a code for this request and session. */
export function codeContent(
  issuer: string,
  request: AuthorizationRequest,
  session: StoredSession,
): CodeContent {
  const { redirect_uri, client_keys, code_challenge, device, dpop_jkt, nonce, scope, resource } = request;
  const { authorization_details, backchannel } = request;
  return {
    issuer,
    redirect_uri,
    ...(client_keys === undefined ? {} : { client_keys }),
    ...(code_challenge === undefined ? {} : { code_challenge }),
    ...(device === undefined ? {} : { device }),
    ...(backchannel === undefined ? {} : { backchannel }),
    ...(dpop_jkt === undefined ? {} : { dpop_jkt }),
    ...(nonce === undefined ? {} : { nonce }),
    scope,
    resource,
    ...(authorization_details === undefined ? {} : { authorization_details }),
    sub: session.sub,
    endUser: endUserOf(request, session),
  };
}

/** Returns how the end-user of a session signed in, with the names of the requested claims. */
export function endUserOf(
  { claims }: Pick<AuthorizationRequest, 'claims'>,
  { sid, auth_time, acr, amr }: StoredSession,
): CodeContent['endUser'] {
  const names = { userinfo: Object.keys(claims.userinfo), id_token: Object.keys(claims.id_token) };
  return { sid, auth_time, acr, amr, claims: names };
}
