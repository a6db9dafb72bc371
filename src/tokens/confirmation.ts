import { hash, timingSafeEqual } from 'node:crypto';
import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { ClientCertificate } from '../spec/client-certificate.ts';

/** The `cnf` claim (RFC 7800 §3.1): the keys that the caller must prove. A token with both members needs both. */
export interface Confirmation {
  /**
   * RFC 8705 §3.1: "the base64url-encoded … SHA-256 hash (a.k.a., thumbprint …) of the DER encoding of the
   * X.509 certificate".
   */
  readonly 'x5t#S256'?: string;
  /** The thumbprint of the key of a DPoP proof (RFC 9449 §6.1). */
  readonly jkt?: string;
}

/** The keys that the sender of a request has proven. */
export interface Proven {
  readonly certificate: ClientCertificate | undefined;
  /** The thumbprint of the key of its DPoP proof; absent without one. */
  readonly jkt?: string | undefined;
}

/** Returns the `token_type` of a token (RFC 9449 §5). */
export function tokenTypeOf(confirmation: Confirmation | undefined): 'Bearer' | 'DPoP' {
  return confirmation?.jkt === undefined ? 'Bearer' : 'DPoP';
}

/** Makes the confirmation for a certificate. */
export function confirmationBy({ der }: ClientCertificate): Confirmation {
  return { 'x5t#S256': hash('sha256', der, 'base64url') };
}

/** Returns the confirmation of a token; undefined for a bearer token. */
export function confirmationOf(token: StoredAccessToken): Confirmation | undefined {
  // Most tokens are not bound; this check spares them the parsing.
  if (!token.introspection.includes('"cnf":')) return undefined;
  return (JSON.parse(token.introspection) as { cnf?: Confirmation }).cnf;
}

/** The keys that a token is bound to, as the metrics name them. */
export type TokenBinding = 'none' | 'dpop' | 'certificate' | 'dpop-and-certificate';

export function bindingOf(token: StoredAccessToken): TokenBinding {
  const { jkt, 'x5t#S256': thumbprint } = confirmationOf(token) ?? {};
  if (jkt === undefined) return thumbprint === undefined ? 'none' : 'certificate';
  return thumbprint === undefined ? 'dpop' : 'dpop-and-certificate';
}

/**
 * Says whether a caller with these keys may use a token.
 * RFC 8705 §3: "The protected resource MUST obtain, from its TLS implementation layer, the client certificate
 * used for mutual TLS and MUST verify that the certificate matches the certificate associated with the access
 * token."
 */
export function isConfirmed(token: StoredAccessToken, proven: Proven): boolean {
  const confirmation = confirmationOf(token);
  return confirmation === undefined || confirms(proven, confirmation);
}

/** Says whether these are the keys of the confirmation. A confirmation without a known member is never met. */
export function confirms({ certificate, jkt }: Proven, confirmation: Confirmation): boolean {
  const { 'x5t#S256': thumbprint, jkt: key } = confirmation;
  if (thumbprint === undefined && key === undefined) return false;
  const presented = certificate === undefined ? undefined : confirmationBy(certificate)['x5t#S256'];
  return isMet(thumbprint, presented) && isMet(key, jkt);
}

function isMet(expected: string | undefined, presented: string | undefined): boolean {
  if (expected === undefined) return true;
  if (presented === undefined) return false;
  const [one, other] = [Buffer.from(expected), Buffer.from(presented)];
  return one.length === other.length && timingSafeEqual(one, other);
}
