import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { signedJwt, testKey } from '../../src/testing/jwt.ts';
import { assertionXml, encoded, type SamlKey, type SamlParts, signedXml } from '../../src/testing/saml.ts';
import { wrappedAssertions } from '../../src/testing/saml-signature-rows.ts';
import { REFUSED_XML } from '../../src/testing/saml-xml-rows.ts';
import { type Program, startProgram } from '../program/start.ts';
import { certificateAuthority } from '../tls/certificate.ts';
import { mutationsOf } from './assertion-mutations.ts';
import { type Answer, attackedProgram, type HostileRequest } from './attacked-program.ts';
import { formAt } from './client-assertions.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { basic, introspect } from './introspection-requests.ts';
import { type RegisteredClient, register, SERVICE } from './registry.ts';
import { samlMutations } from './saml-mutations.ts';

/** Hostile assertions as grants, with keys and certificates made for this run (docs/contract/hostile/lessons.md, JOSE). */
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SAML2_BEARER = 'urn:ietf:params:oauth:grant-type:saml2-bearer';
const IDP = 'https://idp.example';
const KEY = testKey('ES256', 'idp');
const samlKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const SAML_KEY: SamlKey = { algorithm: 'ES256', ...samlKeys };
const { cert } = certificateAuthority().issue({ keys: samlKeys });

const common = { issuer: IDP, 'subject-prefix': 'idp:', scope: ['read'] };
const environment = {
  CHANCERY_ASSERTION_GRANTS_ISSUERS: JSON.stringify([
    { ...common, kind: 'jwt', jwks: { keys: [KEY.jwk] } },
    { ...common, kind: 'saml', certificates: [cert] },
  ]),
};

/** The memory that the sweep of XML bombs may leave behind: much less than one of them would unfold to. */
const GROWTH_MAX = 192 * 1024 * 1024;

let client: RegisteredClient;
let reader: RegisteredClient;
const others: Program[] = [];
const attacked = attackedProgram({ environment }, async (started) => {
  client = await register(started, { grant_types: [JWT_BEARER, SAML2_BEARER], scope: 'read write' });
  reader = await register(started, { ...SERVICE, scope: `${started.program.issuer}/token/introspect` });
});
after(async () => {
  for (const program of others) await program.stop();
});

const now = (): number => Math.floor(Date.now() / 1000);

function saml(parts: SamlParts = {}): string {
  const { issuer } = attacked.program;
  const site = { issuer: IDP, audience: issuer, recipient: `${issuer}/token`, now: now() };
  const id = `_${randomBytes(16).toString('hex')}`;
  return assertionXml(site, { id, notOnOrAfter: now() + 600, confirmedUntil: now() + 600, ...parts });
}

const signed = (parts: SamlParts = {}): string => signedXml(SAML_KEY, saml(parts));

function jwt(changes: object = {}): string {
  const jti = randomBytes(16).toString('hex');
  const claims = { iss: IDP, sub: 'alice', aud: attacked.program.issuer, exp: now() + 600, iat: now(), jti };
  return signedJwt(KEY, { ...claims, ...changes });
}

function request(grant_type: string, assertion: string): HostileRequest {
  return { ...formAt('/token', { grant_type, assertion }), authorization: basic(client) };
}

const samlRequest = (xml: string): HostileRequest => request(SAML2_BEARER, encoded(xml));

async function subjectOf(answer: Answer): Promise<unknown> {
  assert.equal(answer.status, 200, answer.body);
  return (await attacked.send(introspect(reader, String(answer.json['access_token'])))).json['sub'];
}

/** All of them, many at a time. */
async function sendAll(requests: readonly HostileRequest[]): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < requests.length; at += 25) {
    answers.push(...(await attacked.sendAtOnce(requests.slice(at, at + 25))));
  }
  return answers;
}

// proves rfc7522-3-8
test('1,000 mutations of a SAML assertion: 400, but for at most one that has the canonical form of the original; nothing grows', async () => {
  const good = signed();
  const other = signed({ nameId: 'bob', audience: 'https://other.example' });
  const mutants = samlMutations(good, other, 1000, 2026);
  const answers = await sendAll(mutants.map(samlRequest));
  const taken = answers.filter(({ status }) => status === 200);
  assert.ok(taken.length <= 1, `${taken.length} were taken`);
  for (const answer of taken) assert.equal(await subjectOf(answer), 'idp:alice');
  for (const answer of answers.filter((one) => one.status !== 200)) {
    assert.equal(answer.status, 400, answer.body);
    assert.match(String(answer.json['error']), /^invalid_(grant|request)$/);
  }
  assert.equal(await subjectOf(await attacked.send(samlRequest(signed()))), 'idp:alice');
});

// proves rfc7523-3-1
test('1,000 mutations of a JWT: 400, and the original stays good', async () => {
  const good = jwt();
  const answers = await sendAll(mutationsOf(good, 1000, 7523).map((mutant) => request(JWT_BEARER, mutant)));
  for (const answer of answers) assert.equal(answer.status, 400, answer.body);
  assert.equal(await subjectOf(await attacked.send(request(JWT_BEARER, good))), 'idp:alice');
});

test('entities, document types and whatever else is not plain XML, five times each: 400, and memory stays bounded', async () => {
  const before = await attacked.metric('process_resident_memory_bytes');
  const documents = Object.values(REFUSED_XML).map((spoil) => spoil(signed()));
  assert.ok(documents.length > 50);
  const answers = await sendAll(Array.from({ length: 5 }, () => documents.map(samlRequest)).flat());
  for (const answer of answers) assert.equal(answer.status, 400, answer.body);
  const grown = (await attacked.metric('process_resident_memory_bytes')) - before;
  assert.ok(grown < GROWTH_MAX, `${grown} bytes`);
});

// proves rfc7522-3-8
test('signature wrapping in every place: 400 invalid_grant', async () => {
  const documents = [...wrappedAssertions(SAML_KEY, saml())].map(([, document]) => document);
  for (const answer of await sendAll(documents.map(samlRequest))) {
    assert.equal(answer.json['error'], 'invalid_grant', answer.body);
  }
});

test('an assertion as long as a body may be, and none of XML: 400', async () => {
  for (const assertion of ['A'.repeat(60_000), encoded('<a>'.repeat(15_000)), encoded('<'.repeat(20_000))]) {
    for (const grant_type of [JWT_BEARER, SAML2_BEARER]) {
      const answer = await attacked.send(request(grant_type, assertion));
      assert.equal(answer.json['error'], 'invalid_grant', answer.body);
    }
  }
});

// proves rfc7521-5.2-1, rfc7522-3-7
test('fifty equal assertions at once, at two processes on one database: exactly one is taken (RFC 7522 §3 rule 8; RFC 7523 §3 rule 7)', async () => {
  const second = await startProgram({ folder: attacked.program.folder, environment });
  others.push(second);
  for (const row of [samlRequest(signed()), request(JWT_BEARER, jwt())]) {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const { url } = index % 2 === 0 ? attacked.program : second;
        const headers = {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: String(row.authorization),
        };
        const answer = await fetch(`${url}/token`, { method: 'POST', headers, body: String(row.body) });
        await answer.text();
        return answer.status;
      }),
    );
    assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
    assert.equal(statuses.filter((status) => status === 400).length, 49, String(statuses));
  }
});

// proves rfc7521-5.2-1, rfc7522-3-7
test('an assertion that was used before a kill is refused after it', async () => {
  const first = await startProgram({ folder: attacked.program.folder, environment });
  const rows = [samlRequest(signed()), request(JWT_BEARER, jwt())];
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: basic(client),
  };
  for (const { body } of rows) {
    const answer = await fetch(`${first.url}/token`, { method: 'POST', headers, body: String(body) });
    assert.equal(answer.status, 200, await answer.text());
  }
  first.signal('SIGKILL');
  await first.exited;
  for (const row of rows) {
    const answer = await attacked.send(row);
    assert.equal(answer.json['error'], 'invalid_grant', answer.body);
  }
});

testInvariantsAtTheEnd(attacked);
