import { requireKeysNow } from '../../clients/client-keys/remote-jwk-set.ts';
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

/** The media type of the drafts before RFC 9701. */
export const LEGACY_JWT = 'application/jwt';

export type JwtMediaType = typeof INTROSPECTION_JWT | typeof LEGACY_JWT;

/** The caller, and the result as the JSON text of RFC 7662 §2.2. */
export interface Inspected {
  readonly client_id: ClientId;
  readonly metadata: ClientMetadata | undefined;
  readonly introspection: string;
}

/**
 * Returns the response as a JWT for the caller (RFC 9701 §5), encrypted if the caller registered encryption.
 * @throws OAuthError invalid_request if the caller has no encryption key, or the server no key for the registered algorithm
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
  requireKeysNow(made, 'keys of the client');
  throw new OAuthError('invalid_request', {
    error_description: 'the response cannot be signed or encrypted as the caller registered',
    detail: `introspection answer for ${client_id}: ${made.problem}`,
  });
}

/** Returns all claims in one object, as the drafts did. `aud` is the caller, so that the response cannot serve as an access token. */
function legacyClaims(
  told: Readonly<Record<string, unknown>>,
  answered: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return { ...answered, ...told, iss: answered['iss'], aud: answered['aud'] };
}
