import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateAuthority, type Subject, selfSigned } from '../../../test/tls/certificate.ts';
import type { ClientCertificate } from '../../spec/client-certificate.ts';
import { AUTHORITY, certifiedClient, passedOn, SUBJECT, shown } from '../../testing/certificate.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { INTROSPECTION_SCOPE, START, type TestTenant, testTenant } from '../../testing/tenant.ts';

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
