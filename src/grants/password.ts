import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import type { RequestOrigin } from '../clients/person-event.ts';
import type { Settings } from '../config/settings.ts';
import type { Account } from '../ports/account-directory.ts';
import { authenticateWithPassword, PASSWORD_ACR, PASSWORD_AMR } from '../sessions/password-sign-in.ts';
import { OAuthError, quotedValue, TooManyRequests } from '../spec/errors.ts';
import type { GrantId } from '../spec/identifiers.ts';
import type { Parameters } from '../spec/parameters.ts';
import { withoutAdminScope } from './admin-scope.ts';
import { requestedAudience } from './audience.ts';
import { grantableScope } from './end-user-scope.ts';
import { accountInUse, beginIdTokenMember, type EndUserNeeds, endUserContent } from './end-users.ts';
import type { Grant, GrantNeeds } from './grant.ts';
import type { EndUserContext } from './issue-token.ts';
import { prepareGrant } from './prepare-grant.ts';
import { refreshableFor } from './refreshable.ts';
import { tokenConfirmation } from './token-confirmation.ts';

/**
 * Issues tokens for a user name and a password (RFC 6749 §4.3), to clients that the operator registered for it. The end-user
 * gives the password to the client, and no session begins. The limits of the sign-in page apply to guessing.
 */
export const password: Grant = {
  grant_type: 'password',
  parameters: ['username', 'password', 'scope'],
  isOffered: ({ endUsers }) => endUsers !== undefined,
  async handle(needs, client, parameters, from) {
    const { endUsers, settings } = needs;
    if (endUsers === undefined) throw new Error('the password grant has no sign-in configured');
    const { metadata } = client;
    const refreshable = refreshableFor(settings, metadata, endUsers.clock.now());
    const scope = scopeFor(settings, client, parameters['scope'], refreshable !== null);
    const audience = requestedAudience(settings, metadata, parameters['resource'], scope);
    const account = await authenticated(endUsers, client, parameters, from);
    const confirmation = await tokenConfirmation(needs, client);
    const endUser = contextNow(endUsers);
    const content = endUserContent(endUsers, client, account, { scope, audience, endUser });
    const made = await prepareGrant(needs, client, content, { confirmation }, refreshable);
    const { access_token } = made.response;
    const idToken = await beginIdTokenMember(endUsers, client, account, endUser, { scope, access_token });
    await needs.grants.create(made.grant, made.token);
    await requireUnchanged(needs, endUsers, account, made.grant.grant_id);
    const response = { ...made.response, ...(await idToken.member()) };
    return { sub: account.sub, token: made.token, response };
  },
};

function scopeFor(
  settings: Settings,
  { stored }: AuthenticatedClient,
  requested: string | undefined,
  offline: boolean,
): readonly string[] {
  const grantable = grantableScope(settings, stored, requested, offline);
  if (grantable === undefined)
    throw new OAuthError('invalid_scope', {
      error_description: 'scope must be scope values separated by spaces',
      reason: 'scope-form',
      values: { scope: requested },
    });
  const scope = withoutAdminScope(grantable);
  if (scope.length === 0 && requested !== undefined)
    throw new OAuthError('invalid_scope', {
      error_description: `the client is registered for no value of scope ${quotedValue(requested)}`,
      reason: 'scope-not-registered',
      values: { scope: requested },
    });
  return scope;
}

async function authenticated(
  { passwordSignIn }: EndUserNeeds,
  { stored: { client_id } }: AuthenticatedClient,
  { username, password: secret }: Parameters,
  from: RequestOrigin,
): Promise<Account> {
  if (username === undefined || secret === undefined) {
    throw new OAuthError('invalid_request', {
      error_description: 'username or password is missing',
      reason: 'missing-parameter',
    });
  }
  const method = 'password-grant';
  const attempt = { method, username, password: secret, browser: undefined, client_id, ...from } as const;
  const outcome = await authenticateWithPassword(passwordSignIn, attempt);
  if (outcome.outcome === 'authenticated') {
    passwordSignIn.metrics.count('chancery_sign_ins_total', { method, outcome: 'succeeded' });
    return outcome.account;
  }
  if (outcome.outcome === 'too_many_attempts') throw new TooManyRequests(outcome.retry_after, 'sign-in');
  throw wrong();
}

/**
 * Ends the new grant if the account changed while its password was checked, which takes some time. The check follows the
 * storing of the grant: from then on, a change of the account ends the grant too.
 */
async function requireUnchanged(
  { grants }: GrantNeeds,
  endUsers: EndUserNeeds,
  { sub, version }: Account,
  grant_id: GrantId,
): Promise<void> {
  const now = await accountInUse(endUsers, sub);
  if (now !== undefined && now.version === version) return;
  await grants.end(grant_id);
  throw wrong();
}

/** Returns the same answer for every reason (RFC 6749 §5.2: "invalid_grant … resource owner credentials"). The log has the reason. */
function wrong(): OAuthError {
  return new OAuthError('invalid_grant', {
    error_description: 'the user name or password is wrong',
    reason: 'user-password',
  });
}

function contextNow({ clock }: EndUserNeeds): EndUserContext {
  const claims = { userinfo: [], id_token: [] };
  return { sid: null, auth_time: clock.now(), acr: PASSWORD_ACR, amr: PASSWORD_AMR, claims };
}
