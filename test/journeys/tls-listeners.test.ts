import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as oauth from 'oauth4webapi';
import { freePort } from '../program/free-port.ts';
import { launchProgram } from '../program/start.ts';
import { certificateAuthority, selfSigned } from '../tls/certificate.ts';
import { callHttps } from '../tls/https-call.ts';
import {
  CERTIFIED,
  CLIENT_AUTHORITY,
  SERVER_AUTHORITY,
  SERVER_NAME,
  SUBJECT,
  servedFingerprint,
  startTlsProgram,
  type TlsProgram,
} from '../tls/tls-program.ts';

/** Two listeners: one for everybody, one that asks for certificates (RFC 8705 §5). */
let server: TlsProgram;
let mutualPort = 0;

before(async () => {
  mutualPort = await freePort();
  server = await startTlsProgram({
    CHANCERY_LISTEN_MTLS_PORT: String(mutualPort),
    CHANCERY_CLIENT_AUTHENTICATION_MTLS_ORIGIN: `https://${SERVER_NAME}:${mutualPort}`,
    CHANCERY_LISTEN_TLS_RELOAD_INTERVAL: '1',
  });
});

after(() => server.stop());

// proves rfc8705-5-1
test('the first listener asks no caller for a certificate, the second asks every caller (RFC 8705 §5)', async () => {
  const client_id = await server.register(CERTIFIED);
  const identity = CLIENT_AUTHORITY.issue(SUBJECT);
  assert.equal((await server.token(client_id, identity)).status, 401);
  assert.equal((await server.token(client_id, identity, mutualPort)).status, 200);
  assert.equal((await server.call({ path: '/jwks.json', port: mutualPort })).status, 200, 'without one');
});

/** How a client of each method registers, and the certificate that it has. */
const MUTUAL_TLS = {
  tls_client_auth: () => ({ own: CLIENT_AUTHORITY.issue(SUBJECT), metadata: CERTIFIED }),
  self_signed_tls_client_auth: () => {
    const own = selfSigned();
    const jwk = new X509Certificate(own.cert).publicKey.export({ format: 'jwk' });
    const token_endpoint_auth_method = 'self_signed_tls_client_auth';
    return { own, metadata: { token_endpoint_auth_method, jwks: { keys: [jwk] } } };
  },
};

for (const [method, made] of Object.entries(MUTUAL_TLS)) {
  // proves rfc8705-3.2-1, rfc8705-5-1
  test(`oauth4webapi, ${method}: discovers the aliases, registers, gets a bound token there and introspects it (RFC 8705)`, async () => {
    const { own, metadata } = made();
    await boundTokenJourney(own, metadata);
  });
}

async function boundTokenJourney(own: ReturnType<typeof selfSigned>, metadata: object): Promise<void> {
  const issuer = new URL(server.program.issuer);
  /** As a client's HTTP library does: the name resolves to the loopback interface, the certificate is its own. */
  const overTls = async (
    input: string,
    init: oauth.CustomFetchOptions<string, URLSearchParams | undefined>,
  ) => {
    const url = new URL(input);
    const answer = await callHttps({
      port: url.port === '' ? server.program.port : Number(url.port),
      ca: SERVER_AUTHORITY.certificate,
      servername: SERVER_NAME,
      method: init.method,
      path: url.pathname + url.search,
      headers: init.headers,
      ...(init.body === undefined ? {} : { body: init.body.toString() }),
      ...(Number(url.port) === mutualPort ? own : {}),
    });
    const headers = new Headers(
      Object.entries(answer.headers).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as [string, string]] : [],
      ),
    );
    return new Response(answer.text === '' ? null : answer.text, { status: answer.status, headers });
  };
  const options = { [oauth.customFetch]: overTls };
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options });
  const as = await oauth.processDiscoveryResponse(issuer, discovered);
  const client_id = await server.register({
    ...metadata,
    tls_client_certificate_bound_access_tokens: true,
    scope: `${issuer.origin}/token/introspect`,
  });
  const client: oauth.Client = { client_id, use_mtls_endpoint_aliases: true };
  const asked = await oauth.clientCredentialsGrantRequest(as, client, oauth.TlsClientAuth(), {}, options);
  const { access_token } = await oauth.processClientCredentialsResponse(as, client, asked);
  const inspected = await oauth.introspectionRequest(
    as,
    client,
    oauth.TlsClientAuth(),
    access_token,
    options,
  );
  const answer = await oauth.processIntrospectionResponse(as, client, inspected);
  assert.equal(answer.active, true);
  assert.match(String(answer.cnf?.['x5t#S256']), /^[\w-]{43}$/);
}

test('new files are taken up by both listeners while they listen; files that cannot be used change nothing', async () => {
  const { files, program } = server;
  const earlier = await servedFingerprint(program.port);
  writeFileSync(files.certificate, 'not a certificate');
  await program.printed(/TLS: what the files hold now cannot be used/);
  assert.equal(await servedFingerprint(program.port), earlier);
  const next = SERVER_AUTHORITY.issue({ names: [SERVER_NAME] });
  const nextAuthority = certificateAuthority('Next authority of clients');
  writeFileSync(files.key, next.key);
  writeFileSync(files.authorities, nextAuthority.certificate);
  writeFileSync(files.certificate, next.cert);
  const { fingerprint256 } = new X509Certificate(next.cert);
  for (let tries = 0; tries < 1200; tries += 1) {
    if ((await servedFingerprint(program.port)) === fingerprint256) break;
    await sleep(50);
  }
  assert.equal(await servedFingerprint(program.port), fingerprint256);
  assert.equal(await servedFingerprint(mutualPort), fingerprint256);
  const client_id = await server.register(CERTIFIED);
  assert.equal((await server.token(client_id, CLIENT_AUTHORITY.issue(SUBJECT), mutualPort)).status, 401);
  assert.equal((await server.token(client_id, nextAuthority.issue(SUBJECT), mutualPort)).status, 200);
});

test('files that cannot be used end the start with one line that names the setting and shows no key', async () => {
  const { files } = server;
  const other = selfSigned();

  writeFileSync(`${files.key}.other`, other.key);
  for (const [name, value, words] of [
    [
      'CERTIFICATE',
      `${files.certificate}.absent`,
      /listen\.tls-certificate names a file that cannot be read/,
    ],
    ['KEY', `${files.key}.other`, /listen\.tls-key is not the private key of listen\.tls-certificate/],
    ['CLIENT_CA', files.key, /listen\.tls-client-ca holds no certificate of an authority/],
  ] as const) {
    const launched = await launchProgram({
      environment: {
        CHANCERY_LISTEN_TLS_CERTIFICATE: files.certificate,
        CHANCERY_LISTEN_TLS_KEY: files.key,
        CHANCERY_LISTEN_TLS_CLIENT_CERTIFICATES: 'optional',
        [`CHANCERY_LISTEN_TLS_${name}`]: value,
      },
    });
    assert.equal(await launched.exited, 1);
    assert.match(launched.output(), words);
    assert.doesNotMatch(launched.output(), /\n\s+at |PRIVATE KEY/);
    await launched.stop();
  }
});
