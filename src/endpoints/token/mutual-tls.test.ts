import assert from 'node:assert/strict';
import { type KeyObject, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import {
  certificateAuthority,
  type Subject,
  selfSigned,
  type TlsIdentity,
} from '../../../test/tls/certificate.ts';
import type { OutboundHttp } from '../../ports/outbound-http.ts';
import type { ClientCertificate } from '../../spec/client-certificate.ts';
import { AUTHORITY, certifiedClient, passedOn, SUBJECT, shown } from '../../testing/certificate.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { INTROSPECTION_SCOPE, MASTER, START, type TestTenant, testTenant } from '../../testing/tenant.ts';

const ISSUED = AUTHORITY.issue(SUBJECT);

function trusting(): TestTenant {
  return testTenant({ certificateAuthorities: [AUTHORITY.certificate] });
}

async function ask(
  tenant: TestTenant,
  client_id: string,
  certificate?: ClientCertificate,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const form = { grant_type: 'client_credentials', client_id, ...more };
  return await tenant.send('token', { form, ...(certificate === undefined ? {} : { certificate }) });
}

const REGISTERED: readonly (readonly [member: string, right: string, wrong: readonly string[]])[] = [
  [
    'subject_dn',
    'CN=client,O=Example\\, Ltd,C=GB',
    [
      'CN=client',
      'C=GB,O=Example\\, Ltd,CN=client',
      'CN=client,O=Example,C=GB',
      'CN=Client,O=Example\\, Ltd,C=GB',
    ],
  ],
  ['san_dns', 'CLIENT.example', ['client.example.com', 'lient.example', 'x.client.example', 'urn']],
  ['san_uri', 'urn:example:client', ['urn:example:Client', 'urn:example:clien', 'urn:example:client2']],
  ['san_ip', '2001:DB8:0::1', ['2001:db8::2', '192.0.2.2', '::ffff:192.0.2.1']],
  ['san_ip', '192.0.2.1', ['192.0.2.10']],
  ['san_email', 'client@EXAMPLE.com', ['Client@example.com', 'client@example.com.evil.example']],
];

for (const [member, right, wrong] of REGISTERED) {
  // proves rfc8705-2-2, rfc8705-2.1.2-2
  test(`tls_client_auth_${member} ${right}: its certificate authenticates, and no other (RFC 8705 §2.1.2)`, async () => {
    const tenant = trusting();
    const client = await certifiedClient(tenant, { [`tls_client_auth_${member}`]: right });
    assert.equal(client.client_secret, '', 'decision 11');
    for (const certificate of [shown(ISSUED), passedOn(ISSUED)]) {
      const answered = await ask(tenant, client.client_id, certificate);
      assert.equal(answered.status, 200, answered.body);
    }
    for (const other of wrong) {
      const { client_id } = await certifiedClient(tenant, { [`tls_client_auth_${member}`]: other });
      assertError(await ask(tenant, client_id, shown(ISSUED)), 'invalid_client');
    }
  });
}

const LOOK_ALIKES: Readonly<Record<string, Subject>> = {
  'a subject that names it': { subject: [[['2.5.4.3', 'client.example']]] },
  'a URI that lists it': { uris: ['urn:x,DNS:client.example'] },
  'an email address at it': { emails: ['a@client.example'] },
  'a wildcard above it': { names: ['*.example'] },
  'its name and a full stop': { names: ['client.example.'] },
  'its name in a NUL-terminated disguise': { names: ['client.example\0.evil.example'] },
};

for (const [what, subject] of Object.entries(LOOK_ALIKES)) {
  // proves rfc8705-2.1-1, rfc8705-7.4-1
  test(`a certificate with ${what} is not the client’s: 401 invalid_client (RFC 8705 §7.4, CVE-2021-44532, CVE-2021-44533)`, async () => {
    const tenant = trusting();
    const { client_id } = await certifiedClient(tenant);
    assertError(await ask(tenant, client_id, shown(AUTHORITY.issue(subject))), 'invalid_client');
  });
}

// proves rfc8705-2-3
test('no certificate, one that cannot be read, one that the listener could not verify: 401, all the same (RFC 8705 §2, decision 19)', async () => {
  const tenant = trusting();
  const { client_id } = await certifiedClient(tenant);
  const junk = { ...shown(ISSUED), der: Buffer.from('junk') };
  const refusals = [
    await ask(tenant, client_id),
    await ask(tenant, client_id, junk),
    await ask(tenant, client_id, shown(ISSUED, 'CERT_HAS_EXPIRED')),
    await ask(tenant, 'nobody', shown(ISSUED)),
  ];
  for (const refused of refusals) {
    assertError(refused, 'invalid_client', /^client authentication failed$/);
    assert.deepEqual(refused, refusals[0]);
  }
});

// proves rfc8705-2.1-1
test('another authority, one of the same name, and the certificate itself vouch for nothing (RFC 8705 §2.1)', async () => {
  const tenant = trusting();
  const { client_id } = await certifiedClient(tenant);
  const [stranger, namesake] = [certificateAuthority('Stranger'), certificateAuthority()];
  for (const certificate of [
    passedOn(stranger.issue(SUBJECT), stranger.certificate),
    passedOn(namesake.issue(SUBJECT), namesake.certificate),
    passedOn(selfSigned(SUBJECT)),
  ]) {
    assertError(await ask(tenant, client_id, certificate), 'invalid_client');
  }
  const intermediate = AUTHORITY.intermediate({ name: 'Intermediate' });
  const chained = passedOn(intermediate.issue(SUBJECT), intermediate.certificate);
  assert.equal((await ask(tenant, client_id, chained)).status, 200);
});

test('a certificate is taken in its time only, and only if it may authenticate clients (RFC 5280 §4.1.2.5, §4.2.1.12)', async () => {
  const tenant = trusting();
  const { client_id } = await certifiedClient(tenant);
  const short = shown(AUTHORITY.issue({ ...SUBJECT, notAfter: new Date((START + 60) * 1000) }));
  assert.equal((await ask(tenant, client_id, short)).status, 200);
  tenant.clock.advance(61);
  assertError(await ask(tenant, client_id, short), 'invalid_client');
  const later = AUTHORITY.issue({ ...SUBJECT, notBefore: new Date((START + 3600) * 1000) });
  assertError(await ask(tenant, client_id, shown(later)), 'invalid_client');
  const server = AUTHORITY.issue({ ...SUBJECT, purposes: ['1.3.6.1.5.5.7.3.1'] });
  assertError(await ask(tenant, client_id, shown(server)), 'invalid_client');
});

test('the certificate of a client that is registered for a secret does not authenticate it, nor a secret one with a certificate (decision 17)', async () => {
  const tenant = trusting();
  const secret = await tenant.register({ grant_types: ['client_credentials'] });
  assertError(await ask(tenant, secret.client_id, shown(ISSUED)), 'invalid_client');
  const certified = await certifiedClient(tenant);
  const posted = await ask(tenant, certified.client_id, shown(ISSUED), { client_secret: 'x'.repeat(43) });
  assertError(posted, 'invalid_client');
  const basic = await tenant.send('token', {
    basic: [certified.client_id, 'x'],
    form: { grant_type: 'client_credentials' },
    certificate: shown(ISSUED),
  });
  assertError(basic, 'invalid_client');
});

// proves rfc8705-2-2
test('the server asks for client_id in the body: without it a certificate says nothing (RFC 8705 §2)', async () => {
  const tenant = trusting();
  await certifiedClient(tenant);
  const form = { grant_type: 'client_credentials' };
  assertError(await tenant.send('token', { form, certificate: shown(ISSUED) }), 'invalid_client');
});

test('introspection with a certificate: 200 for a client of the introspection scope, 403 for another (decision 21)', async () => {
  const tenant = trusting();
  const scope = INTROSPECTION_SCOPE;
  const dns = { tls_client_auth_san_dns: 'client.example' };
  const [fit, unfit] = [await certifiedClient(tenant, { ...dns, scope }), await certifiedClient(tenant)];
  const token = await tenant.authorize({ client_id: fit.client_id, scope: ['read'] });
  const inspect = async (client_id: string, certificate?: ClientCertificate) =>
    await tenant.send('introspection', {
      form: { token, client_id },
      ...(certificate === undefined ? {} : { certificate }),
    });
  assert.equal((await inspect(fit.client_id, shown(ISSUED))).json['active'], true);
  assertError(await inspect(fit.client_id), 'invalid_client');
  assertError(await inspect(unfit.client_id, shown(ISSUED)), 'access_denied');
});

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

async function askSelfSigned(tenant: TestTenant, client_id: string, identity: TlsIdentity): Promise<Answer> {
  const form = { grant_type: 'client_credentials', client_id };
  return await tenant.send('token', { form, certificate: shown(identity, 'DEPTH_ZERO_SELF_SIGNED_CERT') });
}

for (const [how, jwkFrom] of [
  ['with x5c', withCertificate],
  ['without', jwkOf],
] as const) {
  // proves rfc8705-2.2-1
  test(`a registered key, ${how}: its certificate authenticates without any authority, another certificate does not (RFC 8705 §2.2)`, async () => {
    const tenant = testTenant({ certificateAuthorities: [] });
    const other = selfSigned();
    const keys = [jwkFrom(selfSigned()), jwkFrom(OWN)];
    const { client_id } = await certifiedClient(tenant, { ...method, jwks: { keys } });
    assert.equal((await askSelfSigned(tenant, client_id, OWN)).status, 200);
    const again = { form: { grant_type: 'client_credentials', client_id }, certificate: passedOn(OWN) };
    assert.equal((await tenant.send('token', again)).status, 200, 'a proxy passed it on');
    assertError(await askSelfSigned(tenant, client_id, other), 'invalid_client');
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

test('a key for encryption authenticates no client (RFC 7517 §4.2)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const keys = [{ ...jwkOf(OWN), use: 'enc' }];
  const { client_id } = await certifiedClient(tenant, { ...method, jwks: { keys } });
  assertError(await askSelfSigned(tenant, client_id, OWN), 'invalid_client');
});

test('a certificate that has expired authenticates no longer: the client makes a new one for its key (RFC 5280 §4.1.2.5)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const expiring = selfSigned({ notAfter: new Date((START + 60) * 1000) });
  const { client_id } = await certifiedClient(tenant, { ...method, jwks: { keys: [jwkOf(expiring)] } });
  assert.equal((await askSelfSigned(tenant, client_id, expiring)).status, 200);
  tenant.clock.advance(61);
  assertError(await askSelfSigned(tenant, client_id, expiring), 'invalid_client');
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
  assert.equal((await askSelfSigned(tenant, client_id, OWN)).status, 200);
  const next = selfSigned();
  published = [jwkOf(OWN), jwkOf(next)];
  assert.equal((await askSelfSigned(tenant, client_id, next)).status, 200);
  assert.equal(fetched, 2);
  assertError(await askSelfSigned(tenant, client_id, selfSigned()), 'invalid_client');
  assert.equal(fetched, 2, 'made-up certificates cost no fetch each');
});

test('a server that receives no certificates drops the wish for bound tokens, and the response does not show it (decision 42)', async () => {
  const { members } = await testTenant().register({
    redirect_uris: ['https://client.example/cb'],
    tls_client_certificate_bound_access_tokens: true,
  });
  assert.equal('tls_client_certificate_bound_access_tokens' in members, false);
});

const UNREGISTRABLE = [
  [undefined, { ...method, jwks: { keys: [jwkOf(OWN)] } }],
  [undefined, { tls_client_auth_san_dns: 'client.example' }],
  [
    undefined,
    { token_endpoint_auth_method: 'client_secret_basic', tls_client_certificate_bound_access_tokens: 'yes' },
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
