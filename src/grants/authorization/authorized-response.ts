import { logEvent, personEvent, type RequestOrigin } from '../../clients/person-event.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import type { ClientUses } from '../../clients/upkeep/client-uses.ts';
import type { Account } from '../../ports/account-directory.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Random } from '../../ports/random.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import { mintAuthorizationCode } from '../../tokens/authorization-code.ts';
import { withoutAdminScope } from '../admin-scope.ts';
import { requestedAudience } from '../audience.ts';
import { accountInUse, beginEndUserIdToken, type EndUserNeeds, endUserContent } from '../end-users.ts';
import type { Issuing } from '../grant.ts';
import type { RegisteredClient } from '../issue-token.ts';
import { prepareGrant } from '../prepare-grant.ts';
import { AuthorizationError, type AuthorizationRequest } from './authorization-request.ts';
import type { ResponseParameters } from './authorization-response.ts';
import { codeContent, endUserOf } from './code-content.ts';

export interface AuthorizedResponseNeeds {
  readonly issuing: Issuing;
  readonly endUsers: EndUserNeeds;
  readonly uses: ClientUses;
  readonly random: Random;
}

/** An authorised request with its client, session and account. */
interface Authorized {
  readonly client: RegisteredClient;
  readonly request: AuthorizationRequest;
  readonly session: StoredSession;
  readonly account: Account;
}

type Issued = Readonly<Record<string, string | number>>;

/**
 * Issues what the response type names: a code, an access token, or an ID token with the hashes of both (RFC 6749 §4.1.2 and
 * §4.2.2; OpenID Connect Core 1.0 §3.2.2.5 and §3.3.2.5). Adds the client to the session, which notifies it at logout.
 * @throws AuthorizationError if the account or the session has ended in the meantime
 */
export async function authorizedResponse(
  needs: AuthorizedResponseNeeds,
  stored: StoredClient,
  request: AuthorizationRequest,
  { session, origin }: { readonly session: StoredSession; readonly origin: RequestOrigin },
): Promise<ResponseParameters> {
  const { endUsers, uses, issuing } = needs;
  const client = { stored, metadata: metadataOf(stored) };
  const account = await accountInUse(endUsers, session.sub);
  const { client_id, instance } = stored;
  const now = endUsers.clock.now();
  const { issuer } = endUsers.idTokens;
  const noted =
    account !== undefined &&
    (await endUsers.sessions.addClient(session.sid, { client_id, instance, issuer }, now));
  if (account === undefined || !noted) throw signedOut(request);
  // Live tokens count as use: without this note the client could be deleted as idle.
  uses.note(stored, undefined);
  const authorized = { client, request, session, account };
  const code = request.response_type.includes('code') ? await issueCode(needs, authorized) : {};
  const token = request.response_type.includes('token') ? await issueAccessToken(needs, authorized) : {};
  const about = { sub: account.sub, client_id, detail: request.response_type.join(' ') };
  if ('code' in code) logEvent(issuing, personEvent(issuing, 'code.issue', about, origin));
  if ('access_token' in token) {
    logEvent(issuing, personEvent(issuing, 'token.issue', about, origin));
    issuing.metrics.count('chancery_tokens_issued_total', { grant: 'response', binding: 'none' });
  }
  return { ...code, ...token, ...(await idToken(needs, authorized, { ...code, ...token })) };
}

function signedOut(request: AuthorizationRequest): AuthorizationError {
  return new AuthorizationError(request, 'login_required', 'the end-user has signed out');
}

async function issueCode(
  { endUsers, random }: AuthorizedResponseNeeds,
  { client, request, session }: Authorized,
): Promise<Issued> {
  const { client_id, instance } = client.stored;
  const content = JSON.stringify(codeContent(endUsers.idTokens.issuer, request, session));
  const { code, stored } = mintAuthorizationCode(
    { clock: endUsers.clock, random },
    { client_id, client_instance: instance, content },
    endUsers.settings['authorization-code.lifetime'],
  );
  await endUsers.codes.issue(stored);
  return { code };
}

/** A browser shows no certificate and sends no DPoP proof. */
const BINDINGS = ['tls_client_certificate_bound_access_tokens', 'dpop_bound_access_tokens'] as const;

/** Issues an access token with its own grant and without a refresh token (RFC 6749 §4.2.2). It cannot be bound to a key. */
async function issueAccessToken(
  { issuing, endUsers }: AuthorizedResponseNeeds,
  { client, request, session, account }: Authorized,
): Promise<Issued> {
  const binding = BINDINGS.find((member) => client.metadata[member] === true);
  if (binding !== undefined)
    throw new AuthorizationError(
      request,
      'invalid_request',
      `the client registered ${binding}, which response_type token does not allow`,
    );
  const { resource } = request;
  const scope = withoutAdminScope(request.scope);
  const requested = resource.length === 0 ? undefined : resource.join(' ');
  const audience = requestedAudience(issuing.settings, client.metadata, requested, scope);
  const endUser = endUserOf(request, session);
  const content = endUserContent(endUsers, client, account, { scope, audience, endUser });
  const { grant, token, response } = await prepareGrant(
    issuing,
    client,
    content,
    { confirmation: undefined },
    null,
  );
  const { sid } = grant;
  const created =
    sid === undefined
      ? issuing.grants.create(grant, token)
      : issuing.grants.createInSession({ ...grant, sid }, token);
  if ((await created) === false) throw signedOut(request);
  const { access_token, token_type, expires_in } = response;
  return { access_token, token_type, expires_in, scope: response.scope };
}

async function idToken(
  { endUsers }: AuthorizedResponseNeeds,
  { client, request, session, account }: Authorized,
  { code, access_token }: Issued,
): Promise<Issued> {
  const { response_type, nonce, state, scope } = request;
  if (!response_type.includes('id_token')) return {};
  // OpenID Connect Core 1.0 §5.4: without an access token "the resulting Claims are returned in the ID Token".
  const alone = response_type.length === 1;
  const begun = await beginEndUserIdToken(endUsers, client, account, endUserOf(request, session), {
    nonce,
    state,
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof access_token === 'string' ? { access_token } : {}),
    scope: alone ? scope : [],
  });
  if ('jwt' in begun) return { id_token: await begun.jwt };
  const { problem: detail, retryAfter } = begun;
  if (retryAfter !== undefined)
    throw new AuthorizationError(
      request,
      'temporarily_unavailable',
      'the keys of the client cannot be fetched now; try again later',
      { detail },
    );
  throw new AuthorizationError(
    request,
    'server_error',
    'the ID token cannot be signed or encrypted as the client registered',
    { detail },
  );
}
