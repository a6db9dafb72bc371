/**
 * The X.509 certificate of a caller that proved possession of its private key, from the TLS handshake or from a trusted
 * proxy (RFC 8705 §2, RFC 9440 §2).
 */
export interface ClientCertificate {
  readonly der: Uint8Array;
  readonly chain: CertificateChain;
}

/**
 * The evidence for the certificate: the result of the TLS handshake (`problem` is for the log, undefined for a valid
 * chain), or the certificates from a proxy, which are still to be verified.
 */
export type CertificateChain =
  | { readonly checked: true; readonly problem: string | undefined }
  | { readonly checked: false; readonly intermediates: readonly Uint8Array[] };
