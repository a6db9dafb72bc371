import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Log } from '../ports/log.ts';
import { parseByteSequence, parseByteSequences } from '../spec/byte-sequence.ts';
import type { ClientCertificate } from '../spec/client-certificate.ts';
import type { RequestHeaders } from './raw-headers.ts';

/** Reads the client's certificate. A string is the reason to refuse the request: a sentence that quotes no value. */
export type CertificateReader = (
  socket: Socket,
  headers: RequestHeaders,
) => ClientCertificate | string | undefined;

export interface CertificateSources {
  /** For a listener with TLS. `hasAuthorities` tells whether it has certification authorities for clients. */
  readonly tls: { readonly hasAuthorities: boolean } | undefined;
  /** Tells which peers may send `Client-Cert`; undefined if none may. */
  readonly trustedProxy: ((address: string) => boolean) | undefined;
}

export function certificateReader(sources: CertificateSources, log: Pick<Log, 'warn'>): CertificateReader {
  const { tls, trustedProxy } = sources;
  const fromHandshake = tls === undefined ? () => undefined : handshakeReader(tls.hasAuthorities);
  let told = false;
  return (socket, headers) => {
    if (trustedProxy?.(socket.remoteAddress ?? '') === true) return fromHeader(headers);
    if (headers['client-cert'] !== undefined && !told) {
      told = true;
      log.warn(
        { remote_address: socket.remoteAddress },
        'a Client-Cert header is ignored because its sender is not a trusted proxy (logged once)',
      );
    }
    return fromHandshake(socket);
  };
}

/** Reads the certificate of the handshake once per connection. */
function handshakeReader(hasAuthorities: boolean): (socket: Socket) => ClientCertificate | undefined {
  const read = new WeakMap<Socket, ClientCertificate>();
  return (socket) => {
    if (!(socket instanceof TLSSocket)) return undefined;
    const known = read.get(socket);
    if (known !== undefined) return known;
    const presented = socket.getPeerX509Certificate();
    if (presented === undefined) return undefined;
    const chain = { problem: problemOf(socket), intermediates: issuersOf(presented) };
    const certificate: ClientCertificate = { der: presented.raw, chain };
    read.set(socket, certificate);
    return certificate;
  };

  function problemOf({ authorized, authorizationError }: TLSSocket): string | undefined {
    if (!hasAuthorities) return 'no certification authority for clients is configured';
    return authorized || endsAtAuthority(authorizationError) ? undefined : String(authorizationError);
  }
}

/**
 * Tells whether OpenSSL reached a configured authority that another authority has signed, and missed that one. The
 * operator trusts the configured one, so the path ends there: the authentication of the client verifies the path.
 * A listener cannot have `allowPartialTrustChain`: Node 26 does not pass it on.
 */
const endsAtAuthority = (error: TLSSocket['authorizationError']): boolean =>
  String(error) === 'UNABLE_TO_GET_ISSUER_CERT';

/** The most certificates that are taken from a handshake; a longer chain is refused by its length. */
const ISSUERS_MAX = 20;

/** Returns the chain that OpenSSL built from what the client sent and from the configured authorities. */
function issuersOf(presented: X509Certificate): readonly Uint8Array[] {
  const issuers: Uint8Array[] = [];
  for (let next = presented.issuerCertificate; next !== undefined; next = next.issuerCertificate) {
    if (issuers.length === ISSUERS_MAX) break;
    issuers.push(next.raw);
  }
  return issuers;
}

/** Reads the headers of RFC 9440 §2.2 and §2.3. A malformed one is refused, never interpreted. */
function fromHeader(headers: RequestHeaders): ClientCertificate | string | undefined {
  const [field, chain] = [headers['client-cert'], headers['client-cert-chain']];
  if (field === undefined) {
    return chain === undefined ? undefined : 'The header client-cert-chain needs client-cert.';
  }
  const der = parseByteSequence(field);
  if (der === undefined || der.length === 0) return 'The header client-cert is malformed.';
  const intermediates = chain === undefined ? [] : parseByteSequences(chain);
  if (intermediates === undefined) return 'The header client-cert-chain is malformed.';
  return { der, chain: { problem: undefined, intermediates } };
}
