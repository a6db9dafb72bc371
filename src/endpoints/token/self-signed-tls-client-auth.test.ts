import assert from 'node:assert/strict';
import { type KeyObject, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { selfSigned, type TlsIdentity } from '../../../test/tls/certificate.ts';
import type { OutboundHttp } from '../../ports/outbound-http.ts';
import { AUTHORITY, certifiedClient, passedOn, shown } from '../../testing/certificate.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { MASTER, START, type TestTenant, testTenant } from '../../testing/tenant.ts';

const OWN = selfSigned();
const method = { token_endpoint_auth_method: 'self_signed_tls_client_auth' };

function keyOf({ cert }: TlsIdentity): KeyObject {
  return new X509Certificate(cert).publicKey;
}

function jwkOf(identity: TlsIdentity): Readonly<Record<string, unknown>> {
  return { ...keyOf(identity).export({ format: 'jwk' }) };
}

function withCertificate(identity: TlsIdentity): Readonly<Record<string, unknown>> {
  const x5c = [new X509Certificate(identity.cert).raw.toString('base64')];
  return { ...jwkOf(identity), x5c };
}

async function ask(tenant: TestTenant, client_id: string, identity: TlsIdentity): Promise<Answer> {
  const form = { grant_type: 'client_credentials', client_id };
  return await tenant.send('token', { form, certificate: shown(identity, 'DEPTH_ZERO_SELF_SIGNED_CERT') });
}

for (const [how, jwkFrom] of [
  ['with x5c', withCertificate],
  ['without', jwkOf],
] as const) {
  // proves rfc8705-2.2-1
  test(`a registered key, ${how}: its certificate authenticates though nobody vouches for it, another does not (RFC 8705 §2.2)`, async () => {
    const tenant = testTenant({ certificateAuthorities: [] });
    const other = selfSigned();
    const keys = [jwkFrom(selfSigned()), jwkFrom(OWN)];
    const { client_id } = await certifiedClient(tenant, { ...method, jwks: { keys } });
    assert.equal((await ask(tenant, client_id, OWN)).status, 200);
    const again = { form: { grant_type: 'client_credentials', client_id }, certificate: passedOn(OWN) };
    assert.equal((await tenant.send('token', again)).status, 200, 'a proxy passed it on');
    assertError(await ask(tenant, client_id, other), 'invalid_client');
  });
}

test('a certificate that authorities vouch for is another key’s all the same (RFC 8705 §2.2)', async () => {
  const tenant = testTenant({ certificateAuthorities: [AUTHORITY.certificate] });
  const { client_id } = await certifiedClient(tenant, { ...method, jwks: { keys: [jwkOf(OWN)] } });
  const form = { grant_type: 'client_credentials', client_id };
  const certificate = shown(AUTHORITY.issue({}));
  assertError(await tenant.send('token', { form, certificate }), 'invalid_client');
  assertError(await tenant.send('token', { form }), 'invalid_client');
});

test('a key for encryption authenticates nobody (RFC 7517 §4.2)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const keys = [{ ...jwkOf(OWN), use: 'enc' }];
  const { client_id } = await certifiedClient(tenant, { ...method, jwks: { keys } });
  assertError(await ask(tenant, client_id, OWN), 'invalid_client');
});

test('a certificate that has expired authenticates no longer: the client makes a new one for its key (RFC 5280 §4.1.2.5)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const expiring = selfSigned({ notAfter: new Date((START + 60) * 1000) });
  const { client_id } = await certifiedClient(tenant, { ...method, jwks: { keys: [jwkOf(expiring)] } });
  assert.equal((await ask(tenant, client_id, expiring)).status, 200);
  tenant.clock.advance(61);
  assertError(await ask(tenant, client_id, expiring), 'invalid_client');
});

// proves rfc8705-2.2-1
test('the keys of jwks_uri serve, and are fetched once more for a certificate with a new key (RFC 8705 §2.2.2)', async () => {
  let published = [jwkOf(OWN)];
  let fetched = 0;
  const outbound: OutboundHttp = {
    urlProblem: () => undefined,
    async get() {
      fetched += 1;
      await Promise.resolve();
      const body = Buffer.from(JSON.stringify({ keys: published }));
      return { status: 'ok', body, mediaType: 'application/json' };
    },
  };
  const tenant = testTenant({ certificateAuthorities: [], outbound });
  const { client_id } = await certifiedClient(tenant, { ...method, jwks_uri: 'https://c.example/jwks' });
  assert.equal((await ask(tenant, client_id, OWN)).status, 200);
  const next = selfSigned();
  published = [jwkOf(OWN), jwkOf(next)];
  assert.equal((await ask(tenant, client_id, next)).status, 200);
  assert.equal(fetched, 2);
  assertError(await ask(tenant, client_id, selfSigned()), 'invalid_client');
  assert.equal(fetched, 2, 'made-up certificates cost no fetch each');
});

const UNREGISTRABLE = [
  [undefined, { ...method, jwks: { keys: [jwkOf(OWN)] } }],
  [undefined, { tls_client_auth_san_dns: 'client.example' }],
  [
    undefined,
    { token_endpoint_auth_method: 'client_secret_basic', tls_client_certificate_bound_access_tokens: true },
  ],
  [[], { tls_client_auth_san_dns: 'client.example' }],
  [[AUTHORITY.certificate], { ...method }],
  [[AUTHORITY.certificate], {}],
  [[AUTHORITY.certificate], { tls_client_auth_san_dns: 'a.example', tls_client_auth_san_ip: '192.0.2.1' }],
  [
    [AUTHORITY.certificate],
    { ...method, jwks: { keys: [jwkOf(OWN)] }, tls_client_auth_san_dns: 'a.example' },
  ],
  [[AUTHORITY.certificate], { tls_client_auth_subject_dn: 'client' }],
  [[AUTHORITY.certificate], { tls_client_auth_subject_dn: 'FOO=client' }],
  [[AUTHORITY.certificate], { tls_client_auth_san_dns: '*.example' }],
  [[AUTHORITY.certificate], { tls_client_auth_san_uri: 'not a uri' }],
  [[AUTHORITY.certificate], { tls_client_auth_san_ip: '192.0.2.256' }],
  [[AUTHORITY.certificate], { tls_client_auth_san_ip: 'fe80::1%eth0' }],
  [[AUTHORITY.certificate], { tls_client_auth_san_email: 'nobody' }],
] as const;

for (const [certificateAuthorities, metadata] of UNREGISTRABLE) {
  const configured =
    certificateAuthorities === undefined ? 'no certificates' : `${certificateAuthorities.length} authorities`;
  // proves rfc8705-2.1.2-1
  test(`${configured}, registration with ${JSON.stringify(metadata).slice(0, 90)}: 400 (RFC 8705 §2.1.2, §2.2.2)`, async () => {
    const tenant = testTenant(certificateAuthorities === undefined ? {} : { certificateAuthorities });
    const json = {
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'tls_client_auth',
      ...metadata,
    };
    assertError(
      await tenant.send('client-registration', { bearer: MASTER, json }),
      'invalid_client_metadata',
    );
  });
}
