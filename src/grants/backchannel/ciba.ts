import type { AuthenticatedClient } from '../../clients/client-authentication/authenticate-client.ts';
import type { StoredBackchannelRequest } from '../../ports/backchannel-request-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import { CIBA_GRANT } from '../../spec/grant-types.ts';
import { tokensForCode } from '../authorization-code.ts';
import type { EndUserNeeds } from '../end-users.ts';
import type { Grant } from '../grant.ts';
import { cameTooSoon, SLOWER } from '../poll-pace.ts';
import { authReqIdKey, contentOf } from './backchannel-request.ts';

/**
 * Issues tokens to a client whose person has allowed its request (OpenID Connect CIBA Core 1.0 §10.1). Until then each request costs
 * one look-up and no write. A client that comes too soon is written down once, and all processes hold it to the longer interval.
 */
export const ciba: Grant = {
  grant_type: CIBA_GRANT,
  parameters: ['auth_req_id', 'authorization_details'],
  isOffered: ({ endUsers, settings }) => endUsers !== undefined && settings['ciba.enabled'],
  async handle(needs, client, { auth_req_id, ...parameters }, origin) {
    const { endUsers } = needs;
    if (endUsers === undefined) throw new Error('the CIBA grant has no sign-in configured');
    if (auth_req_id === undefined)
      throw new OAuthError('invalid_request', {
        error_description: 'auth_req_id is missing',
        reason: 'missing-parameter',
      });
    const request = await requestOf(endUsers, client, auth_req_id);
    // §10.1.1: "A Client can only call the Token Endpoint for poll and ping".
    if (contentOf(request).mode === 'push')
      throw new OAuthError('unauthorized_client', {
        error_description: 'the tokens of this request are pushed to the client',
      });
    if (request.state !== 'allowed' || request.code === null) throw await notYet(endUsers, request);
    const code = await endUsers.codes.find(request.code);
    if (code === undefined) throw invalidGrant();
    return await tokensForCode(needs, endUsers, client, { code, parameters, origin });
  },
};

/** §11, `invalid_grant`: "the auth_req_id is invalid or was issued to another Client". */
async function requestOf(
  { backchannelRequests }: EndUserNeeds,
  { stored: { client_id, instance } }: AuthenticatedClient,
  auth_req_id: string,
): Promise<StoredBackchannelRequest> {
  const key = authReqIdKey(auth_req_id);
  const request = key === undefined ? undefined : await backchannelRequests.find(key);
  if (request?.client_id !== client_id || request.client_instance !== instance) throw invalidGrant();
  return request;
}

/** Returns the reason why there are no tokens (§11). */
async function notYet(
  { clock, polls, backchannelRequests }: EndUserNeeds,
  request: StoredBackchannelRequest,
): Promise<OAuthError> {
  const { state, expires_at, poll_interval } = request;
  if (state === 'denied')
    return new OAuthError('access_denied', { error_description: 'the end-user refused the request' });
  if (expires_at <= clock.now())
    return new OAuthError('expired_token', { error_description: 'the auth_req_id has expired' });
  if (!cameTooSoon({ clock, polls }, request.key, poll_interval))
    return new OAuthError('authorization_pending', {
      error_description: 'the end-user has not answered yet',
    });
  await backchannelRequests.slowDown(request, poll_interval + SLOWER);
  return new OAuthError('slow_down', {
    error_description: `the client must wait ${poll_interval + SLOWER} seconds between its requests`,
  });
}

function invalidGrant(): OAuthError {
  return new OAuthError('invalid_grant', {
    error_description: 'the auth_req_id is not valid',
    reason: 'unknown-code',
  });
}
