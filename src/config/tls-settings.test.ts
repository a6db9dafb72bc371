import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings } from './load-settings.ts';
import { SettingsError } from './settings-error.ts';

const TLS = { CHANCERY_LISTEN_TLS_CERTIFICATE: 'server.pem', CHANCERY_LISTEN_TLS_KEY: 'server.key' };
const SOURCE = { CHANCERY_LISTEN_TLS_CLIENT_CERTIFICATES: 'optional' };
const CA = { CHANCERY_LISTEN_TLS_CLIENT_CA: 'ca.pem' };
const HEADER = { CHANCERY_CLIENT_AUTHENTICATION_CERTIFICATE_HEADER: 'Client-Cert' };
const PROXY = { CHANCERY_LISTEN_TRUSTED_PROXIES: '10.0.0.0/8' };
const ORIGIN = { CHANCERY_CLIENT_AUTHENTICATION_MTLS_ORIGIN: 'https://mtls.example.com:8443' };
const MODERN = { CHANCERY_LISTEN_TLS_MIN_VERSION: 'TLSv1.3' };
const suites = (names: string) => ({ CHANCERY_LISTEN_TLS_CIPHER_SUITES: names });
const PORT = { CHANCERY_LISTEN_MTLS_PORT: '8443' };

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    loadSettings({ mode: 'development', environment });
    return [];
  } catch (failure) {
    assert.ok(failure instanceof SettingsError);
    return failure.problems.map(({ path, rule }) => `${path} ${rule}`);
  }
}

for (const environment of [
  {},
  TLS,
  { ...TLS, ...SOURCE },
  { ...TLS, ...SOURCE, ...CA },
  { ...TLS, ...PORT, ...CA, ...ORIGIN },
  { ...HEADER, ...PROXY },
  { ...HEADER, ...PROXY, ...CA, ...ORIGIN },
  { ...TLS, ...MODERN, ...suites('TLS_AES_128_GCM_SHA256') },
  { ...TLS, ...suites('TLS_AES_256_GCM_SHA384,ECDHE-RSA-AES256-GCM-SHA384') },
  {
    CHANCERY_LISTEN_TLS_CERTIFICATE: '-----BEGIN CERTIFICATE-----\nx',
    CHANCERY_LISTEN_TLS_KEY: '-----BEGIN x\ny',
  },
]) {
  test(`${Object.keys(environment).join(', ') || 'nothing'}: fine together`, () => {
    assert.deepEqual(problemsOf(environment), []);
  });
}

for (const [environment, problem] of [
  [{ CHANCERY_LISTEN_TLS_CERTIFICATE: 'a' }, /^listen\.tls-key must be set together with/],
  [{ CHANCERY_LISTEN_TLS_KEY: 'a' }, /^listen\.tls-key must be set together with/],
  [SOURCE, /^listen\.tls-client-certificates needs listen\.tls-certificate/],
  [PORT, /^listen\.mtls-port needs listen\.tls-certificate/],
  [{ ...TLS, CHANCERY_LISTEN_MTLS_PORT: '8080' }, /^listen\.mtls-port must differ from/],
  [{ ...TLS, CHANCERY_LISTEN_MTLS_PORT: '9090' }, /^listen\.mtls-port must differ from/],
  [HEADER, /^client-authentication\.certificate-header needs listen\.trusted-proxies/],
  [{ ...TLS, ...CA }, /^listen\.tls-client-ca needs something that brings certificates/],
  [{ ...TLS, ...ORIGIN }, /^client-authentication\.mtls-origin needs something that brings certificates/],
  [
    { CHANCERY_CLIENT_AUTHENTICATION_MTLS_ORIGIN: 'https://a.example/path' },
    /mtls-origin must be an https origin/,
  ],
  [{ CHANCERY_CLIENT_AUTHENTICATION_MTLS_ORIGIN: 'http://a.example' }, /mtls-origin must be an https origin/],
  [suites('TLS_AES_128_GCM_SHA256'), /^listen\.tls-cipher-suites needs a suite of TLS 1\.2, such as/],
  [suites('ECDHE-RSA-AES128-GCM-SHA256'), /^listen\.tls-cipher-suites needs a suite of TLS 1\.3, such as/],
  [
    suites('TLS_AES_128_GCM_SHA256,AES128-SHA'),
    /^listen\.tls-cipher-suites must be a list of forward-secret/,
  ],
  [{ CHANCERY_LISTEN_TLS_MIN_VERSION: 'TLSv1.1' }, /^listen\.tls-min-version must be one of TLSv1\.2, TLSv1/],
  [{ CHANCERY_LISTEN_TLS_KEY: 'two\nlines' }, /^listen\.tls-key must be a PEM text/],
] as const) {
  test(`${Object.keys(environment).join(', ')}: ${problem.source}`, () => {
    const problems = problemsOf(environment);
    assert.ok(
      problems.some((each) => problem.test(each)),
      problems.join('\n'),
    );
  });
}
