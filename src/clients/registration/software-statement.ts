import type { JwtProfile, JwtRefusal, JwtVerifier, VerifiedClaims } from '../../ports/jwt-verifier.ts';
import { CLIENT_METADATA, isAbsent } from '../../spec/client-metadata.ts';
import { OAuthError, type RefusalNotes } from '../../spec/errors.ts';
import { isGrantType } from '../../spec/grant-types.ts';
import type { JsonObject, JsonValue } from '../../spec/json.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import { parseScope } from '../../spec/scope.ts';
import { SIGNING_ALGORITHMS } from '../../spec/server-capabilities.ts';
import {
  jwtRefusalNotes,
  type RemoteJwkSets,
  type RemoteVerification,
  requireKeysNow,
} from '../client-keys/remote-jwk-set.ts';

/** An issuer whose software statements are trusted (RFC 7591 §2.3). */
export interface SoftwareStatementIssuer {
  /** The `iss` of the statements. */
  readonly issuer: string;
  readonly keys: { readonly jwks: readonly JsonWebKey[] } | { readonly jwks_uri: string };
  /** Whether a statement alone permits a registration that otherwise needs a token. */
  readonly authorisesRegistration: boolean;
  /** The `software_id` values that are approved; undefined = all. */
  readonly approvedSoftwareIds: readonly string[] | undefined;
}

export interface SoftwareStatementNeeds {
  readonly issuers: readonly SoftwareStatementIssuer[];
  readonly verifier: JwtVerifier;
  readonly jwkSets: Pick<RemoteJwkSets, 'verifyWith'>;
}

/** A verified statement: its issuer and the client metadata in it. */
export interface SoftwareStatement {
  readonly issuer: SoftwareStatementIssuer;
  readonly members: { readonly [name: string]: JsonValue };
}

/** A registration request after the members of its software statement have replaced its own. */
export interface StatedRequest {
  readonly request: JsonObject;
  readonly statement: SoftwareStatement | undefined;
  /** The IP address of the request; undefined on the command line. */
  readonly remoteAddress: string | undefined;
}

/**
 * Verifies the software statement of a request and applies its members. RFC 7591 §3.1.1: "If the
 * authorization server supports software statements and accepts the statement, client metadata values
 * conveyed in the software statement MUST take precedence over those conveyed using plain JSON." Without
 * trusted issuers the member is ignored and not stored.
 * @throws OAuthError invalid_software_statement, unapproved_software_statement; temporarily_unavailable if
 * the keys of its issuer cannot be fetched now
 */
export async function applySoftwareStatement(
  needs: { readonly issuer: string; readonly softwareStatements?: SoftwareStatementNeeds },
  request: JsonObject,
  remoteAddress?: string,
): Promise<StatedRequest> {
  if (!('software_statement' in request.members)) return { request, statement: undefined, remoteAddress };
  const { software_statement, ...others } = request.members;
  if (needs.softwareStatements === undefined || isAbsent(software_statement)) {
    return { request: withMembers(request, Object.entries(others)), statement: undefined, remoteAddress };
  }
  if (typeof software_statement !== 'string') throw invalid('must be a string');
  const { softwareStatements, issuer } = needs;
  const sent = { jwt: software_statement, remoteAddress };
  const statement = await verifyStatement(softwareStatements, sent, issuer);
  const stated = new Set(Object.keys(statement.members));
  // A `client_name#de` of the request would contradict a stated `client_name` for German end-users.
  const unstated = Object.entries(others).filter(
    ([name]) => !stated.has(name) && !stated.has(baseName(name)),
  );
  const members = [...unstated, ...Object.entries(statement.members)];
  // RFC 7591 §3.2.1: the statement is returned "unmodified", so it stays among the members.
  return {
    request: withMembers(request, [...members, ['software_statement', software_statement]]),
    statement,
    remoteAddress,
  };
}

function withMembers(request: JsonObject, entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const members: { [name: string]: JsonValue } = Object.create(null);
  for (const [name, value] of entries) members[name] = value;
  return { members, source: (name) => request.source(name) };
}

const baseName = (name: string): string => name.split('#', 1)[0] ?? name;

async function verifyStatement(
  { issuers, verifier, jwkSets }: SoftwareStatementNeeds,
  { jwt, remoteAddress }: { readonly jwt: string; readonly remoteAddress: string | undefined },
  audience: string,
): Promise<SoftwareStatement> {
  const claimed = verifier.claimedIssuer(jwt);
  if ('reason' in claimed) throw invalid(REFUSALS[claimed.reason], { detail: claimed.reason });
  const issuer = issuers.find((trusted) => trusted.issuer === claimed.iss);
  if (issuer === undefined) throw unapproved('has an issuer that this server does not trust', claimed.iss);
  const profile = statementProfile(issuer.issuer, audience);
  const verify = async (keys: readonly JsonWebKey[]) => await verifier.verify(jwt, keys, profile);
  const verification: RemoteVerification =
    'jwks' in issuer.keys
      ? await verify(issuer.keys.jwks)
      : await jwkSets.verifyWith(
          { url: issuer.keys.jwks_uri },
          { purpose: 'trusted-issuers', remoteAddress },
          verify,
        );
  if (!verification.verified) {
    requireKeysNow(verification, 'keys of the issuer of the software_statement');
    throw invalid(REFUSALS[verification.reason], jwtRefusalNotes('software_statement', verification));
  }
  requireApproved(issuer, verification.claims);
  return { issuer, members: statedMembers(verification.claims) };
}

/**
 * RFC 7591 §2.3: "a software statement … MUST contain an "iss" (issuer) claim". An expiry and an audience are
 * optional.
 */
function statementProfile(issuer: string, audience: string): JwtProfile {
  return {
    algorithms: SIGNING_ALGORITHMS,
    types: [undefined, 'jwt'],
    requiredClaims: ['iss'],
    issuer,
    audience: { kind: 'where-present', values: [audience] },
    lifetimeMax: undefined,
    ageMax: undefined,
  };
}

function requireApproved(
  { approvedSoftwareIds }: SoftwareStatementIssuer,
  { software_id }: VerifiedClaims,
): void {
  if (approvedSoftwareIds === undefined) return;
  if (typeof software_id !== 'string' || !approvedSoftwareIds.includes(software_id)) {
    throw unapproved('has a software_id that is not approved');
  }
}

/** Members that steer the registration. A statement must not set them. */
const NOT_STATED = new Set(['data', 'preferred_client_id', 'preferred_client_secret', 'software_statement']);

/**
 * Returns the client metadata among the claims. Other claims belong to the JWT (RFC 7519 §4.1), are unknown,
 * or are request members such as `client_id` that a statement must not set.
 */
function statedMembers(claims: VerifiedClaims): SoftwareStatement['members'] {
  const stated = Object.entries(claims).filter(([name, value]) => {
    const base = baseName(name);
    return value !== null && Object.hasOwn(CLIENT_METADATA, base) && !NOT_STATED.has(base);
  });
  return Object.fromEntries(stated);
}

/**
 * Returns the privileges extended by the grant types and scope values of a statement whose issuer authorises
 * registrations.
 */
export function privilegesWithStatement(
  privileges: RegistrationPrivileges,
  { members: { grant_types, scope } }: SoftwareStatement,
): RegistrationPrivileges {
  const grants: readonly unknown[] = Array.isArray(grant_types) ? grant_types : [];
  const statedGrants = grants.filter((grant) => typeof grant === 'string').filter(isGrantType);
  const statedScope = typeof scope === 'string' ? (parseScope(scope) ?? []) : [];
  return {
    ...privileges,
    grant_types: union(privileges.grant_types, statedGrants),
    scope: union(privileges.scope, statedScope),
  };
}

function union<T>(allowed: 'any' | readonly T[], more: readonly T[]): 'any' | readonly T[] {
  return allowed === 'any' ? allowed : [...new Set([...allowed, ...more])];
}

const REFUSALS: Readonly<Record<JwtRefusal | 'key-set', string>> = {
  'too-large': 'is too long',
  malformed: 'must be a signed JWT in compact form',
  header: 'has an unsupported header member',
  algorithm: 'has an alg that is not accepted',
  type: 'must have the typ JWT or none',
  'unknown-key': 'names a key that its issuer does not have',
  signature: 'has an invalid signature',
  claims: 'lacks iss or has a claim of the wrong type',
  issuer: 'has an unexpected issuer',
  audience: 'has an aud that does not include this server',
  expired: 'has expired',
  'not-yet-valid': 'is not valid yet',
  lifetime: 'is valid for too long',
  age: 'is too old',
  'key-set': 'cannot be verified because the keys of its issuer are unavailable',
};

function invalid(problem: string, notes: RefusalNotes = {}): OAuthError {
  return new OAuthError('invalid_software_statement', {
    error_description: `software_statement ${problem}`,
    ...notes,
  });
}

function unapproved(problem: string, detail?: string): OAuthError {
  return new OAuthError('unapproved_software_statement', {
    error_description: `software_statement ${problem}`,
    ...(detail === undefined ? {} : { detail }),
  });
}
