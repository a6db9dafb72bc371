import type { AuthenticatedClient } from '../../clients/client-authentication/authenticate-client.ts';
import type { JsonValue } from '../../spec/json.ts';
import { parseScope } from '../../spec/scope.ts';
import {
  type AssertionGrantNeeds,
  type JwtIssuer,
  mappedSubject,
  type Refusing,
} from '../assertion-grant.ts';
import { issuersFor, verifyTrustedJwt } from '../trusted-jwt.ts';
import type { Actor, ExchangedToken, PresentedForExchange, TokenParameter } from './exchanged-token.ts';

const USES = { subject_token: 'subject-token', actor_token: 'actor-token' } as const;

/** The types of JWTs that other servers issue as access tokens (RFC 9068 §2.1), and of those without a type of their own. */
const TYPES = [undefined, 'jwt', 'at+jwt'];

/** Says whether the issuer that a text names as a JWT is trusted for the use that the parameter makes of it. */
export function isForeign(
  needs: AssertionGrantNeeds | undefined,
  parameter: TokenParameter,
  jwt: string,
): needs is AssertionGrantNeeds {
  if (needs === undefined) return false;
  const claimed = needs.verifier.claimedIssuer(jwt);
  return (
    'iss' in claimed && issuersFor(needs, [USES[parameter]]).some(({ issuer }) => issuer === claimed.iss)
  );
}

/**
 * Returns a JWT of a trusted issuer for exchange. Its subject has the name that the settings give it, and its scope is what both the
 * JWT and the settings say. It can be exchanged until it expires, as a token of this server.
 * @param refused makes the error for a JWT that is not acceptable
 */
export async function foreignToken(
  needs: AssertionGrantNeeds,
  client: AuthenticatedClient,
  parameter: TokenParameter,
  { token: jwt, remoteAddress }: PresentedForExchange,
  refused: Refusing,
): Promise<ExchangedToken> {
  const { issuer, claims } = await verifyTrustedJwt(needs, client, {
    jwt,
    remoteAddress,
    types: { [USES[parameter]]: TYPES },
    requiredClaims: () => ['iss', 'sub', 'aud', 'exp'],
    refused,
  });
  const sub = await mappedSubject(needs, { issuer, subject: claims[issuer.subjectFrom ?? 'sub'] }, refused);
  const { scope, act, may_act, cnf } = claims;
  return {
    stored: undefined,
    client_id: undefined,
    expires_at: Number(claims['exp']),
    sub,
    iss: issuer.issuer,
    scope: scopeOf(scope, issuer, refused),
    audience: undefined,
    act: actorOf(act, issuer.issuer, refused),
    may_act: objectOf(may_act, 'may_act', refused),
    cnf: objectOf(cnf, 'cnf', refused),
    more: Object.fromEntries(
      Object.entries(issuer.claims).flatMap(([name, from]) =>
        claims[from] === undefined ? [] : [[name, claims[from]] as const],
      ),
    ),
    username: undefined,
  };
}

/** Returns the scope that a JWT states and its issuer may grant; all that the issuer may grant if it states none. */
function scopeOf(stated: JsonValue | undefined, { scope }: JwtIssuer, refused: Refusing): readonly string[] {
  if (stated === undefined) return scope;
  const values = typeof stated === 'string' ? parseScope(stated) : undefined;
  const granted = values?.filter((value) => scope.includes(value)) ?? [];
  if (granted.length === 0) throw refused('has no scope value that its issuer may grant');
  return granted;
}

/** Returns an actor of another issuer, who must not look like one of this server. */
function actorOf(act: JsonValue | undefined, iss: string, refused: Refusing): Actor | undefined {
  const stated = objectOf(act, 'act', refused);
  if (stated === undefined) return undefined;
  if (typeof stated['sub'] !== 'string') throw refused('has an act without a sub');
  return { ...stated, sub: stated['sub'], iss };
}

function objectOf(
  value: JsonValue | undefined,
  claim: string,
  refused: Refusing,
): Readonly<Record<string, JsonValue>> | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value));
  throw refused(`has a claim ${claim} that is not an object`);
}
