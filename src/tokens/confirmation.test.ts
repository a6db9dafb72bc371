import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { ClientCertificate } from '../spec/client-certificate.ts';
import type { AccessTokenKey, ClientId } from '../spec/identifiers.ts';
import { confirmationBy, isConfirmed } from './confirmation.ts';

function certificate(der: string): ClientCertificate {
  return { der: Buffer.from(der), chain: { problem: undefined, intermediates: [] } };
}

function token(introspection: object): StoredAccessToken {
  return {
    key: 'key' as AccessTokenKey,
    expires_at: 1,
    client_id: 'app' as ClientId,
    client_instance: null,
    grant_id: null,
    introspection: JSON.stringify(introspection),
  };
}

test('the confirmation is the base64url SHA-256 of the DER, without padding (RFC 8705 §3.1)', () => {
  const expected = createHash('sha256').update('one').digest('base64url');
  assert.deepEqual(confirmationBy(certificate('one')), { 'x5t#S256': expected });
});

test('an unbound token may be used with any certificate or none (RFC 6750 §1.2)', () => {
  assert.equal(isConfirmed(token({ active: true }), { certificate: undefined }), true);
  assert.equal(isConfirmed(token({ active: true }), { certificate: certificate('one') }), true);
  assert.equal(isConfirmed(token({ dat: { cnf: { 'x5t#S256': 'x' } } }), { certificate: undefined }), true);
});

test('a bound token may be used only with its certificate (RFC 8705 §3)', () => {
  const bound = token({ active: true, cnf: confirmationBy(certificate('one')) });
  assert.equal(isConfirmed(bound, { certificate: certificate('one') }), true);
  assert.equal(isConfirmed(bound, { certificate: certificate('two') }), false);
  assert.equal(isConfirmed(bound, { certificate: undefined }), false);
});

test('a confirmation that is not a thumbprint of this length confirms no certificate (RFC 8705 §3.1)', () => {
  assert.equal(isConfirmed(token({ cnf: { 'x5t#S256': '' } }), { certificate: certificate('one') }), false);
});

test('a token with the thumbprint of a key may be used only with a proof of this key (RFC 9449 §7.1)', () => {
  const bound = token({ active: true, cnf: { jkt: 'one' } });
  assert.equal(isConfirmed(bound, { certificate: undefined, jkt: 'one' }), true);
  assert.equal(isConfirmed(bound, { certificate: undefined, jkt: 'two' }), false);
  assert.equal(isConfirmed(bound, { certificate: certificate('one') }), false);
});

test('a token that is bound to a certificate and to a key needs both (RFC 8705 §3, RFC 9449 §7.1)', () => {
  const bound = token({ active: true, cnf: { ...confirmationBy(certificate('one')), jkt: 'key' } });
  assert.equal(isConfirmed(bound, { certificate: certificate('one'), jkt: 'key' }), true);
  assert.equal(isConfirmed(bound, { certificate: certificate('one') }), false);
  assert.equal(isConfirmed(bound, { certificate: undefined, jkt: 'key' }), false);
});

test('a confirmation without a known member is met by no key (RFC 7800 §3.1)', () => {
  assert.equal(
    isConfirmed(token({ cnf: { 'x5t#S512': 'x' } }), { certificate: certificate('one'), jkt: 'x' }),
    false,
  );
});
