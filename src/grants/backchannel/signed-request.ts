import type { AuthenticatedClient } from '../../clients/client-authentication/authenticate-client.ts';
import { jwtRefusalNotes, verifyWithClientKeys } from '../../clients/client-keys/remote-jwk-set.ts';
import { digestOf } from '../../keys/digest.ts';
import { CLOCK_SKEW, type JwtProfile, type VerifiedClaims } from '../../ports/jwt-verifier.ts';
import { OAuthError, temporarilyUnavailable } from '../../spec/errors.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { signatureAlgorithms } from '../../spec/server-capabilities.ts';
import { parametersOfClaims, type RequestObjectNeeds } from '../authorization/request-object.ts';
import { refusedObjectWords } from '../authorization/request-object-words.ts';

export type SignedRequestNeeds = Pick<
  RequestObjectNeeds,
  'issuer' | 'verifier' | 'jwkSets' | 'replays' | 'settings'
>;

/** Parameters that a signed request may have (OpenID Connect CIBA Core 1.0 §7.1.1). */
export const SIGNED_PARAMETERS = [
  'scope',
  'client_notification_token',
  'acr_values',
  'login_hint_token',
  'id_token_hint',
  'login_hint',
  'binding_message',
  'user_code',
  'requested_expiry',
  'resource',
  'authorization_details',
] as const;

/** §7.1.1 names no longest life. The `jti` is remembered for as long. Seconds. */
const LIFETIME_MAX = 3600;

/** Returns the parameters that count: those of the signed request if there is one. @throws OAuthError invalid_request, temporarily_unavailable */
export async function effectiveParameters(
  needs: SignedRequestNeeds,
  client: AuthenticatedClient,
  sent: Parameters,
  remoteAddress: string,
): Promise<Parameters> {
  const registered = client.metadata['backchannel_authentication_request_signing_alg'];
  const { request } = sent;
  if (request === undefined) {
    if (registered === undefined) return sent;
    throw refused(
      'the client must sign its requests: it registered backchannel_authentication_request_signing_alg',
    );
  }
  // §7.1.1: "authentication request parameters MUST NOT be present outside of the JWT".
  const outside = SIGNED_PARAMETERS.find((name) => sent[name] !== undefined);
  if (outside !== undefined) throw refused(`${outside} must stand in the signed request only`);
  const claims = await verified(needs, client, request, remoteAddress);
  const read = parametersOfClaims(claims, SIGNED_PARAMETERS, request);
  if ('problem' in read) throw refused(`the signed request is not valid: ${read.problem}`);
  return read.parameters;
}

async function verified(
  { verifier, jwkSets, replays, issuer, settings }: SignedRequestNeeds,
  { stored, metadata }: AuthenticatedClient,
  request: string,
  remoteAddress: string,
): Promise<VerifiedClaims> {
  const accepted = signatureAlgorithms(settings['signatures.algorithms']);
  const { backchannel_authentication_request_signing_alg: registered } = metadata;
  const profile: JwtProfile = {
    algorithms: registered === undefined ? accepted : accepted.filter((alg) => alg === registered),
    types: ['oauth-authz-req+jwt', 'jwt', undefined],
    // §7.1.1: "the signed authentication request JWT MUST contain" these.
    requiredClaims: ['iss', 'aud', 'exp', 'iat', 'nbf', 'jti'],
    issuer: stored.client_id,
    audience: { kind: 'where-present', values: [issuer] },
    lifetimeMax: LIFETIME_MAX,
    ageMax: undefined,
  };
  const verification = await verifyWithClientKeys(jwkSets, stored, remoteAddress, (keys) =>
    verifier.verify(request, keys, profile),
  );
  if (!verification.verified) {
    const notes = jwtRefusalNotes('signed backchannel request', verification);
    if ('retryAfter' in verification)
      throw temporarilyUnavailable('the keys of the client cannot be fetched now; try again later', {
        ...notes,
        retryAfter: verification.retryAfter,
      });
    throw refused(
      `the signed request is not valid: ${refusedObjectWords(verification, profile)}`,
      notes.detail,
    );
  }
  const { jti, exp } = verification.claims;
  const until = Math.ceil(Number(exp)) + CLOCK_SKEW;
  const isNew =
    typeof jti === 'string' &&
    (await replays.rememberOnce('request-object', stored.client_id, digestOf(jti), until));
  if (!isNew) throw refused('the signed request is not valid: its jti was used before, or is no string');
  return verification.claims;
}

function refused(error_description: string, detail?: string): OAuthError {
  return new OAuthError('invalid_request', {
    error_description,
    reason: 'request-object',
    ...(detail === undefined ? {} : { detail }),
  });
}
