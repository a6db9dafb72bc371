import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { certificateAuthority } from '../../test/tls/certificate.ts';
import { remoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import { loadSettings } from '../config/load-settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { OutboundHttp } from '../ports/outbound-http.ts';
import { SIGNING_ALGORITHMS, XML_SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { testKey } from '../testing/jwt.ts';
import { testPlatform } from '../testing/platform.ts';
import { testSettings } from '../testing/settings.ts';
import { emptyTenantStorage } from '../testing/storage.ts';
import { openAssertionGrants } from './trusted-issuers.ts';

const OUTBOUND: OutboundHttp = {
  urlProblem: (url) =>
    url.includes('inside') ? { reason: 'forbidden-host', detail: 'a name of the inside' } : undefined,
  get: async () => await Promise.reject(new Error('nothing is fetched at start')),
};

function trusting() {
  const platform = testPlatform({ outbound: OUTBOUND });
  return {
    ...platform,
    trustedJwkSets: remoteJwkSets({
      ...platform,
      verifier: platform.jose.verifier,
      settings: testSettings(),
    }),
  };
}

function open(issuers: readonly object[]): ReturnType<typeof openAssertionGrants> {
  const environment = { CHANCERY_ASSERTION_GRANTS_ISSUERS: JSON.stringify(issuers) };
  const settings = loadSettings({ mode: 'development', environment });
  return openAssertionGrants(settings, trusting(), emptyTenantStorage());
}

const { jwk } = testKey('ES256');
const JWT = { issuer: 'one', kind: 'jwt', jwks: { keys: [jwk] }, 'subject-prefix': 'one:', scope: ['read'] };

/** Returns the problems that stop the start, one per line. */
function problemsOf(...issuers: readonly object[]): readonly string[] {
  try {
    open(issuers);
  } catch (failure) {
    assert.ok(failure instanceof SettingsError, String(failure));
    return failure.message.split('\n');
  }
  return [];
}

test('without a configured issuer no assertion is a grant (RFC 7521 §3)', () => {
  assert.equal(open([]), undefined);
});

test('the configured issuers of JWTs are those that are trusted, each with its own keys and limits', () => {
  const opened = open([
    JWT,
    {
      issuer: 'two',
      kind: 'jwt',
      'jwks-uri': 'https://two.example/jwks',
      algorithms: ['ES256'],
      'require-jti': false,
      'subject-from': 'email',
      subjects: ['a'],
      clients: ['c'],
      audiences: ['us'],
      scope: ['write'],
    },
  ]);
  assert.deepEqual(opened?.jwtIssuers, [
    {
      issuer: 'one',
      keys: { jwks: [jwk] },
      algorithms: SIGNING_ALGORITHMS,
      requireJti: true,
      uses: ['grant'],
      claims: {},
      subjectFrom: undefined,
      subjectPrefix: 'one:',
      subjects: undefined,
      scope: ['read'],
      clients: undefined,
      audiences: [],
    },
    {
      issuer: 'two',
      keys: { jwks_uri: 'https://two.example/jwks' },
      algorithms: ['ES256'],
      requireJti: false,
      uses: ['grant'],
      claims: {},
      subjectFrom: 'email',
      subjectPrefix: '',
      subjects: ['a'],
      scope: ['write'],
      clients: ['c'],
      audiences: ['us'],
    },
  ]);
  assert.equal(opened?.tokenEndpoint, 'http://127.0.0.1:8080/token');
  assert.equal(opened?.audience, 'issuer');
});

test('keys that could be forged and addresses that cannot be called stop the start, a line each (H-044, H-076)', () => {
  const weak = { ...JWT, jwks: { keys: [{ ...testKey('RS256').jwk, e: 'AQ', kid: 'weak' }] } };
  const { jwks: _, ...published } = { ...JWT, issuer: 'two', 'subject-prefix': 'two:' };
  assert.deepEqual(problemsOf(weak, { ...published, 'jwks-uri': 'https://inside/jwks' }), [
    'assertion-grants.issuers[0].jwks.keys[0]: has a public exponent other than 65537 (at start)',
    'assertion-grants.issuers[1].jwks-uri: cannot be called: forbidden-host (a name of the inside) (at start)',
  ]);
});

test('the configured issuers of SAML assertions have the keys of their certificates', () => {
  const { cert, key } = certificateAuthority().issue({});
  const saml = { issuer: 'three', kind: 'saml', 'subject-prefix': 'three:', scope: ['read'] };
  const opened = open([JWT, { ...saml, certificates: [cert, cert] }]);
  assert.equal(opened?.jwtIssuers.length, 1);
  const [issuer, ...others] = opened.samlIssuers;
  assert.equal(others.length, 0);
  assert.equal(issuer?.issuer, 'three');
  assert.equal(issuer.subjectPrefix, 'three:');
  assert.deepEqual(issuer.algorithms, XML_SIGNING_ALGORITHMS);
  assert.ok(issuer.keys.length === 2 && issuer.keys.every((one) => one.equals(createPublicKey(key))));
});

test('a certificate whose key is too weak, or that is none, stops the start', () => {
  const keys = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const { cert } = certificateAuthority().issue({ keys });
  const none = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
  const saml = { issuer: 'three', kind: 'saml', 'subject-prefix': 'three:', scope: ['read'] };
  assert.deepEqual(problemsOf({ ...saml, certificates: [cert, none] }), [
    'assertion-grants.issuers[0].certificates[0]: has an RSA key of fewer than 2048 bits or with an exponent other than 65537 (at start)',
    'assertion-grants.issuers[0].certificates[1]: is not a certificate that can be read (at start)',
  ]);
});
