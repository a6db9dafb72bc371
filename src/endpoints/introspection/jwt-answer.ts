import { type ClientJwtNeeds, makeClientJwt } from '../../clients/issued-jwt/client-jwt.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import { parseExactly } from '../../spec/exact-json.ts';
import type { ClientId } from '../../spec/identifiers.ts';

export interface JwtAnswerNeeds {
  readonly issuer: string;
  readonly clock: Clock;
  readonly clientJwts: ClientJwtNeeds;
}

export const INTROSPECTION_JWT = 'application/token-introspection+jwt';

/** Of the drafts before RFC 9701. */
export const LEGACY_JWT = 'application/jwt';

export type JwtMediaType = typeof INTROSPECTION_JWT | typeof LEGACY_JWT;

/** For whom a token was inspected, and what was found: the JSON text of RFC 7662 §2.2. */
export interface Inspected {
  readonly client_id: ClientId;
  readonly metadata: ClientMetadata | undefined;
  readonly introspection: string;
}

/**
 * The answer as a JWT for the caller (RFC 9701 §5), encrypted where the caller has registered that.
 * @throws OAuthError invalid_request where the caller has no key to encrypt to, or the server none for the signature
 */
export async function jwtAnswer(
  needs: JwtAnswerNeeds,
  { client_id, metadata, introspection }: Inspected,
  type: JwtMediaType,
): Promise<string> {
  const answered = { iss: needs.issuer, aud: client_id, iat: needs.clock.now() };
  const told = parseExactly(introspection) as Readonly<Record<string, unknown>>;
  const made = await makeClientJwt(needs.clientJwts, metadata, {
    kind: 'introspection',
    typ: 'token-introspection+jwt',
    claims:
      type === INTROSPECTION_JWT ? { ...answered, token_introspection: told } : legacyClaims(told, answered),
  });
  if ('jwt' in made) return made.jwt;
  throw new OAuthError('invalid_request', {
    error_description: 'there is no key for the signature or encryption that the caller has registered',
    detail: `introspection answer for ${client_id}: ${made.problem}`,
  });
}

/** All in one object, as the drafts had it; `aud` is the caller, so that no token is made of the answer. */
function legacyClaims(
  told: Readonly<Record<string, unknown>>,
  answered: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return { ...answered, ...told, iss: answered['iss'], aud: answered['aud'] };
}
