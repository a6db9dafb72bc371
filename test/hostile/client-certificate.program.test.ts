import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { freePort } from '../program/free-port.ts';
import { CERTIFIED, headerOf, startTlsProgram, type TlsProgram } from '../tls/tls-program.ts';
import {
  AUTHORITIES,
  CERTIFICATE_ROWS,
  type CertificateRow,
  UNFIT_AUTHORITIES,
} from './client-certificate-rows.ts';

/** Only the second loopback address is a trusted proxy: what comes from the first authenticates by its handshake. */
const PROXY = '127.0.0.2';

let server: TlsProgram;
let port = 0;
let client_id = '';

before(async () => {
  port = await freePort();
  server = await startTlsProgram({
    CHANCERY_LISTEN_TLS_CLIENT_CA: AUTHORITIES,
    CHANCERY_LISTEN_MTLS_PORT: String(port),
    CHANCERY_CLIENT_AUTHENTICATION_CERTIFICATE_HEADER: 'Client-Cert',
    CHANCERY_LISTEN_TRUSTED_PROXIES: `${PROXY}/32`,
    // The certificate with 900 names takes more than the default as a header.
    CHANCERY_LIMITS_HEADER: '65536',
  });
  client_id = await server.register(CERTIFIED);
});

after(() => server.stop());

async function inHandshake({ identity, chain }: CertificateRow): Promise<number> {
  const { status } = await server.call({
    path: '/token',
    form: { grant_type: 'client_credentials', client_id },
    key: identity.key,
    cert: [identity.cert, ...chain].join(''),
    // A client may show weak keys, although the library of this test would not.
    ciphers: 'DEFAULT:@SECLEVEL=0',
    port,
  });
  return status;
}

async function inHeader({ identity, chain }: CertificateRow): Promise<number> {
  const list = chain.map((cert) => headerOf({ cert })).join(', ');
  const { status } = await server.call({
    path: '/token',
    form: { grant_type: 'client_credentials', client_id },
    headers: {
      'client-cert': headerOf(identity),
      ...(list === '' ? {} : { 'client-cert-chain': list }),
    },
    localAddress: PROXY,
  });
  return status;
}

for (const row of CERTIFICATE_ROWS) {
  test(`H-280: a certificate ${row.what} is ${row.status} in a handshake and in Client-Cert (RFC 8705 §2.1, RFC 9440 §2.2)`, async () => {
    const [handshake, header] = await Promise.all([inHandshake(row), inHeader(row)]);
    assert.deepEqual({ handshake, header }, { handshake: row.status, header: row.status });
  });
}

test('H-281: the start warns of each configured authority that vouches for no client, with the reason', async () => {
  await server.program.printed(/an authority that vouches for no client/);
  const reasons = server.program
    .output()
    .split('\n')
    .filter((line) => line.includes('an authority that vouches for no client'))
    .map((line) => String((JSON.parse(line) as Record<string, unknown>)['problem']));
  assert.equal(reasons.length, UNFIT_AUTHORITIES, reasons.join('\n'));
  assert.equal(reasons.filter((reason) => reason.includes('name constraints')).length, 4);
});
