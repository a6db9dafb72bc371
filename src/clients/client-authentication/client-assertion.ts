import { digestOf } from '../../keys/digest.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { CLOCK_SKEW, type JwtProfile, type VerifiedClaims } from '../../ports/jwt-verifier.ts';
import type { RefusalNotes } from '../../spec/errors.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { HMAC_ALGORITHMS } from '../../spec/server-capabilities.ts';
import {
  jwtRefusalNotes,
  type RemoteVerification,
  requireKeysNow,
  verifyWithClientKeys,
} from '../client-keys/remote-jwk-set.ts';
import { metadataOf } from '../registered-client.ts';
import { isLive, openSecret } from '../secrets/client-secrets.ts';
import type { AssertionNeeds, AuthenticationMethod, CredentialPlace } from './method.ts';

/** RFC 7523 §2.2. */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Characters. */
const JTI_LENGTH_MAX = 256;

/**
 * RFC 7523 §2.2: `client_assertion_type` and `client_assertion` in the body. `claim` reads the issuer and
 * verifies nothing.
 */
const clientAssertion: CredentialPlace = {
  tried: 'client_assertion',
  isUsed: ({ parameters }) =>
    parameters?.['client_assertion'] !== undefined || parameters?.['client_assertion_type'] !== undefined,
  claim: ({ parameters }, { verifier }) => {
    const credential = assertionOf(parameters);
    if (credential === undefined) return undefined;
    const claimed = verifier.claimedIssuer(credential);
    return 'iss' in claimed ? { client_id: claimed.iss, credential } : undefined;
  },
};

function assertionOf(parameters: Parameters | undefined): string | undefined {
  return parameters?.['client_assertion_type'] === ASSERTION_TYPE
    ? parameters['client_assertion']
    : undefined;
}

/**
 * Returns the rules for an assertion of this client (decision 18; OpenID Connect Core 1.0 §9; RFC 7523 §3).
 * @param supported the algorithms of the client's method; never those of the other method
 */
function assertionProfile<Algorithm extends string>(
  { audience, lifetimeMax }: AssertionNeeds,
  stored: StoredClient,
  supported: readonly Algorithm[],
): JwtProfile<Algorithm> {
  const registered = metadataOf(stored)['token_endpoint_auth_signing_alg'];
  return {
    algorithms:
      registered === undefined ? supported : supported.filter((algorithm) => algorithm === registered),
    // draft-ietf-oauth-rfc7523bis defines a type; clients in the field send `JWT` or none.
    types: [undefined, 'jwt', 'client-authentication+jwt'],
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'jti'],
    issuer: stored.client_id,
    audience,
    // The verifier adds the clock skew. Otherwise a client whose clock is a second ahead could not use the whole lifetime.
    lifetimeMax,
    ageMax: lifetimeMax,
  };
}

/**
 * Checks `sub` and `jti` of an assertion whose signature and claims are valid. It remembers `jti` only now:
 * otherwise a caller could use up another client's values (RFC 7523 §3 rule 7).
 * @returns what the log says about a refusal; undefined if the assertion is accepted
 */
async function assertionProblem(
  { replays }: AssertionNeeds,
  { client_id }: StoredClient,
  { sub, jti, exp }: VerifiedClaims,
): Promise<RefusalNotes | undefined> {
  if (sub !== client_id) return { reason: 'jwt-subject', detail: 'sub is not iss', values: { sub } };
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_LENGTH_MAX)
    return { reason: 'jwt-id', detail: `jti must be a string of 1 to ${JTI_LENGTH_MAX} characters` };
  // Remembered until the verifier would refuse the assertion as expired.
  const expires_at = Number(exp) + CLOCK_SKEW;
  const isNew = await replays.rememberOnce('client-assertion', client_id, digestOf(jti), expires_at);
  return isNew ? undefined : { reason: 'jwt-used', detail: 'jti was used before', values: { jti } };
}

/**
 * Returns what the log says about an assertion. Names the `aud` of clients older than draft-ietf-oauth-rfc7523bis: an address
 * of this server, which `client-authentication.assertion-audience: legacy` accepts.
 */
function assertionNotes(
  issuer: string,
  refusal: Extract<RemoteVerification, { readonly verified: false }>,
): RefusalNotes {
  const notes = jwtRefusalNotes('client_assertion', refusal);
  const aud = notes.values?.['aud'];
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const isEndpoint = audiences.some((one) => typeof one === 'string' && one.startsWith(`${issuer}/`));
  if (refusal.reason !== 'audience' || !isEndpoint) return notes;
  const detail = `aud is an address of this server: client-authentication.assertion-audience requires ${issuer}`;
  return { ...notes, reason: 'jwt-endpoint-audience', detail };
}

/**
 * Proves a client by a JWT with a MAC. OpenID Connect Core 1.0 §9: "The HMAC … is calculated using the octets of
 * the UTF-8 representation of the client_secret."
 */
export const clientSecretJwt: AuthenticationMethod = {
  name: 'client_secret_jwt',
  place: clientAssertion,
  async prove({ assertions, clock, issuer }, stored, { credential }) {
    const { sealer, verifier } = assertions;
    const secrets = stored.secrets.filter((secret) => isLive(secret, clock.now()));
    const keys = secrets.map((secret) => Buffer.from(openSecret(sealer, stored, secret)));
    const verification = verifier.verifyMac(
      credential,
      keys,
      assertionProfile(assertions, stored, HMAC_ALGORITHMS),
    );
    if (!verification.verified) return { proved: false, notes: assertionNotes(issuer, verification) };
    const notes = await assertionProblem(assertions, stored, verification.claims);
    return notes === undefined
      ? { proved: true, secret: secrets[verification.secretIndex] }
      : { proved: false, notes };
  },
};

/**
 * Proves a client by a JWT signed with a private key whose public key it has registered or publishes (OpenID
 * Connect Core 1.0 §9).
 */
export const privateKeyJwt: AuthenticationMethod = {
  name: 'private_key_jwt',
  place: clientAssertion,
  async prove({ assertions, issuer }, stored, { credential }, { remoteAddress }) {
    const profile = assertionProfile(assertions, stored, assertions.algorithms);
    const verification = await verifyWithClientKeys(assertions.jwkSets, stored, remoteAddress, (keys) =>
      assertions.verifier.verify(credential, keys, profile),
    );
    if (!verification.verified) {
      requireKeysNow(verification, 'keys of the client');
      return { proved: false, notes: assertionNotes(issuer, verification) };
    }
    const notes = await assertionProblem(assertions, stored, verification.claims);
    return notes === undefined ? { proved: true, secret: undefined } : { proved: false, notes };
  },
};
