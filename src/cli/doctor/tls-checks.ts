import { once } from 'node:events';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { type Finding, good, problem, warning } from './finding.ts';

const ABOUT = 'tls';

const TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;

/** Automatic renewals usually come a month before the end. */
const DAYS_LEFT_MIN = 14;

/** Examines the certificate and the protocol versions of an https issuer. */
export async function tlsFindings(issuer: string, now: number): Promise<readonly Finding[]> {
  const url = new URL(issuer);
  if (url.protocol === 'http:') return [plain(url)];
  const host = url.hostname.replace(/^\[|\]$/gu, '');
  const port = url.port === '' ? 443 : Number(url.port);
  const connected = await handshake({ host, port, servername: /^[\d.:]+$/u.test(host) ? '' : host });
  // The discovery document says what is to say about a server that does not answer at all.
  if (connected instanceof Error) return isRefusal(connected) ? [refused(connected)] : [];
  const end = Date.parse(connected.getPeerCertificate().valid_to);
  const version = connected.getProtocol();
  connected.destroy();
  const old = await handshake({
    host,
    port,
    rejectUnauthorized: false,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    // OpenSSL itself refuses these versions at its usual level.
    ciphers: 'DEFAULT@SECLEVEL=0',
  });
  const findings = [validity(Math.floor((end - now * 1000) / DAY_MS), end)];
  if (old instanceof Error)
    return [...findings, good(ABOUT, `${version ?? 'TLS'}; TLS 1.1 and older are refused`)];
  old.destroy();
  return [
    ...findings,
    warning(ABOUT, 'TLS 1.1 or older is accepted', {
      reason: 'These versions are broken (RFC 8996: "MUST NOT be used").',
      remedy: 'Allow TLS 1.2 and 1.3 only, at the server or the proxy that ends TLS.',
    }),
  ];
}

function plain(url: URL): Finding {
  const loopback = /^(?:localhost|127\.|\[::1\])/u.test(url.hostname);
  if (loopback) return good(ABOUT, 'http on this machine alone');
  return problem(ABOUT, 'the issuer has no TLS', {
    reason: 'Passwords, tokens and secrets cross the network in clear.',
    remedy: 'Set an https issuer, and end TLS at a proxy or with `listen.tls-certificate`.',
  });
}

const isRefusal = (failure: NodeJS.ErrnoException): boolean =>
  failure.syscall !== 'connect' && failure.syscall !== 'getaddrinfo';

function refused(failure: Error): Finding {
  return problem(ABOUT, failure.message, {
    reason: 'Clients refuse the connection for the same reason.',
    remedy:
      'Send the certificate of this host with its intermediates. For an authority of your own, run the command with NODE_EXTRA_CA_CERTS.',
  });
}

function validity(days: number, end: number): Finding {
  const until = new Date(end).toISOString().slice(0, 10);
  if (days >= DAYS_LEFT_MIN) return good(ABOUT, `the certificate is valid until ${until}`);
  return warning(ABOUT, `the certificate ends in ${days} days (${until})`, {
    reason: 'Then no client connects.',
    remedy: 'Renew it. `listen.tls-reload-interval` takes the new file without a restart.',
  });
}

async function handshake(options: ConnectionOptions): Promise<TLSSocket | Error> {
  const socket = connect(options);
  socket.setTimeout(
    TIMEOUT_MS,
    () => void socket.destroy(new Error(`no TLS handshake in ${TIMEOUT_MS / 1000} s`)),
  );
  try {
    await once(socket, 'secureConnect');
    return socket;
  } catch (failure) {
    socket.destroy();
    return failure instanceof Error ? failure : new Error(String(failure));
  }
}
