import { constants } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';

/** TLS at a listening socket. */
export interface TlsListen extends TlsMaterial {
  /** Whether callers are asked for a certificate; those who have none are served all the same. */
  readonly asksForCertificates: boolean;
}

/** PEM texts. */
export interface TlsMaterial {
  readonly certificate: string;
  readonly key: string;
  /** Certificates of those who may vouch for clients; empty where nobody may. */
  readonly clientAuthorities: string;
}

/** What new connections are made with, and can be renewed while the server listens. */
export function secureContextOf(tls: TlsListen): SecureContextOptions {
  const { certificate, key, clientAuthorities } = tls;
  // A resumed session would bring the verdict of an earlier handshake, and authorities may have changed since.
  const noTickets = tls.asksForCertificates ? constants.SSL_OP_NO_TICKET : 0;
  return {
    cert: certificate,
    key,
    // Without a list Node trusts every authority of the web, none of which knows our clients.
    ca: clientAuthorities === '' ? [] : clientAuthorities,
    minVersion: 'TLSv1.2',
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | noTickets,
  };
}

/** @param handshakeTimeout milliseconds */
export function tlsOptions(tls: TlsListen, handshakeTimeout: number): TlsOptions {
  return {
    ...secureContextOf(tls),
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout,
    requestCert: tls.asksForCertificates,
    // RFC 8705 §2.2: a certificate that nobody vouches for may be a client's own. What the check said is passed on.
    rejectUnauthorized: false,
  };
}
