import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { converse, type RawAnswer } from '../program/raw-socket.ts';
import { type Program, startProgram } from '../program/start.ts';
import { certificateAuthority, selfSigned } from '../tls/certificate.ts';
import { CERTIFIED, CLIENT_AUTHORITY, headerOf, SUBJECT } from '../tls/tls-program.ts';

/** Behind a proxy that terminates TLS: the test is the proxy, on plain HTTP from the loopback interface (RFC 9440). */
const CERTIFICATE = headerOf(CLIENT_AUTHORITY.issue(SUBJECT));
const metadata = {
  grant_types: ['client_credentials'],
  ...CERTIFIED,
};
let behind: Program;
let client_id = '';

before(async () => {
  behind = await startProgram({
    environment: {
      CHANCERY_CLIENT_AUTHENTICATION_CERTIFICATE_HEADER: 'Client-Cert',
      CHANCERY_LISTEN_TRUSTED_PROXIES: '127.0.0.1/32',
      CHANCERY_LISTEN_TLS_CLIENT_CA: CLIENT_AUTHORITY.certificate,
      CHANCERY_CLIENT_AUTHENTICATION_MTLS_ORIGIN: 'https://mtls.example.com',
    },
  });
  client_id = await register(behind);
});

after(() => behind.stop());

async function register(program: Program): Promise<string> {
  const answer = await fetch(`${program.url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  return String(((await answer.json()) as Record<string, unknown>)['client_id']);
}

/** @param lines whole header lines */
async function ask(program: Program, id: string, ...lines: readonly string[]): Promise<RawAnswer> {
  const body = `grant_type=client_credentials&client_id=${id}`;
  const head = [
    'POST /token HTTP/1.1',
    'Host: h.test',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    ...lines,
  ];
  const { answers } = await converse(program, [`${head.join('\r\n')}\r\n\r\n${body}`]);
  return answers[0] ?? assert.fail('no answer');
}

// proves rfc9440-2.1-1
test('the certificate that a trusted proxy passes on authenticates its client (RFC 9440 §2.2)', async () => {
  const issued = await ask(behind, client_id, `Client-Cert: ${CERTIFICATE}`);
  assert.equal(issued.status, 200, issued.body);
  assert.equal((await ask(behind, client_id)).status, 401);
});

// proves rfc9440-2.3-1, rfc9440-2.3-2
test('the chain that a proxy passes on is checked here, whatever the proxy checked (RFC 9440 §2.3)', async () => {
  const between = CLIENT_AUTHORITY.intermediate({ name: 'Between' });
  const leaf = `Client-Cert: ${headerOf(between.issue(SUBJECT))}`;
  const link = headerOf({ cert: between.certificate });
  assert.equal((await ask(behind, client_id, leaf)).status, 401);
  assert.equal((await ask(behind, client_id, leaf, `Client-Cert-Chain: ${link}`)).status, 200);
  const other = headerOf({ cert: CLIENT_AUTHORITY.certificate });
  assert.equal((await ask(behind, client_id, leaf, `Client-Cert-Chain: ${other}, ${link}`)).status, 200);
  const lines = [`Client-Cert-Chain: ${other}`, `Client-Cert-Chain: ${link}`];
  assert.equal(
    (await ask(behind, client_id, leaf, ...lines)).status,
    200,
    'a list may come in several lines',
  );
  for (const stranger of [selfSigned(SUBJECT), certificateAuthority('Stranger').issue(SUBJECT)]) {
    assert.equal((await ask(behind, client_id, `Client-Cert: ${headerOf(stranger)}`)).status, 401);
  }
});

const MALFORMED: Readonly<Record<string, readonly string[]>> = {
  'sent twice': [`Client-Cert: ${CERTIFICATE}`, `Client-Cert: ${CERTIFICATE}`],
  'a list': [`Client-Cert: ${CERTIFICATE}, ${CERTIFICATE}`],
  'not between colons': [`Client-Cert: ${CERTIFICATE.slice(1, -1)}`],
  PEM: ['Client-Cert: -----BEGIN CERTIFICATE-----'],
  'base64 with a space': [`Client-Cert: ${CERTIFICATE.slice(0, 40)} ${CERTIFICATE.slice(40)}`],
  empty: ['Client-Cert:'],
  'an empty sequence': ['Client-Cert: ::'],
  'with a parameter': [`Client-Cert: ${CERTIFICATE};a=1`],
  'a chain alone': [`Client-Cert-Chain: ${CERTIFICATE}`],
  'a chain that is none': [`Client-Cert: ${CERTIFICATE}`, 'Client-Cert-Chain: x'],
  'an empty link in the chain': [`Client-Cert: ${CERTIFICATE}`, `Client-Cert-Chain: ${CERTIFICATE},`],
};

for (const [what, lines] of Object.entries(MALFORMED)) {
  // proves rfc9440-2.1-1, rfc9440-2.3-1
  test(`Client-Cert from a trusted proxy, ${what}: 400 instead of a guess (RFC 9440 §2.2, RFC 8941 §4.2)`, async () => {
    const refused = await ask(behind, client_id, ...lines);
    assert.equal(refused.status, 400, refused.body);
    assert.match(refused.body, /"invalid_request"/);
  });
}

test('octets that are no certificate, and headers named almost alike: 401 (RFC 9440 §2.1)', async () => {
  const lines = ['Client-Cert: :anVuaw==:', `Client_Cert: ${CERTIFICATE}`, `X-Client-Cert: ${CERTIFICATE}`];
  for (const line of lines) assert.equal((await ask(behind, client_id, line)).status, 401, line.slice(0, 20));
});

// proves rfc8705-5-1
test('aliases are named below the other origin (RFC 8705 §5)', async () => {
  const answer = await fetch(`${behind.url}/.well-known/openid-configuration`);
  const { mtls_endpoint_aliases: aliases } = (await answer.json()) as Record<string, Record<string, string>>;
  assert.equal(aliases?.['token_endpoint'], 'https://mtls.example.com/token');
  assert.equal(aliases?.['introspection_endpoint'], 'https://mtls.example.com/token/introspect');
});

// proves rfc9440-4-1
test('the same header from a peer that is no trusted proxy is ignored, and the log says so once (RFC 9440 §4)', async () => {
  const stranger = await startProgram({
    environment: {
      CHANCERY_CLIENT_AUTHENTICATION_CERTIFICATE_HEADER: 'Client-Cert',
      CHANCERY_LISTEN_TRUSTED_PROXIES: '192.0.2.0/24',
      CHANCERY_LISTEN_TLS_CLIENT_CA: CLIENT_AUTHORITY.certificate,
    },
  });
  try {
    const id = await register(stranger);
    for (const lines of [
      [`Client-Cert: ${CERTIFICATE}`],
      [`Client-Cert: ${CERTIFICATE}`],
      ['Client-Cert: junk'],
    ]) {
      const forged = ['X-Forwarded-For: 192.0.2.1', ...lines];
      assert.equal((await ask(stranger, id, ...forged)).status, 401);
    }
    await stranger.printed(/a Client-Cert header is ignored/);
    assert.equal(stranger.output().match(/a Client-Cert header is ignored/g)?.length, 1);
  } finally {
    await stranger.stop();
  }
});
