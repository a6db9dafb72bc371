import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';

/**
 * RFC 7518 §3.2: "A key of the same size as the hash output … or larger MUST be used", in octets; secrets are ASCII, so
 * as many characters.
 */
const OCTETS: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

/** Characters that a client's secret needs for the assertions it is registered for; 0 where it makes none. */
function lengthNeeded(metadata: ClientMetadata, unlessRegistered: string): number {
  if (metadata.token_endpoint_auth_method !== 'client_secret_jwt') return 0;
  const registered = metadata['token_endpoint_auth_signing_alg'];
  return OCTETS[typeof registered === 'string' ? registered : unlessRegistered] ?? 0;
}

/** The length of a secret that is made: a client that has registered no algorithm may use any (decision 15). */
export const generatedLength = (metadata: ClientMetadata, configured: number): number =>
  Math.max(configured, lengthNeeded(metadata, 'HS512'));

/** @throws OAuthError invalid_client_metadata for a secret that is too short for its algorithm */
export function requireLongEnough(metadata: ClientMetadata, preferred: string | undefined): void {
  const least = lengthNeeded(metadata, 'HS256');
  if (preferred === undefined || preferred.length >= least) return;
  throw new OAuthError('invalid_client_metadata', {
    error_description: `preferred_client_secret needs at least ${least} characters for this algorithm`,
  });
}
