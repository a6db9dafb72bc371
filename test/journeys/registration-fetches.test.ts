import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { signedJwt, testKey } from '../../src/testing/jwt.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { type Program, startProgram } from '../program/start.ts';
import { type Answer, ask, assertRefused, call, manage, registrationOf } from './conformance-exchange.ts';

/** Documents that a registration refers to, against the started program: sector identifiers and software statements. */
const PUBLISHER = 'https://publisher.example';
const KEY = testKey('ES256', 'publisher-1');
const REDIRECT_URIS = ['https://one.example/cb', 'https://two.example/cb'];
const DOCUMENTS: Readonly<Record<string, string>> = {
  '/sector.json': JSON.stringify([...REDIRECT_URIS, 'https://three.example/cb']),
  '/sector-bad.json': JSON.stringify(REDIRECT_URIS.slice(1)),
  '/sector-object.json': JSON.stringify({ redirect_uris: REDIRECT_URIS }),
};
let program: Program;
let peer: Server;
let peerUrl: string;

before(async () => {
  peer = createServer(({ url = '' }, response) => {
    response.writeHead(url in DOCUMENTS ? 200 : 404, { 'content-type': 'application/json' });
    response.end(DOCUMENTS[url] ?? '{}');
  }).listen(0, '127.0.0.1');
  const port = await listeningPort(peer);
  peerUrl = `http://127.0.0.1:${port}`;
  program = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      CHANCERY_OUTBOUND_PORTS: 'any',
      CHANCERY_REGISTRATION_SOFTWARE_STATEMENT_ISSUERS: JSON.stringify([
        { issuer: PUBLISHER, jwks: { keys: [KEY.jwk] } },
      ]),
    },
  });
});

after(async () => {
  await program.stop();
  peer.close();
});

async function inSector(document: string): Promise<Answer> {
  const sector_identifier_uri = `${peerUrl}${document}`;
  return await ask(program, {
    redirect_uris: REDIRECT_URIS,
    subject_type: 'pairwise',
    sector_identifier_uri,
  });
}

// proves openid-registration-5-1
test('a sector identifier whose document lists every redirection URI, 201 (OpenID Connect Dynamic Client Registration 1.0 §5)', async () => {
  const answer = await inSector('/sector.json');
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.json['sector_identifier_uri'], `${peerUrl}/sector.json`);
});

// proves openid-registration-5-1
test('a sector identifier whose document lacks a redirection URI, is no array or is not there: 400 JSON invalid_client_metadata (OpenID Connect Dynamic Client Registration 1.0 §5)', async () => {
  for (const document of ['/sector-bad.json', '/sector-object.json', '/nothing.json']) {
    assertRefused(await inSector(document), 400, 'invalid_client_metadata');
  }
});

// proves openid-registration-5-1
test('the redirect_uris of an update are held to the sector identifier again (OpenID Connect Dynamic Client Registration 1.0 §5)', async () => {
  const client = registrationOf(await inSector('/sector.json'));
  const json = { ...client.members, redirect_uris: [...REDIRECT_URIS, 'https://four.example/cb'] };
  assertRefused(await manage(program, client, 'PUT', { json }), 400, 'invalid_client_metadata');
  assert.deepEqual((await manage(program, client, 'GET')).json, client.members);
});

const SOFTWARE = { iss: PUBLISHER, software_id: 'app', client_name: 'Stated', redirect_uris: REDIRECT_URIS };

// proves rfc7591-3.1.1-1, rfc7591-3.2.1-5
test('a software statement wins over the request and comes back unmodified beside what it says (RFC 7591 §3.1.1, §3.2.1)', async () => {
  const software_statement = signedJwt(KEY, SOFTWARE);
  const answer = await ask(program, {
    client_name: 'Asked',
    client_uri: 'https://one.example/',
    software_statement,
  });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.json['software_statement'], software_statement);
  assert.equal(answer.json['client_name'], 'Stated');
  assert.deepEqual(answer.json['redirect_uris'], REDIRECT_URIS);
  assert.equal(answer.json['client_uri'], 'https://one.example/');
});

/** The first character of a segment holds six bits of it, whatever its length; the last one may hold fewer. */
function withBrokenSignature(jwt: string): string {
  const at = jwt.lastIndexOf('.') + 1;
  return `${jwt.slice(0, at)}${jwt[at] === 'A' ? 'B' : 'A'}${jwt.slice(at + 1)}`;
}

// proves rfc7591-3.2.2-4, rfc7592-2.2-8, openid-conformance-35
test('fapi2-security-profile-final-brazil-dcr-invalid-software-statement-signature: 400 JSON invalid_software_statement, at registration and in an update (RFC 7591 §3.2.2; RFC 7592 §2.2)', async () => {
  const software_statement = signedJwt(KEY, SOFTWARE);
  const broken = { software_statement: withBrokenSignature(software_statement) };
  assertRefused(await ask(program, broken), 400, 'invalid_software_statement');
  const client = registrationOf(await ask(program, { software_statement }));
  assertRefused(await manage(program, client, 'PUT', { json: broken }), 400, 'invalid_software_statement');
  assert.deepEqual((await manage(program, client, 'GET')).json, client.members);
});

// proves rfc7591-2.3-1
test('a software statement without iss, without signature, or of an untrusted issuer: 400 (RFC 7591 §2.3, §3.2.2)', async () => {
  const { iss, ...anonymous } = SOFTWARE;
  const stranger = signedJwt(KEY, { ...SOFTWARE, iss: `${iss}.evil` });
  assertRefused(await ask(program, { software_statement: stranger }), 400, 'unapproved_software_statement');
  const [, claims] = signedJwt(KEY, SOFTWARE).split('.');
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
  for (const software_statement of [signedJwt(KEY, anonymous), unsigned, 'x']) {
    const answer = await ask(program, { redirect_uris: REDIRECT_URIS, software_statement });
    assert.equal(answer.status, 400, answer.text);
    assert.match(String(answer.json['error']), /^invalid_(?:software_statement|client_metadata)$/);
  }
});

// proves openid-conformance-36
test('fapi2-security-profile-final-brazil-dcr-no-software-statement: nothing here needs one; without token and statement it is 401 (RFC 7591 §3; decision 6)', async () => {
  const json = { redirect_uris: REDIRECT_URIS };
  assert.equal((await ask(program, json)).status, 201);
  const anonymous = await call(program, { method: 'POST', path: '/register', json });
  assertRefused(anonymous, 401, 'invalid_token');
  assert.equal(anonymous.headers.get('www-authenticate'), 'Bearer');
});
