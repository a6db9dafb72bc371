import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import { loadSettings } from '../config/load-settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { OutboundHttp } from '../ports/outbound-http.ts';
import { testKey } from '../testing/jwt.ts';
import { testPlatform } from '../testing/platform.ts';
import { testSettings } from '../testing/settings.ts';
import { openSoftwareStatements } from './trusted-issuers.ts';

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

function open(issuers: readonly object[]): ReturnType<typeof openSoftwareStatements> {
  const environment = { CHANCERY_REGISTRATION_SOFTWARE_STATEMENT_ISSUERS: JSON.stringify(issuers) };
  return openSoftwareStatements(loadSettings({ mode: 'development', environment }), trusting());
}

test('without a trusted issuer there are no software statements (RFC 7591 §3.1.1)', () => {
  assert.equal(open([]), undefined);
});

test('the configured issuers are those that are trusted, each with its own keys and limits', () => {
  const { jwk } = testKey('ES256');
  const opened = open([
    { issuer: 'one', jwks: { keys: [jwk] }, 'approved-software-ids': ['app'] },
    { issuer: 'two', 'jwks-uri': 'https://two.example/jwks', 'authorises-registration': true },
  ]);
  assert.deepEqual(opened?.issuers, [
    { issuer: 'one', keys: { jwks: [jwk] }, authorisesRegistration: false, approvedSoftwareIds: ['app'] },
    {
      issuer: 'two',
      keys: { jwks_uri: 'https://two.example/jwks' },
      authorisesRegistration: true,
      approvedSoftwareIds: undefined,
    },
  ]);
});

test('keys that could be forged and addresses that cannot be called stop the start, a line each (H-044, H-076)', () => {
  const { jwk } = testKey('ES256');
  const rsa = testKey('RS256').jwk;
  const issuers = [
    { issuer: 'one', jwks: { keys: [jwk, { ...rsa, e: 'AQ', kid: 'weak' }] } },
    { issuer: 'two', jwks: { keys: [jwk, jwk] } },
    { issuer: 'three', 'jwks-uri': 'https://inside/jwks' },
  ];
  const path = 'registration.software-statement-issuers';
  assert.throws(
    () => open(issuers),
    (failure) => {
      assert.ok(failure instanceof SettingsError);
      assert.deepEqual(failure.message.split('\n'), [
        `${path}[0].jwks.keys[1]: has a public exponent other than 65537 (at start)`,
        `${path}[1].jwks: has two keys with the same kid and use (at start)`,
        `${path}[2].jwks-uri: cannot be called: forbidden-host (a name of the inside) (at start)`,
      ]);
      return true;
    },
  );
});
