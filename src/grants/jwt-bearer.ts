import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import { JWT_BEARER_GRANT } from '../spec/grant-types.ts';
import type { JsonValue } from '../spec/json.ts';
import { parseScope } from '../spec/scope.ts';
import { ID_JAG_TYP } from '../spec/token-types.ts';
import { invalidAssertion, requireAssertion, useAssertion } from './assertion-grant.ts';
import { narrowedAudience } from './audience.ts';
import type { Grant } from './grant.ts';
import { issueToken } from './issue-token.ts';
import { issuersFor, type TrustedJwt, verifyTrustedJwt } from './trusted-jwt.ts';

/**
 * The types of assertions for each use. draft-ietf-oauth-rfc7523bis defines the last one of grants. The types of a client assertion
 * and of an access token are refused.
 */
const TYPES = { grant: [undefined, 'jwt', 'authorization-grant+jwt'], 'id-jag': [ID_JAG_TYP] } as const;

/** Issues a token for a JWT of a trusted issuer, which stands for the authorisation of its subject (RFC 7523 §2.1). */
export const jwtBearer: Grant = {
  grant_type: JWT_BEARER_GRANT,
  parameters: ['assertion', 'scope'],
  isOffered: ({ assertions }) =>
    assertions !== undefined && issuersFor(assertions, Object.keys(TYPES)).length > 0,
  async handle(needs, client, parameters, { remoteAddress }) {
    const jwt = requireAssertion(parameters['assertion']);
    if (needs.assertions === undefined) throw invalidAssertion('has an issuer that is not trusted here');
    const trusted = await verifyTrustedJwt(needs.assertions, client, {
      jwt,
      remoteAddress,
      types: TYPES,
      requiredClaims: ({ requireJti }) => ['iss', 'sub', 'aud', 'exp', ...(requireJti ? ['jti'] : [])],
      refused: invalidAssertion,
    });
    const { issuer, claims, typ } = trusted;
    const limits = typ === ID_JAG_TYP ? identityLimits(needs.issuer, client, trusted) : UNLIMITED;
    const { jti } = claims;
    const { scope: limit = issuer.scope } = limits;
    const asserted = {
      issuer: { ...issuer, scope: issuer.scope.filter((value) => limit.includes(value)) },
      subject: claims[issuer.subjectFrom ?? 'sub'],
      id: typeof jti === 'string' ? jti : undefined,
      expires_at: Number(claims['exp']),
    };
    const resource = narrowedResource(limits.resources, parameters['resource']);
    const { sub, scope } = await useAssertion(
      needs.assertions,
      'jwt-grant',
      client,
      asserted,
      parameters['scope'],
    );
    return { ...(await issueToken(needs, client, { sub, scope, resource })), sub };
  },
};

/** Limits that an assertion sets to its token; undefined: none. */
interface Limits {
  readonly scope?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
}

const UNLIMITED: Limits = {};

/**
 * Returns what an identity assertion grant permits (draft-ietf-oauth-identity-assertion-authz-grant-01 §4.4.1). It is for the client that
 * it names, at this server alone, and no server takes one of its own (§7.3).
 */
function identityLimits(
  ownIssuer: string,
  client: AuthenticatedClient,
  { issuer, claims }: TrustedJwt,
): Limits {
  const { client_id, jti, iat, aud, iss, scope, resource } = claims;
  if (client.metadata.token_endpoint_auth_method === 'none')
    throw invalidAssertion('may not be presented by a public client: it must authenticate');
  if (iss === ownIssuer) throw invalidAssertion('is of this server itself');
  if (typeof jti !== 'string' || typeof iat !== 'number') throw invalidAssertion('lacks jti or iat');
  if (client_id !== client.stored.client_id)
    throw invalidAssertion('is for another client: its client_id must be that of the request');
  const [audience, ...others] = Array.isArray(aud) ? aud : [aud];
  const isOurs = [ownIssuer, ...issuer.audiences].some((one) => one === audience);
  if (!isOurs || others.length > 0)
    throw invalidAssertion('must have the issuer of this server as its only aud');
  return { scope: statedScope(scope), resources: statedResources(resource) };
}

function statedScope(scope: JsonValue | undefined): readonly string[] | undefined {
  if (scope === undefined) return undefined;
  const values = typeof scope === 'string' ? parseScope(scope) : undefined;
  if (values === undefined)
    throw invalidAssertion('has a scope that is not scope values separated by spaces');
  return values;
}

function statedResources(resource: JsonValue | undefined): readonly string[] | undefined {
  if (resource === undefined) return undefined;
  const values: readonly JsonValue[] = Array.isArray(resource) ? resource : [resource];
  if (values.length > 0 && values.every((value) => typeof value === 'string' && /^\S+$/.test(value)))
    return values.map(String);
  throw invalidAssertion('has a resource that is not a URI or a list of URIs');
}

/** Returns the requested resources, which must be among those of the assertion, or all that it has. */
function narrowedResource(
  stated: readonly string[] | undefined,
  requested: string | undefined,
): string | undefined {
  return stated === undefined ? requested : narrowedAudience(stated, requested).join(' ');
}
