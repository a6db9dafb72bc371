/**
 * The X.509 certificate of a caller that proved possession of its private key, from the TLS handshake or from a trusted
 * proxy (RFC 8705 §2, RFC 9440 §2).
 */
export interface ClientCertificate {
  readonly der: Uint8Array;
  readonly chain: CertificateChain;
}

/** The evidence for the certificate. */
export interface CertificateChain {
  /** The problem that the TLS handshake found, for the log. Undefined if it found none, or if a proxy made the handshake. */
  readonly problem: string | undefined;
  /** The certificates that came with it, in DER. The authentication of the client verifies them. */
  readonly intermediates: readonly Uint8Array[];
}
