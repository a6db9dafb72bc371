import { invalidAssertion, requireAssertion, useAssertion } from './assertion-grant.ts';
import type { Grant } from './grant.ts';
import { issueToken } from './issue-token.ts';
import { issuersFor, verifyTrustedJwt } from './trusted-jwt.ts';

/**
 * The types of assertions. draft-ietf-oauth-rfc7523bis defines the last one. The types of a client assertion and of an access token
 * are refused.
 */
const TYPES = { grant: [undefined, 'jwt', 'authorization-grant+jwt'] } as const;

/** Issues a token for a JWT of a trusted issuer, which stands for the authorisation of its subject (RFC 7523 §2.1). */
export const jwtBearer: Grant = {
  grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  parameters: ['assertion', 'scope'],
  isOffered: ({ assertions }) =>
    assertions !== undefined && issuersFor(assertions, Object.keys(TYPES)).length > 0,
  async handle(needs, client, parameters, { remoteAddress }) {
    const jwt = requireAssertion(parameters['assertion']);
    if (needs.assertions === undefined) throw invalidAssertion('has an issuer that is not trusted here');
    const { issuer, claims } = await verifyTrustedJwt(needs.assertions, client, {
      jwt,
      remoteAddress,
      types: TYPES,
      requiredClaims: ({ requireJti }) => ['iss', 'sub', 'aud', 'exp', ...(requireJti ? ['jti'] : [])],
      refused: invalidAssertion,
    });
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
