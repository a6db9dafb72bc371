import { hash, timingSafeEqual } from 'node:crypto';
import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { ClientCertificate } from '../spec/client-certificate.ts';

/** The `cnf` claim (RFC 7800 §3.1): the certificate whose key the caller must prove (RFC 8705 §3.1). */
export interface Confirmation {
  /**
   * RFC 8705 §3.1: "the base64url-encoded … SHA-256 hash (a.k.a., thumbprint …) of the DER encoding of the
   * X.509 certificate".
   */
  readonly 'x5t#S256': string;
}

/** Makes the confirmation for a certificate. */
export function confirmationBy({ der }: ClientCertificate): Confirmation {
  return { 'x5t#S256': hash('sha256', der, 'base64url') };
}

/**
 * Says whether a caller with this certificate may use a token.
 * RFC 8705 §3: "The protected resource MUST obtain, from its TLS implementation layer, the client certificate
 * used for mutual TLS and MUST verify that the certificate matches the certificate associated with the access
 * token."
 */
export function isConfirmed(token: StoredAccessToken, certificate: ClientCertificate | undefined): boolean {
  // Most tokens are not bound; this check spares them the parsing.
  if (!token.introspection.includes('"cnf":')) return true;
  const { cnf } = JSON.parse(token.introspection) as { cnf?: Confirmation };
  return cnf === undefined || confirms(certificate, cnf);
}

/** Says whether this is the certificate of the confirmation. */
export function confirms(certificate: ClientCertificate | undefined, confirmation: Confirmation): boolean {
  if (certificate === undefined) return false;
  const [expected, presented] = [confirmation, confirmationBy(certificate)].map((each) =>
    Buffer.from(each['x5t#S256']),
  );
  return (
    expected?.length === presented?.length &&
    timingSafeEqual(expected ?? Buffer.of(), presented ?? Buffer.of())
  );
}
