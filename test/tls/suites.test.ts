import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type ConnectionOptions, connect } from 'node:tls';
import { freePort } from '../program/free-port.ts';
import { converse } from '../program/raw-socket.ts';
import { launchProgram, startProgram } from '../program/start.ts';
import { SERVER_AUTHORITY, SERVER_NAME, startTlsProgram, type TlsProgram } from './tls-program.ts';

/** A server with an RSA certificate, with which TLS 1.2 has suites without forward secrecy, and one with narrow settings. */
let server: TlsProgram;
let narrow: TlsProgram;
let mutualPort = 0;

before(async () => {
  mutualPort = await freePort();
  server = await startTlsProgram(
    { CHANCERY_LISTEN_MTLS_PORT: String(mutualPort) },
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
  );
  narrow = await startTlsProgram({
    CHANCERY_LISTEN_TLS_CLIENT_CA: 'none',
    CHANCERY_LISTEN_TLS_MIN_VERSION: 'TLSv1.3',
    CHANCERY_LISTEN_TLS_CIPHER_SUITES: 'TLS_AES_128_GCM_SHA256',
    CHANCERY_LISTEN_TLS_HSTS_MAX_AGE: '0',
  });
});

after(async () => {
  await server.stop();
  await narrow.stop();
});

type Offer = Pick<ConnectionOptions, 'ciphers' | 'minVersion' | 'maxVersion'>;

/** Returns the suite that a handshake agreed on, or `refused`. */
async function agreed(port: number, offer: Offer): Promise<string> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    ca: SERVER_AUTHORITY.certificate,
    servername: SERVER_NAME,
    ...offer,
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on('secureConnect', () => resolve(socket.getCipher().name)).on('error', () => resolve('refused'));
  const suite = await promise;
  socket.destroy();
  return suite;
}

const TLS_1_2: Offer = { maxVersion: 'TLSv1.2' };

/** Every relaxation of the client's OpenSSL, so that the server alone refuses. */
const weak = (ciphers: string): Offer => ({ ...TLS_1_2, ciphers: `${ciphers}:@SECLEVEL=0` });

for (const [what, offer, expected] of [
  ['static RSA', weak('AES256-GCM-SHA384:AES128-GCM-SHA256:AES128-SHA'), 'refused'],
  ['forward-secret CBC', weak('ECDHE-RSA-AES128-SHA256:ECDHE-RSA-AES256-SHA'), 'refused'],
  ['finite-field Diffie-Hellman', weak('DHE-RSA-AES128-GCM-SHA256'), 'refused'],
  ['TLS 1.1', { ...weak('DEFAULT'), minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }, 'refused'],
  ['ECDHE with GCM', weak('ECDHE-RSA-AES128-GCM-SHA256'), 'ECDHE-RSA-AES128-GCM-SHA256'],
  [
    'static RSA and ECDHE',
    weak('AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384'),
    'ECDHE-RSA-AES256-GCM-SHA384',
  ],
  ['TLS 1.3', { minVersion: 'TLSv1.3' }, 'TLS_AES_256_GCM_SHA384'],
] as const) {
  test(`H-245 a client that offers ${what} alone: ${expected}, at both listeners (RFC 9325 §4.1, §4.2)`, async () => {
    for (const port of [server.program.port, mutualPort]) assert.equal(await agreed(port, offer), expected);
  });
}

test('H-245 listen.tls-min-version and listen.tls-cipher-suites narrow what a client may use', async () => {
  const { port } = narrow.program;
  assert.equal(await agreed(port, TLS_1_2), 'refused');
  assert.equal(await agreed(port, {}), 'TLS_AES_128_GCM_SHA256');
  assert.equal(await agreed(port, { ciphers: 'TLS_AES_256_GCM_SHA384' }), 'refused');
});

test('H-245 suites that are weak, unknown or of no use for the certificate end the start with one line', async () => {
  for (const [suites, words] of [
    [
      'TLS_AES_128_GCM_SHA256,AES128-SHA',
      /listen\.tls-cipher-suites: must be a list of forward-secret suites: TLS_AES_256_GCM_SHA384, .*found "AES128-SHA"/,
    ],
    [
      'TLS_AES_128_GCM_SHA256,ECDHE-ECDSA-AES128-GCM-SHA256',
      /listen\.tls-cipher-suites has no suite of TLS 1\.2 for the key of listen\.tls-certificate: add one that begins with ECDHE-RSA-,/,
    ],
  ] as const) {
    const launched = await launchProgram({
      environment: {
        CHANCERY_LISTEN_TLS_CERTIFICATE: server.files.certificate,
        CHANCERY_LISTEN_TLS_KEY: server.files.key,
        CHANCERY_LISTEN_TLS_CIPHER_SUITES: suites,
      },
    });
    assert.equal(await launched.exited, 1);
    assert.match(launched.output(), words);
    assert.doesNotMatch(launched.output(), /\n\s+at /);
    await launched.stop();
  }
});

const HSTS = 'strict-transport-security';

test('H-247 each answer over TLS says Strict-Transport-Security, at both listeners (RFC 6797 §7.1)', async () => {
  const tls = { ca: SERVER_AUTHORITY.certificate, servername: SERVER_NAME };
  for (const port of [server.program.port, mutualPort]) {
    const address = { host: '127.0.0.1', port, tls };
    for (const request of [
      'GET /jwks.json HTTP/1.1\r\nHost: h\r\n\r\n',
      'GET /jwks.json HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
      'GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n',
      'GET /authorize HTTP/1.1\r\nHost: h\r\n\r\n',
      'GET /logout HTTP/1.1\r\nHost: h\r\n\r\n',
      'POST /token HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n',
      'POST /token HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n',
    ]) {
      const { answers } = await converse(address, [request]);
      assert.equal(answers[0]?.headers[HSTS], 'max-age=31536000', request);
    }
  }
});

test('H-247 listen.tls-hsts-max-age 0 and plain HTTP: no Strict-Transport-Security', async () => {
  assert.equal((await narrow.call({ path: '/jwks.json' })).headers[HSTS], undefined);
  const plain = await startProgram();
  try {
    assert.equal((await fetch(`${plain.url}/jwks.json`)).headers.get(HSTS), null);
  } finally {
    await plain.stop();
  }
});
