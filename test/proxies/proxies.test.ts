import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { PROGRAM } from '../../src/testing/program.ts';
import { addTenant } from '../../src/testing/storage/add-tenant.ts';
import { freePort } from '../program/free-port.ts';
import { type Program, startProgram } from '../program/start.ts';
import { openProgramStorage } from '../program/storage-place.ts';
import { derOf, selfSigned } from '../tls/certificate.ts';
import { callHttps, type HttpsAnswer, type HttpsCall } from '../tls/https-call.ts';
import { headerOf } from '../tls/tls-program.ts';
import { AUTHORITY, NAME, PROXIES, type ProxyKind, type RunningProxy, startProxy } from './proxy.ts';

type Call = Omit<HttpsCall, 'port' | 'ca' | 'servername'>;

/** `npm run proxies` runs these tests. `npm test` does not, because they need nginx and Caddy. */
for (const kind of PROXIES) suite(kind.name, () => behind(kind));

function behind(kind: ProxyKind): void {
  let folder: string;
  let program: Program;
  let proxy: RunningProxy;
  let ports: { readonly httpPort: number; readonly httpsPort: number };
  const file = `deploy/proxies/${kind.file}`;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'chancery-proxied-'));
    // The server reads Issuer and Tenant-ID only if there are several issuers.
    const storage = await openProgramStorage(folder);
    await addTenant(storage, { id: 'other', issuer: 'https://other.example', settings: {} });
    await storage.close();
    ports = { httpPort: await freePort(), httpsPort: await freePort() };
    program = await startProgram({
      folder,
      environment: {
        CHANCERY_ISSUER: `https://${NAME}:${ports.httpsPort}`,
        CHANCERY_LISTEN_TRUSTED_PROXIES: '127.0.0.1/32',
        CHANCERY_CLIENT_AUTHENTICATION_CERTIFICATE_HEADER: 'Client-Cert',
      },
    });
    proxy = await startProxy(kind, { ...ports, serverPort: program.port });
  });
  after(async () => {
    await proxy?.stop();
    await program?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = async (sent: Call): Promise<HttpsAnswer> =>
    await callHttps({
      port: ports.httpsPort,
      ca: AUTHORITY.certificate,
      servername: NAME,
      ...sent,
      headers: { host: new URL(program.issuer).host, ...sent.headers },
    });

  test(`${file}: chancery doctor finds no problem and nothing to warn of`, async () => {
    const authority = join(program.folder, 'authority.pem');
    writeFileSync(authority, AUTHORITY.certificate);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', PROGRAM, 'doctor', program.issuer, '--json'],
      { env: { ...process.env, NODE_EXTRA_CA_CERTS: authority }, cwd: program.folder },
    );
    const { findings } = JSON.parse(stdout) as { findings: { level: string; about: string }[] };
    assert.deepEqual(
      findings.filter(({ level }) => level !== 'good'),
      [],
    );
    for (const about of ['tls', 'headers', 'cookies', 'proxy', 'management'])
      assert.ok(
        findings.some((finding) => finding.about === about),
        `${about}: ${stdout}`,
      );
  });

  test(`${file}: the log has the address of the client, and no X-Forwarded-For of its own`, async () => {
    const forged = '203.0.113.9';
    const headers = { 'x-forwarded-for': forged, forwarded: `for=${forged}`, 'x-real-ip': forged };
    const form = { grant_type: 'client_credentials', client_id: 'through-the-proxy', client_secret: 'wrong' };
    const answer = await call({ localAddress: '127.0.0.9', path: '/token', headers, form });
    assert.equal(answer.status, 401, answer.text);
    await program.printed(/through-the-proxy/u);
    assert.equal(addressIn(program, 'through-the-proxy'), '127.0.0.9');
    assert.ok(!program.output().includes(forged));
  });

  test(`${file}: a stranger that goes past the proxy is not believed either`, async () => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const sent = request(
      {
        host: '127.0.0.1',
        port: program.port,
        localAddress: '127.0.0.8',
        path: '/token',
        method: 'POST',
        headers: {
          'x-forwarded-for': '203.0.113.10',
          'content-type': 'application/x-www-form-urlencoded',
        },
      },
      (response) => resolve(response.resume().statusCode),
    );
    sent.on('error', reject);
    sent.end('grant_type=client_credentials&client_id=past-the-proxy&client_secret=wrong');
    assert.equal(await promise, 401);
    await program.printed(/past-the-proxy/u);
    assert.equal(addressIn(program, 'past-the-proxy'), '127.0.0.8');
  });

  test(`${file}: a Client-Cert of the client does not reach the server (RFC 9440 §4)`, async () => {
    const client = selfSigned();
    const id = await registered(client, call, program.masterToken);
    const form = { grant_type: 'client_credentials', client_id: id };
    const headers = { 'client-cert': headerOf(client) };
    const trusted = await fetch(`${program.url}/token`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form),
    });
    assert.equal(trusted.status, 200, await trusted.text());
    const through = await call({ path: '/token', headers, form });
    assert.equal(through.status, 401, through.text);
  });

  test(`${file}: Issuer and Tenant-ID of a client do not reach the server`, async () => {
    const path = '/.well-known/openid-configuration';
    for (const headers of [{ 'tenant-id': 'other' }, { issuer: 'https://other.example' }]) {
      const direct = (await (await fetch(`${program.url}${path}`, { headers })).json()) as { issuer: string };
      assert.equal(direct.issuer, 'https://other.example');
      assert.equal((await call({ path, headers })).json['issuer'], program.issuer);
    }
  });

  test(`${file}: plain http leads to https, a form included`, async () => {
    const answer = await fetch(`http://127.0.0.1:${ports.httpPort}/token?x=1`, {
      method: 'POST',
      redirect: 'manual',
      body: '',
    });
    assert.equal(answer.status, 308);
    assert.match(answer.headers.get('location') ?? '', /^https:\/\/127\.0\.0\.1(?::\d+)?\/token\?x=1$/u);
  });
}

/** The address in the log line about the client. */
function addressIn(program: Program, client: string): unknown {
  const line = program
    .output()
    .split('\n')
    .find((text) => text.includes(client));
  return (JSON.parse(line ?? '{}') as { address?: string }).address;
}

async function registered(
  identity: ReturnType<typeof selfSigned>,
  call: (sent: Call) => Promise<HttpsAnswer>,
  masterToken: string,
): Promise<string> {
  const jwk = createPublicKey(identity.cert).export({ format: 'jwk' });
  const answer = await call({
    method: 'POST',
    path: '/clients',
    headers: { authorization: `Bearer ${masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'self_signed_tls_client_auth',
      jwks: { keys: [{ ...jwk, x5c: [derOf(identity).toString('base64')] }] },
    }),
  });
  assert.equal(answer.status, 200, answer.text);
  return String(answer.json['client_id']);
}
