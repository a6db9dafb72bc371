import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import {
  jwtRefusalNotes,
  type RemoteVerification,
  requireKeysNow,
} from '../clients/client-keys/remote-jwk-set.ts';
import type { AudienceRule, JwtProfile, JwtRefusal, VerifiedClaims } from '../ports/jwt-verifier.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import {
  type AssertionGrantNeeds,
  invalidAssertion,
  type JwtIssuer,
  requireAssertion,
  tokenEndpoints,
  trustedIssuer,
  useAssertion,
} from './assertion-grant.ts';
import type { Grant } from './grant.ts';
import { issueToken } from './issue-token.ts';

/** Issues a token for a JWT of a trusted issuer, which stands for the authorisation of its subject (RFC 7523 §2.1). */
export const jwtBearer: Grant = {
  grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  parameters: ['assertion', 'scope'],
  isOffered: ({ assertions }) => assertions !== undefined && assertions.jwtIssuers.length > 0,
  async handle(needs, client, parameters, { remoteAddress }) {
    const jwt = requireAssertion(parameters['assertion']);
    if (needs.assertions === undefined) throw invalidAssertion('has an issuer that is not trusted here');
    const { issuer, claims } = await verifyJwt(needs.assertions, client, { jwt, remoteAddress });
    const { jti } = claims;
    const asserted = {
      issuer,
      subject: claims[issuer.subjectFrom ?? 'sub'],
      id: typeof jti === 'string' ? jti : undefined,
      expires_at: Number(claims['exp']),
    };
    const { sub, scope } = await useAssertion(
      needs.assertions,
      'jwt-grant',
      client,
      asserted,
      parameters['scope'],
    );
    return {
      response: await issueToken(needs, client, { sub, scope, resource: parameters['resource'] }),
      sub,
    };
  },
};

async function verifyJwt(
  needs: AssertionGrantNeeds,
  client: AuthenticatedClient,
  { jwt, remoteAddress }: { readonly jwt: string; readonly remoteAddress: string },
): Promise<{ readonly issuer: JwtIssuer; readonly claims: VerifiedClaims }> {
  const claimed = needs.verifier.claimedIssuer(jwt);
  if ('reason' in claimed) throw invalidAssertion(REFUSALS[claimed.reason], claimed.reason);
  const issuer = trustedIssuer(needs.jwtIssuers, claimed.iss, client);
  const profile = grantProfile(needs, issuer);
  const verify = async (keys: readonly JsonWebKey[]) => await needs.verifier.verify(jwt, keys, profile);
  const verification: RemoteVerification =
    'jwks' in issuer.keys
      ? await verify(issuer.keys.jwks)
      : await needs.jwkSets.verifyWith(
          { url: issuer.keys.jwks_uri },
          { purpose: 'trusted-issuers', remoteAddress },
          verify,
        );
  if (!verification.verified) {
    requireKeysNow(verification, 'keys of the issuer of the assertion');
    throw invalidAssertion(
      REFUSALS[verification.reason],
      undefined,
      jwtRefusalNotes('assertion', verification),
    );
  }
  return { issuer, claims: verification.claims };
}

/** Returns the rules for the assertions of an issuer (RFC 7523 §3). */
function grantProfile(needs: AssertionGrantNeeds, issuer: JwtIssuer): JwtProfile {
  return {
    algorithms: issuer.algorithms,
    // draft-ietf-oauth-rfc7523bis defines this type. The types of a client assertion and of an access token are refused.
    types: [undefined, 'jwt', 'authorization-grant+jwt'],
    requiredClaims: ['iss', 'sub', 'aud', 'exp', ...(issuer.requireJti ? ['jti'] : [])],
    issuer: issuer.issuer,
    audience: audienceRule(needs, issuer),
    lifetimeMax: needs.lifetimeMax,
    ageMax: needs.lifetimeMax,
    clockSkew: needs.clockSkew,
  };
}

/**
 * Returns the rule for the audience (RFC 7523 §3 rule 3). draft-ietf-oauth-rfc7523bis allows one audience only: several could
 * use the assertion against each other.
 */
function audienceRule(needs: AssertionGrantNeeds, { audiences }: JwtIssuer): AudienceRule {
  const { audience, issuer } = needs;
  return audience === 'issuer'
    ? { kind: 'sole', values: [issuer, ...audiences] }
    : { kind: 'where-present', values: [issuer, ...tokenEndpoints(needs), ...audiences] };
}

const REFUSALS: Readonly<Record<JwtRefusal | 'key-set', string>> = {
  'too-large': 'is too large',
  malformed: 'is not a signed JWT in compact form',
  header: 'has a header member that is not supported',
  algorithm: 'has an alg that is not accepted',
  type: 'has a typ that is not allowed, allowed: JWT, authorization-grant+jwt',
  'unknown-key': 'matches no key of its issuer',
  signature: 'has an invalid signature',
  claims: 'lacks a required claim, or has a claim of the wrong type',
  issuer: 'has another issuer',
  audience: 'is for another audience',
  expired: 'has expired',
  'not-yet-valid': 'is not valid yet',
  lifetime: 'is valid for too long',
  age: 'is too old',
  'key-set': 'cannot be verified: the keys of its issuer are not available',
};
