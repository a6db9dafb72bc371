import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import type { RequestOrigin } from '../clients/person-event.ts';
import { digestOf, sameDigest } from '../keys/digest.ts';
import type { Account } from '../ports/account-directory.ts';
import type { Redemption, StoredAuthorizationCode } from '../ports/authorization-code-store.ts';
import { OAuthError } from '../spec/errors.ts';
import type { Digest } from '../spec/identifiers.ts';
import type { Parameters } from '../spec/parameters.ts';
import type { RefusalReason } from '../spec/refusal-reasons.ts';
import { authorizationCodeKey } from '../tokens/authorization-code.ts';
import { scopeNow } from './admin-scope.ts';
import { audienceFor, narrowedAudience, requestedAudience } from './audience.ts';
import type { CodeContent } from './authorization/code-content.ts';
import { isStillTarget } from './authorization/response-target.ts';
import { narrowedDetails } from './authorization-details/narrowed-details.ts';
import { accountInUse, beginIdTokenMember, type EndUserNeeds, endUserContent } from './end-users.ts';
import type { Grant, Granted, GrantNeeds } from './grant.ts';
import { type PreparedGrant, prepareGrant } from './prepare-grant.ts';
import { refreshableFor, reuseEvent } from './refreshable.ts';
import { tokenConfirmation } from './token-confirmation.ts';

/**
 * Issues tokens for an authorisation code, once (RFC 6749 §4.1.3). A second use means that the code was copied, and the server
 * cannot tell which of the two users is the thief. It therefore ends the grant of the first use (§4.1.2).
 */
export const authorizationCode: Grant = {
  grant_type: 'authorization_code',
  parameters: ['code', 'redirect_uri', 'code_verifier', 'authorization_details'],
  isOffered: ({ endUsers }) => endUsers !== undefined,
  async handle(needs, client, parameters, origin) {
    const { endUsers } = needs;
    if (endUsers === undefined) throw new Error('the authorization_code grant has no sign-in configured');
    const code = await codeOf(endUsers, parameters['code']);
    return await tokensForCode(needs, endUsers, client, {
      code,
      parameters,
      origin,
      check(content) {
        requireRedirectUri(content, parameters['redirect_uri']);
        requireVerifier(content, parameters['code_verifier']);
      },
    });
  },
};

/** A code, and the request that shows it. */
export interface CodeUse {
  readonly code: StoredAuthorizationCode;
  readonly parameters: Parameters;
  readonly origin: RequestOrigin;
  /** Checks what the end-user's browser and the client must agree on. A device has no such thing. */
  readonly check?: (content: CodeContent) => void;
  /** The request whose tokens are pushed to the client: the ID token holds it, and a hash of the refresh token. */
  readonly pushedFor?: string;
}

/** Issues the tokens of a code to its client, once. @throws OAuthError invalid_grant, invalid_target and those of `tokenConfirmation` */
export async function tokensForCode(
  needs: GrantNeeds,
  endUsers: EndUserNeeds,
  client: AuthenticatedClient,
  { code, parameters, origin, check = () => undefined, pushedFor }: CodeUse,
): Promise<Granted> {
  requireClient(code, client);
  const content = JSON.parse(code.content) as CodeContent;
  if (content.issuer !== endUsers.idTokens.issuer)
    throw invalidGrant('unknown-code', 'issued under another name');
  check(content);
  requireSameDocument(client, content);
  requireKey(content, client);
  const account = await accountInUse(endUsers, content.sub);
  if (account === undefined) throw invalidGrant('no-end-user', 'the account is not in use');
  const prepared = await preparedGrant(needs, endUsers, client, { content, account, parameters });
  const { scope, nonce, endUser } = content;
  const { access_token, refresh_token } = prepared.response;
  const pushed = pushedFor === undefined ? {} : { auth_req_id: pushedFor, refresh_token };
  const company = { scope, nonce, access_token, ...pushed };
  const idToken = await beginIdTokenMember(endUsers, client, account, endUser, company);
  const onReuse = reuseEvent(needs, 'authorization code', code.client_id, content.sub, origin);
  await redeem(needs, endUsers, code, {
    grant: prepared.grant,
    token: prepared.token,
    sid: endUser.sid,
    onReuse,
  });
  const response = { ...prepared.response, ...(await idToken.member()) };
  return { sub: content.sub, token: prepared.token, response };
}

async function codeOf(
  { codes }: EndUserNeeds,
  presented: string | undefined,
): Promise<StoredAuthorizationCode> {
  if (presented === undefined) {
    throw new OAuthError('invalid_request', {
      error_description: 'code is missing',
      reason: 'missing-parameter',
    });
  }
  const key = authorizationCodeKey(presented);
  const code = key === undefined ? undefined : await codes.find(key);
  if (code === undefined) throw invalidGrant('unknown-code', 'unknown');
  return code;
}

/** §4.1.3: "ensure that the authorization code was issued to the authenticated confidential client, or …". */
function requireClient(
  code: StoredAuthorizationCode,
  { stored: { client_id, instance } }: AuthenticatedClient,
): void {
  if (code.client_id === client_id && code.client_instance === instance) return;
  throw invalidGrant('code-of-another-client', 'of another client', { issued_to: code.client_id });
}

/** §4.1.3: "REQUIRED, if the redirect_uri parameter was included in the authorization request"; this server always requires it there. */
function requireRedirectUri({ redirect_uri }: CodeContent, presented: string | undefined): void {
  if (presented === undefined) {
    throw new OAuthError('invalid_request', {
      error_description: 'redirect_uri is missing',
      reason: 'missing-parameter',
    });
  }
  if (presented !== redirect_uri)
    throw invalidGrant('code-redirect-uri', 'for another redirect_uri', { redirect_uri: presented });
}

/**
 * Refuses a code if the metadata document of its client has changed its keys since, or no longer has the redirection URI
 * (draft-ietf-oauth-client-id-metadata-document-02 §8.3): the code may have gone to a party that controlled the document for a while.
 */
function requireSameDocument({ stored }: AuthenticatedClient, content: CodeContent): void {
  if (stored.document === null || isStillTarget(stored, { ...content, client_instance: stored.instance }))
    return;
  throw invalidGrant(
    'changed-metadata-document',
    'the metadata document of the client has other keys or redirect_uris now',
  );
}

/** RFC 7636 §4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * Checks the verifier against the challenge (RFC 7636 §4.6). A verifier without a challenge is refused: an attacker may have
 * removed the challenge from the request (RFC 9700 §2.1.1).
 */
function requireVerifier({ code_challenge }: CodeContent, verifier: string | undefined): void {
  if (code_challenge === undefined && verifier === undefined) return;
  const matches =
    code_challenge !== undefined &&
    verifier !== undefined &&
    VERIFIER.test(verifier) &&
    sameDigest(digestOf(verifier), code_challenge as Digest);
  if (!matches) throw invalidGrant('code-verifier', 'code_verifier does not match');
}

/** RFC 9449 §10: a code that is bound to a key needs a proof with it. */
function requireKey({ dpop_jkt }: CodeContent, { proof }: AuthenticatedClient): void {
  if (dpop_jkt === undefined || dpop_jkt === proof?.jkt) return;
  throw invalidGrant('dpop-proof', 'bound to another key', { dpop_jkt });
}

async function preparedGrant(
  needs: GrantNeeds,
  endUsers: EndUserNeeds,
  client: AuthenticatedClient,
  what: { readonly content: CodeContent; readonly account: Account; readonly parameters: Parameters },
): Promise<PreparedGrant> {
  const { content, account, parameters } = what;
  const { resource, endUser, authorization_details } = content;
  const scope = scopeNow(content.scope, client.stored, account);
  const requested = parameters['resource'];
  const { settings } = needs;
  // Where each request must name its resource, this one adds none to those that the end-user saw.
  const authorized =
    resource.length > 0 || !settings['access-token.require-resource']
      ? resource
      : requestedAudience(settings, client.metadata, undefined, scope);
  const audience =
    authorized.length === 0
      ? audienceFor(settings, client.metadata, requested)
      : narrowedAudience(authorized, requested);
  const narrowed = narrowedDetails(
    needs.detailTypes,
    client.metadata,
    authorization_details,
    parameters['authorization_details'],
  );
  return await prepareGrant(
    needs,
    client,
    { ...endUserContent(endUsers, client, account, { scope, audience, endUser }), authorization_details },
    { confirmation: await tokenConfirmation(needs, client), authorization_details: narrowed },
    refreshableFor(settings, client.metadata, endUsers.clock.now()),
  );
}

/**
 * Stores what the code gives. A session that has ended gives nothing: a person could return with an old code after a password change
 * or after the account was disabled.
 */
async function redeem(
  { grants, log }: GrantNeeds,
  { codes, clock }: EndUserNeeds,
  { key, expires_at }: StoredAuthorizationCode,
  redemption: Redemption,
): Promise<void> {
  const { grant, onReuse } = redemption;
  const outcome = await codes.redeem(key, redemption);
  if (outcome === 'used') {
    log.warn({ ...onReuse }, 'an authorisation code was used again: what it gave is ended');
  }
  if (outcome === 'signed-out') throw invalidGrant('ended-session', 'the end-user has signed out');
  if (outcome !== 'redeemed') throw invalidGrant('used-code', 'used before');
  if (clock.now() < expires_at) return;
  // An expired code is redeemed first, so that a reuse is still noticed.
  await grants.end(grant.grant_id);
  throw invalidGrant('expired-code', 'expired');
}

/** Returns the same answer for every reason (RFC 6749 §5.2); only the log names the reason. */
function invalidGrant(
  reason: RefusalReason,
  detail: string,
  values: Readonly<Record<string, string>> = {},
): OAuthError {
  return new OAuthError('invalid_grant', {
    error_description: 'the authorization code is not valid',
    reason,
    detail,
    values,
  });
}
