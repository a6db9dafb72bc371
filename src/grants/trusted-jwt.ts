import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import {
  jwtRefusalNotes,
  type RemoteVerification,
  requireKeysNow,
} from '../clients/client-keys/remote-jwk-set.ts';
import type { AudienceRule, JwtRefusal, VerifiedClaims } from '../ports/jwt-verifier.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import {
  type AssertionGrantNeeds,
  type IssuerUse,
  type JwtIssuer,
  type Refusing,
  tokenEndpoints,
  trustedIssuer,
} from './assertion-grant.ts';

/** A JWT of a trusted issuer, and the use that the client makes of it. */
export interface TrustedJwtUse {
  readonly jwt: string;
  readonly remoteAddress: string;
  /** The accepted types for each use that the issuer is trusted for, as in `JwtProfile`. */
  readonly types: Readonly<Partial<Record<IssuerUse, readonly (string | undefined)[]>>>;
  readonly requiredClaims: (issuer: JwtIssuer) => readonly string[];
  readonly refused: Refusing;
}

export interface TrustedJwt {
  readonly issuer: JwtIssuer;
  readonly claims: VerifiedClaims;
  /** The `typ` of the header, in lower case and without `application/`. */
  readonly typ: string | undefined;
}

/** Returns the issuers that are trusted for one of these uses. */
export function issuersFor(
  { jwtIssuers }: Pick<AssertionGrantNeeds, 'jwtIssuers'>,
  uses: readonly string[],
): readonly JwtIssuer[] {
  return jwtIssuers.filter((issuer) => issuer.uses.some((use) => uses.includes(use)));
}

/**
 * Verifies a JWT of a trusted issuer with its keys and the rules of its use (RFC 7523 §3).
 * @throws OAuthError as `refused` makes it; temporarily_unavailable if the keys of the issuer cannot be had now
 */
export async function verifyTrustedJwt(
  needs: AssertionGrantNeeds,
  client: AuthenticatedClient,
  use: TrustedJwtUse,
): Promise<TrustedJwt> {
  const { jwt, remoteAddress, refused } = use;
  const claimed = needs.verifier.claimedIssuer(jwt);
  if ('reason' in claimed) throw refused(REFUSALS[claimed.reason], claimed.reason);
  const issuers = issuersFor(needs, Object.keys(use.types));
  const issuer = trustedIssuer(issuers, claimed.iss, client, refused);
  const types = issuer.uses.flatMap((one) => use.types[one] ?? []);
  const profile = {
    algorithms: issuer.algorithms,
    types,
    requiredClaims: use.requiredClaims(issuer),
    issuer: issuer.issuer,
    audience: audienceRule(needs, issuer),
    lifetimeMax: needs.lifetimeMax,
    ageMax: needs.lifetimeMax,
    clockSkew: needs.clockSkew,
  };
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
    const words = verification.reason === 'type' ? typeRefused(types) : REFUSALS[verification.reason];
    throw refused(words, undefined, jwtRefusalNotes('assertion', verification));
  }
  const { typ } = verification.header;
  const name = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined;
  return { issuer, claims: verification.claims, typ: name };
}

function typeRefused(types: readonly (string | undefined)[]): string {
  const named = types.filter((type) => type !== undefined).map((type) => (type === 'jwt' ? 'JWT' : type));
  return `has a typ that is not allowed, allowed: ${named.join(', ')}`;
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
  type: 'has a typ that is not allowed',
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
