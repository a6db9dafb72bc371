import type { UnverifiedJwt } from '../ports/jwt-inspector.ts';
import type { JsonValue } from '../spec/json.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import type { JsonMembers } from './json-value.ts';

/** The nine algorithms of the interface: those of OpenID Connect without EdDSA (interface, Authentication 6). */
export const STATEMENT_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
] as const;

/** The entity type of a client (§5.1.2). */
export const RELYING_PARTY = 'openid_relying_party';

/** The entity type of what an entity says as a member of the federation (§5.1.1). */
export const FEDERATION_ENTITY = 'federation_entity';

/** The maximum number of statements in a trust chain that a request brings. */
export const CHAIN_STATEMENTS_MAX = 20;

export const STATEMENT_TYPE = 'entity-statement+jwt';

/** §3.1: the claims that this specification defines for entity statements; `crit` must not name them. */
export const STATEMENT_CLAIMS: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'iat',
  'exp',
  'jwks',
  'metadata',
  'crit',
  'authority_hints',
  'trust_anchor_hints',
  'trust_marks',
  'trust_mark_issuers',
  'trust_mark_owners',
  'constraints',
  'metadata_policy',
  'metadata_policy_crit',
  'source_endpoint',
  'aud',
  'trust_anchor',
]);

export type StatementKind =
  /** A statement of an entity about itself, published at its well-known address. */
  | 'configuration'
  /** A statement of a superior about its immediate subordinate. */
  | 'subordinate'
  /** A configuration that a relying party sends as an explicit registration request (§12.2.1). */
  | 'request';

declare const sound: unique symbol;

/**
 * An entity statement that passed every check of §3.2, including its signature by the keys of its issuer's configuration.
 * This proves who made it. Only a trust chain proves that the issuer is trusted. Only `examineStatement` creates one.
 */
export interface SoundStatement {
  readonly [sound]: true;
  readonly jwt: UnverifiedJwt;
  readonly kind: StatementKind;
  readonly iss: string;
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
  /** The subject's federation keys. */
  readonly keys: readonly JsonWebKey[];
  /** Empty if the claim is absent. */
  readonly authority_hints: readonly string[];
  /** Empty if the claim is absent. */
  readonly trust_anchor_hints: readonly string[];
  /** By entity type; each value is an object without null members. */
  readonly metadata: JsonMembers;
}

/** Converts a statement whose claims passed every check. */
export function soundStatement(jwt: UnverifiedJwt, kind: StatementKind): SoundStatement {
  const { iss, sub, iat, exp, jwks, authority_hints, trust_anchor_hints, metadata } = jwt.claims;
  const { keys } = jwks as { readonly keys: readonly JsonWebKey[] };
  return {
    jwt,
    kind,
    iss: iss as string,
    sub: sub as string,
    iat: iat as number,
    exp: exp as number,
    keys,
    authority_hints: different(authority_hints),
    trust_anchor_hints: different(trust_anchor_hints),
    metadata: (metadata ?? {}) as JsonMembers,
  } as SoundStatement;
}

/** An entity may repeat a hint. It is read once. */
function different(hints: JsonValue | undefined): readonly string[] {
  return [...new Set((hints ?? []) as readonly string[])];
}
