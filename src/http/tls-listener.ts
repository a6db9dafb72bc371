import { constants } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';

/** TLS of a listening socket. */
export interface TlsListen extends TlsMaterial {
  /** Whether the handshake asks clients for a certificate. Clients without one are served as well. */
  readonly asksForCertificates: boolean;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** OpenSSL's names, in order of preference. */
  readonly cipherSuites: readonly string[];
  /** The `max-age` of `Strict-Transport-Security` (RFC 6797 §6.1.1), in seconds; 0 = the header is not sent. */
  readonly hstsMaxAge: number;
}

/** PEM texts. */
export interface TlsMaterial {
  readonly certificate: string;
  readonly key: string;
  /** Certificates of the certification authorities for clients; empty if there are none. */
  readonly clientAuthorities: string;
}

/** Returns the options for new connections that can change while the server listens. */
export function secureContextOf(tls: TlsListen): SecureContextOptions {
  const { certificate, key, clientAuthorities, minVersion, cipherSuites } = tls;
  // A resumed session would keep the verdict of an earlier handshake although the authorities may have changed.
  const noTickets = tls.asksForCertificates ? constants.SSL_OP_NO_TICKET : 0;
  return {
    cert: certificate,
    key,
    // Without a list Node trusts every authority of the web. They do not know our clients.
    ca: clientAuthorities === '' ? [] : clientAuthorities,
    minVersion,
    ciphers: cipherSuites.join(':'),
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | noTickets,
  };
}

/** Returns all TLS options of a listener. @param handshakeTimeout milliseconds */
export function tlsOptions(tls: TlsListen, handshakeTimeout: number): TlsOptions {
  return {
    ...secureContextOf(tls),
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout,
    requestCert: tls.asksForCertificates,
    // RFC 8705 §2.2: a self-signed certificate may be a client's own. The endpoint learns the verdict and decides.
    rejectUnauthorized: false,
  };
}
