import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { secretFileProblem } from '../config/secret-file.ts';
import type { Settings } from '../config/settings.ts';
import type { TlsMaterial } from '../http/tls-listener.ts';
import { type Certificate, readCertificateAuthorities } from '../keys/certificate.ts';
import { authorityProblem } from '../keys/certificate-path.ts';
import type { Log } from '../ports/log.ts';
import { systemClock } from '../system/clock.ts';

/** A TLS setting names material that cannot be used. The message names the setting and shows no content. */
class TlsUnusable extends Error {
  override readonly name = 'TlsUnusable';
}

interface Loaded extends TlsMaterial {
  readonly authorities: readonly Certificate[];
}

/** Certificates and keys as their files hold them now. */
export interface OpenedTls {
  readonly material: TlsMaterial;
  /** Returns the authorities that may vouch for certificates of clients. */
  readonly authorities: () => readonly Certificate[];
  /** Reads the files at an interval and passes new contents on. Contents that cannot be used change nothing. */
  watch(renewed: (material: TlsMaterial) => void): { stop(): void };
}

/** @throws TlsUnusable */
export function openTls(settings: Settings, log: Log): OpenedTls {
  let loaded = load(settings);
  warnOfAuthorities(loaded.authorities, log);
  const open = tlsKeyProblem(settings);
  if (open !== undefined) log.warn({}, `listen.tls-key ${open}`);
  const reload = (renewed: (material: TlsMaterial) => void): void => {
    try {
      const next = load(settings);
      if (isSame(next, loaded)) return;
      loaded = next;
      warnOfAuthorities(next.authorities, log);
      renewed(next);
      log.info({}, 'TLS: certificates were read anew');
    } catch (cause) {
      log.error({ cause }, 'TLS: what the files hold now cannot be used; the earlier certificates stay');
    }
  };
  return {
    get material() {
      return loaded;
    },
    authorities: () => loaded.authorities,
    watch(renewed) {
      const seconds = settings['listen.tls-reload-interval'];
      if (seconds === 0) return { stop: () => undefined };
      const timer = setInterval(() => reload(renewed), seconds * 1000);
      timer.unref();
      return { stop: () => clearInterval(timer) };
    },
  };
}

/**
 * Returns what is wrong with the mode of the file of the TLS key. It is a warning only: other programs make and renew
 * that file, and its loss does not open the database.
 */
export function tlsKeyProblem(settings: Settings): string | undefined {
  const key = settings['listen.tls-key'];
  if (key === 'none' || key.startsWith('-----BEGIN ')) return undefined;
  const problem = secretFileProblem(key, settings['secret-files.world-readable']);
  return problem === undefined ? undefined : `names a file that ${problem}`;
}

/** An authority whose chains are all refused is a surprise to its operator, who sees 401 only. */
function warnOfAuthorities(authorities: readonly Certificate[], log: Log): void {
  const now = systemClock.now();
  for (const authority of authorities) {
    const problem = authorityProblem(authority, now);
    if (problem === undefined) continue;
    const { fingerprint256 } = authority.x509;
    log.warn({ fingerprint256, problem }, 'listen.tls-client-ca has an authority that vouches for no client');
  }
}

function isSame(one: TlsMaterial, other: TlsMaterial): boolean {
  return (
    one.certificate === other.certificate &&
    one.key === other.key &&
    one.clientAuthorities === other.clientAuthorities
  );
}

function load(settings: Settings): Loaded {
  const certificate = pemAt(settings, 'listen.tls-certificate');
  const key = pemAt(settings, 'listen.tls-key');
  const clientAuthorities = pemAt(settings, 'listen.tls-client-ca');
  if (certificate !== '') {
    requirePair(certificate, key);
    requireSuite(certificate, settings);
  }
  const authorities = clientAuthorities === '' ? [] : readCertificateAuthorities(clientAuthorities);
  if (authorities === undefined) {
    throw new TlsUnusable(
      'listen.tls-client-ca holds no certificate of an authority, or one that cannot be used',
    );
  }
  return { certificate, key, clientAuthorities, authorities };
}

type PemSetting = 'listen.tls-certificate' | 'listen.tls-key' | 'listen.tls-client-ca';

function pemAt(settings: Settings, path: PemSetting): string {
  const value = settings[path];
  if (value === 'none') return '';
  if (value.startsWith('-----BEGIN ')) return value;
  try {
    return readFileSync(value, 'utf8');
  } catch (cause) {
    throw new TlsUnusable(`${path} names a file that cannot be read`, { cause });
  }
}

/** OpenSSL's words name parts of its own, and no operator's setting. */
function requirePair(cert: string, key: string): void {
  try {
    createSecureContext({ cert });
  } catch (cause) {
    throw new TlsUnusable('listen.tls-certificate is not a certificate in PEM', { cause });
  }
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new TlsUnusable('listen.tls-key is not the private key of listen.tls-certificate in PEM', {
      cause,
    });
  }
}

/** TLS 1.2 names the kind of the certificate's key in each suite. Suites of TLS 1.3 fit every key. */
function requireSuite(certificate: string, settings: Settings): void {
  if (settings['listen.tls-min-version'] !== 'TLSv1.2') return;
  const kind = new X509Certificate(certificate).publicKey.asymmetricKeyType?.startsWith('rsa')
    ? 'RSA'
    : 'ECDSA';
  const prefix = `ECDHE-${kind}-`;
  if (settings['listen.tls-cipher-suites'].some((suite) => suite.startsWith(prefix))) return;
  throw new TlsUnusable(
    `listen.tls-cipher-suites has no suite of TLS 1.2 for the key of listen.tls-certificate: add one that begins with ${prefix}, or set listen.tls-min-version: TLSv1.3`,
  );
}
