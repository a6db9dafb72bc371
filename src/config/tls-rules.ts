import { isTls13Suite } from '../spec/tls-suites.ts';
import type { Rule } from './rules.ts';
import type { SettingPath, Settings } from './settings.ts';

type Problem = (settings: Settings) => string | undefined;

const SOURCES = [
  'listen.tls-client-certificates',
  'listen.mtls-port',
  'client-authentication.certificate-header',
] as const satisfies readonly SettingPath[];

/** Returns whether client certificates can arrive by any of the three ways. */
export function bringsCertificates(settings: Settings): boolean {
  return (
    settings['listen.tls-client-certificates'] !== 'off' ||
    settings['listen.mtls-port'] !== 0 ||
    settings['client-authentication.certificate-header'] !== 'off'
  );
}

const needsTls =
  (path: 'listen.tls-client-certificates' | 'listen.mtls-port'): Problem =>
  (settings) =>
    settings[path] !== 'off' && settings[path] !== 0 && settings['listen.tls-certificate'] === 'none'
      ? 'needs listen.tls-certificate and listen.tls-key'
      : undefined;

const needsSource =
  (path: 'listen.tls-client-ca' | 'client-authentication.mtls-origin'): Problem =>
  (settings) =>
    settings[path] !== 'none' && !bringsCertificates(settings)
      ? 'needs something that brings certificates: listen.tls-client-certificates, listen.mtls-port or client-authentication.certificate-header'
      : undefined;

/** Both versions have suites of their own. Without one of a version, its clients would be refused without a reason. */
const suitesProblem: Problem = (settings) => {
  const suites = settings['listen.tls-cipher-suites'];
  if (!suites.some(isTls13Suite)) return 'needs a suite of TLS 1.3, such as TLS_AES_128_GCM_SHA256';
  const offersTls12 = settings['listen.tls-min-version'] === 'TLSv1.2';
  return offersTls12 && suites.every(isTls13Suite)
    ? 'needs a suite of TLS 1.2, such as ECDHE-ECDSA-AES128-GCM-SHA256, or listen.tls-min-version: TLSv1.3'
    : undefined;
};

export const TLS_RULES: readonly Rule[] = [
  { path: 'listen.tls-cipher-suites', reads: ['listen.tls-min-version'], problem: suitesProblem },
  {
    path: 'listen.tls-key',
    reads: ['listen.tls-certificate'],
    problem: (settings) =>
      (settings['listen.tls-key'] === 'none') === (settings['listen.tls-certificate'] === 'none')
        ? undefined
        : 'must be set together with listen.tls-certificate',
  },
  {
    path: 'listen.tls-client-certificates',
    reads: ['listen.tls-certificate'],
    problem: needsTls('listen.tls-client-certificates'),
  },
  { path: 'listen.mtls-port', reads: ['listen.tls-certificate'], problem: needsTls('listen.mtls-port') },
  {
    path: 'listen.mtls-port',
    reads: ['listen.port', 'management.listen-port'],
    problem: (settings) =>
      settings['listen.mtls-port'] !== 0 &&
      [settings['listen.port'], settings['management.listen-port']].includes(settings['listen.mtls-port'])
        ? 'must differ from listen.port and management.listen-port'
        : undefined,
  },
  {
    path: 'client-authentication.certificate-header',
    reads: ['listen.trusted-proxies'],
    problem: (settings) =>
      settings['client-authentication.certificate-header'] !== 'off' &&
      settings['listen.trusted-proxies'].length === 0
        ? 'needs listen.trusted-proxies: only those proxies may send the header'
        : undefined,
  },
  { path: 'listen.tls-client-ca', reads: SOURCES, problem: needsSource('listen.tls-client-ca') },
  {
    path: 'client-authentication.mtls-origin',
    reads: SOURCES,
    problem: needsSource('client-authentication.mtls-origin'),
  },
];
