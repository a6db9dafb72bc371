import type { StoredSession } from '../../ports/session-store.ts';
import type { SessionId, Subject } from '../../spec/identifiers.ts';
import type { EndUserContext } from '../end-user-context.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

/** What an authorisation code stands for, kept as JSON text (RFC 6749 §4.1.2). */
export interface CodeContent {
  /** The name under which it was issued, and under which alone it is good. */
  readonly issuer: string;
  readonly redirect_uri: string;
  readonly code_challenge?: string;
  readonly nonce?: string;
  readonly scope: readonly string[];
  readonly resource: readonly string[];
  readonly sub: Subject;
  readonly endUser: EndUserContext & { readonly sid: SessionId };
}

export function codeContent(
  issuer: string,
  request: AuthorizationRequest,
  session: StoredSession,
): CodeContent {
  const { redirect_uri, code_challenge, nonce, scope, resource } = request;
  return {
    issuer,
    redirect_uri,
    ...(code_challenge === undefined ? {} : { code_challenge }),
    ...(nonce === undefined ? {} : { nonce }),
    scope,
    resource,
    sub: session.sub,
    endUser: endUserOf(request, session),
  };
}

export function endUserOf(
  { claims }: Pick<AuthorizationRequest, 'claims'>,
  { sid, auth_time, acr, amr }: StoredSession,
): CodeContent['endUser'] {
  const names = { userinfo: Object.keys(claims.userinfo), id_token: Object.keys(claims.id_token) };
  return { sid, auth_time, acr, amr, claims: names };
}
