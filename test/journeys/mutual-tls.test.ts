import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectPlainly } from 'node:net';
import { after, before, test } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { certificateAuthority, derOf, selfSigned, type TlsIdentity } from '../tls/certificate.ts';
import {
  CERTIFIED,
  CLIENT_AUTHORITY,
  headerOf,
  SERVER_AUTHORITY,
  SERVER_NAME,
  SUBJECT,
  startTlsProgram,
  type TlsProgram,
} from '../tls/tls-program.ts';

/** Certificates of clients over real TLS connections to the started program (RFC 8705). */
let server: TlsProgram;

before(async () => {
  server = await startTlsProgram({ CHANCERY_LISTEN_TLS_CLIENT_CERTIFICATES: 'optional' });
});

after(() => server.stop());

function jwkOf({ cert }: TlsIdentity): object {
  return { ...new X509Certificate(cert).publicKey.export({ format: 'jwk' }) };
}

// proves rfc8705-2.1.1-1
test('discovery names the methods and the bound tokens (RFC 8705 §2.1.1, §2.2.1, §3.3)', async () => {
  const { json } = await server.call({ path: '/.well-known/oauth-authorization-server' });
  for (const endpoint of ['token', 'introspection']) {
    const methods = json[`${endpoint}_endpoint_auth_methods_supported`];
    assert.match(JSON.stringify(methods), /"tls_client_auth","self_signed_tls_client_auth"/);
  }
  assert.equal(json['tls_client_certificate_bound_access_tokens'], true);
  assert.equal('mtls_endpoint_aliases' in json, false);
});

// proves rfc8705-2.1-1
test('tls_client_auth: the right certificate gets a token, alone or over an intermediate authority (RFC 8705 §2.1)', async () => {
  const client_id = await server.register(CERTIFIED);
  const issued = await server.token(client_id, CLIENT_AUTHORITY.issue(SUBJECT));
  assert.equal(issued.status, 200, issued.text);
  const between = CLIENT_AUTHORITY.intermediate({ name: 'Between' });
  const { cert, key } = between.issue(SUBJECT);
  assert.equal((await server.token(client_id, { key, cert: cert + between.certificate })).status, 200);
});

// proves rfc8705-2-2, rfc8705-2-3
test('tls_client_auth: every other certificate, and none, is 401 (RFC 8705 §2.1)', async () => {
  const client_id = await server.register(CERTIFIED);
  const past = new Date(Date.now() - 3_600_000);
  const between = CLIENT_AUTHORITY.intermediate({ name: 'Between' });
  const others: Readonly<Record<string, TlsIdentity | undefined>> = {
    none: undefined,
    'another subject': CLIENT_AUTHORITY.issue({ ...SUBJECT, names: ['other.example'] }),
    expired: CLIENT_AUTHORITY.issue({ ...SUBJECT, notAfter: past }),
    'not valid yet': CLIENT_AUTHORITY.issue({ ...SUBJECT, notBefore: new Date(Date.now() + 3_600_000) }),
    'of another authority': certificateAuthority('Stranger').issue(SUBJECT),
    'of another authority of the same name': certificateAuthority('Authority of clients').issue(SUBJECT),
    'of the authority of servers': SERVER_AUTHORITY.issue(SUBJECT),
    'self-signed': selfSigned(SUBJECT),
    'for servers': CLIENT_AUTHORITY.issue({ ...SUBJECT, purposes: ['1.3.6.1.5.5.7.3.1'] }),
    'of an authority that the client did not send': between.issue(SUBJECT),
  };
  for (const [what, identity] of Object.entries(others)) {
    const refused = await server.token(client_id, identity);
    assert.equal(refused.status, 401, what);
    assert.deepEqual(
      refused.json,
      { error: 'invalid_client', error_description: 'client authentication failed' },
      what,
    );
  }
});

// proves rfc8705-2.2-1
test('self_signed_tls_client_auth: the registered key gets a token, another key 401 (RFC 8705 §2.2)', async () => {
  const own = selfSigned();
  const metadata = {
    token_endpoint_auth_method: 'self_signed_tls_client_auth',
    jwks: { keys: [jwkOf(own)] },
  };
  const client_id = await server.register(metadata);
  assert.equal((await server.token(client_id, own)).status, 200);
  assert.equal((await server.token(client_id, selfSigned())).status, 401);
  assert.equal((await server.token(client_id)).status, 401);
});

// proves rfc8705-3-1, rfc8705-3-2
test('a bound token opens introspection over a connection with its certificate, and over no other (RFC 8705 §3)', async () => {
  const own = selfSigned();
  const scope = `${server.program.issuer}/token/introspect`;
  const client_id = await server.register({
    token_endpoint_auth_method: 'self_signed_tls_client_auth',
    tls_client_certificate_bound_access_tokens: true,
    jwks: { keys: [jwkOf(own)] },
    scope,
  });
  const token = String((await server.token(client_id, own)).json['access_token']);
  const inspect = async (identity?: TlsIdentity) =>
    await server.call({
      path: '/token/introspect',
      headers: { authorization: `Bearer ${token}` },
      form: { token },
      ...identity,
    });
  const active = await inspect(own);
  assert.equal(active.json['active'], true, active.text);
  const thumbprint = createHash('sha256').update(derOf(own)).digest('base64url');
  assert.deepEqual(active.json['cnf'], { 'x5t#S256': thumbprint });
  for (const identity of [undefined, selfSigned()]) {
    const refused = await inspect(identity);
    assert.equal(refused.status, 401);
    assert.match(String(refused.headers['www-authenticate']), /^Bearer error="invalid_token"/);
  }
});

// proves rfc9440-4-1
test('a Client-Cert header that no trusted proxy sent is ignored, and the log says so once (RFC 9440 §4)', async () => {
  const client_id = await server.register(CERTIFIED);
  const headers = { 'client-cert': headerOf(CLIENT_AUTHORITY.issue(SUBJECT)) };
  const form = { grant_type: 'client_credentials', client_id };
  for (let time = 0; time < 3; time += 1) {
    assert.equal((await server.call({ path: '/token', form, headers })).status, 401);
  }
  await server.program.printed(/a Client-Cert header is ignored/);
  assert.equal(server.program.output().match(/a Client-Cert header is ignored/g)?.length, 1);
});

async function handshake(options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port: server.program.port,
    ca: SERVER_AUTHORITY.certificate,
    servername: SERVER_NAME,
    ...options,
  });
  await once(socket, 'secureConnect');
  return socket;
}

test('TLS 1.2 and 1.3 are spoken, older ones are not; ALPN knows http/1.1 alone (RFC 9325 §3.1.1, §3.7)', async () => {
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const socket = await handshake({
      minVersion: version,
      maxVersion: version,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    assert.equal(socket.getProtocol(), version);
    assert.equal(socket.alpnProtocol, 'http/1.1');
    socket.destroy();
  }
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await assert.rejects(handshake(old), { code: /ERR_SSL_.*(?:PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL)/ });
  await assert.rejects(handshake({ ALPNProtocols: ['h2'] }), { code: /NO_APPLICATION_PROTOCOL/ });
});

test('renegotiation is refused, and sessions are not resumed: each connection proves its certificate anew (RFC 9325 §3.5, §3.4)', async () => {
  const renegotiating = await handshake({ maxVersion: 'TLSv1.2' });
  const { promise, resolve } = Promise.withResolvers<Error | undefined>();
  renegotiating.on('error', resolve).on('close', () => resolve(new Error('closed')));
  renegotiating.renegotiate({}, (failure) => resolve(failure ?? undefined));
  assert.ok((await promise) instanceof Error);
  renegotiating.destroy();
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    let session: Buffer | undefined;
    const first = await handshake({ maxVersion });
    first.on('session', (given: Buffer) => {
      session = given;
    });
    first.write(`GET /jwks.json HTTP/1.1\r\nHost: ${SERVER_NAME}\r\n\r\n`);
    await once(first, 'data');
    session ??= first.getSession();
    first.destroy();
    const second = await handshake({ maxVersion, ...(session === undefined ? {} : { session }) });
    assert.equal(second.isSessionReused(), false, maxVersion);
    second.destroy();
  }
});

test('plain HTTP and junk at the TLS port end without an answer, and the server goes on (RFC 8446 §5.1)', async () => {
  for (const bytes of [
    'GET /jwks.json HTTP/1.1\r\nHost: h\r\n\r\n',
    '\x16\x03\x01\xff\xff',
    '\0'.repeat(100),
  ]) {
    const socket = connectPlainly({ host: '127.0.0.1', port: server.program.port });
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.end(bytes, 'latin1');
    await once(socket, 'close');
    assert.doesNotMatch(received, /HTTP/);
  }
  assert.equal((await server.call({ path: '/jwks.json' })).status, 200);
});
