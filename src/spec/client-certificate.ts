/**
 * The X.509 certificate whose private key the caller of a request has proved to hold, as the TLS handshake shows it or
 * a trusted proxy tells it (RFC 8705 §2, RFC 9440 §2).
 */
export interface ClientCertificate {
  readonly der: Uint8Array;
  readonly chain: CertificateChain;
}

/**
 * Whether somebody who is trusted vouches for the certificate: what the check of the TLS handshake found (`problem` is
 * for the log, undefined when the chain holds), or the certificates that a proxy passed on, still to be checked.
 */
export type CertificateChain =
  | { readonly checked: true; readonly problem: string | undefined }
  | { readonly checked: false; readonly intermediates: readonly Uint8Array[] };
