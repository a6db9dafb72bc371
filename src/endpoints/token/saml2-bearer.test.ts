import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selfSigned } from '../../../test/tls/certificate.ts';
import type { Settings } from '../../config/settings.ts';
import {
  bearer,
  grantJwt,
  grantTenant,
  jwtIssuer,
  present,
  SAML_KEY,
  SAML_SITE,
  SAML2_BEARER,
  samlAssertion,
  samlIssuer,
} from '../../testing/assertion-grant.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import {
  assertionXml,
  conditionsXml,
  encoded,
  instant,
  type SamlParts,
  samlKey,
  signedXml,
  subjectXml,
} from '../../testing/saml.ts';
import { wrappedAssertions } from '../../testing/saml-signature-rows.ts';
import { REFUSED_XML } from '../../testing/saml-xml-rows.ts';
import { type ClientInformation, ISSUER, SERVICE, START, type TestTenant } from '../../testing/tenant.ts';

interface Asking {
  readonly tenant: TestTenant;
  readonly client: ClientInformation;
  readonly ask: (assertion: string, form?: Readonly<Record<string, string>>) => Promise<Answer>;
  /** The `sub` of the token. */
  readonly subject: (assertion: string) => Promise<unknown>;
}

/** A client of a tenant that trusts the issuer. */
async function asking(issuers = [samlIssuer()], settings: Partial<Settings> = {}): Promise<Asking> {
  const tenant = grantTenant(issuers, { settings });
  const client = await bearer(tenant, {}, SAML2_BEARER);
  const ask: Asking['ask'] = async (assertion, form = {}) =>
    await present(tenant, client, assertion, { grant_type: SAML2_BEARER, ...form });
  return {
    tenant,
    client,
    ask,
    subject: async (assertion) => {
      const answered = await ask(assertion);
      assert.equal(answered.status, 200, answered.body);
      return (await tenant.introspect(String(answered.json['access_token'])))['sub'];
    },
  };
}

// proves rfc7521-4.1-4, rfc7522-3-3
test('a SAML assertion of a trusted issuer is a token for its subject, by our name for it, and no refresh token (RFC 7522 §2.1; RFC 7521 §4.1)', async () => {
  const { tenant, client, ask } = await asking();
  const answered = await ask(samlAssertion(), { scope: 'read' });
  assert.deepEqual(
    { ...answered.json, access_token: '' },
    { access_token: '', token_type: 'Bearer', expires_in: 600, scope: 'read' },
  );
  const token = await tenant.introspect(String(answered.json['access_token']));
  assert.equal(token['sub'], 'saml:alice');
  assert.equal(token['client_id'], client.client_id);
});

const ACCEPTED: Readonly<Record<string, SamlParts>> = {
  'NotOnOrAfter within the skew of clocks': { notOnOrAfter: START - 59, confirmedUntil: START - 59 },
  'NotBefore within the skew of clocks': { notBefore: START + 60 },
  'an hour to live': { notOnOrAfter: START + 3600, confirmedUntil: START + 3600 },
  'conditions that end later than its confirmation': { notOnOrAfter: START + 86_400 },
  'an hour of age': { issueInstant: START - 3600 },
  'no times in its conditions': {
    conditions: conditionsXml(SAML_SITE).replace(/ Not[^=]*="[^"]*"/g, ''),
  },
  'a restriction to us twice': {
    conditions: conditionsXml(SAML_SITE).replace(
      '</saml:Conditions>',
      `<saml:AudienceRestriction><saml:Audience>${ISSUER}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    ),
  },
  'a condition of one-time use': {
    conditions: conditionsXml(SAML_SITE).replace(
      '</saml:Conditions>',
      '<saml:OneTimeUse></saml:OneTimeUse></saml:Conditions>',
    ),
  },
  'another confirmation beside': {
    subject: subjectXml(SAML_SITE).replace(
      '</saml:NameID>',
      '</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:holder-of-key"></saml:SubjectConfirmation>',
    ),
  },
  'an authentication statement': {
    statements: `<saml:AuthnStatement AuthnInstant="${instant(START)}"></saml:AuthnStatement>`,
  },
};

for (const [what, parts] of Object.entries(ACCEPTED)) {
  // proves rfc7522-3-5, rfc7522-3-6
  test(`assertion with ${what}: 200 (RFC 7522 §3)`, async () => {
    assert.equal((await (await asking()).ask(samlAssertion(parts))).status, 200);
  });
}

const AUDIENCE = /^the assertion is for another audience$/;
const UNCONFIRMED = /^the assertion has no bearer confirmation/;

const REFUSED: Readonly<Record<string, readonly [parts: SamlParts, words: RegExp]>> = {
  'another server as audience': [{ audience: 'https://other.example.com' }, AUDIENCE],
  'the issuer with a slash as audience': [{ audience: `${ISSUER}/` }, AUDIENCE],
  'the token endpoint as audience': [{ audience: `${ISSUER}/token` }, AUDIENCE],
  'an empty audience': [{ audience: '' }, AUDIENCE],
  'white space around the audience': [{ audience: ` ${ISSUER}` }, AUDIENCE],
  'elements in the audience': [{ audience: `${ISSUER}<x></x>` }, AUDIENCE],
  'several audiences': [
    { audience: `${ISSUER}</saml:Audience><saml:Audience>https://other.example.com` },
    AUDIENCE,
  ],
  'a second restriction, to another': [
    {
      conditions: conditionsXml(SAML_SITE).replace(
        '</saml:Conditions>',
        '<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
      ),
    },
    AUDIENCE,
  ],
  'no restriction of audiences': [{ conditions: '<saml:Conditions></saml:Conditions>' }, AUDIENCE],
  'no conditions': [{ conditions: '' }, /lacks Conditions/],
  'an unknown condition': [
    {
      conditions: conditionsXml(SAML_SITE).replace(
        '</saml:Conditions>',
        '<saml:Condition></saml:Condition></saml:Conditions>',
      ),
    },
    /not supported/,
  ],
  'NotOnOrAfter a minute ago': [{ notOnOrAfter: START - 60 }, /^the assertion has expired$/],
  'NotBefore in the future': [{ notBefore: START + 61 }, /not valid yet/],
  'IssueInstant in the future': [{ issueInstant: START + 61 }, /not valid yet/],
  'IssueInstant long ago': [{ issueInstant: START - 3661 }, /too old/],
  'its end more than an hour ahead': [
    { notOnOrAfter: START + 3661, confirmedUntil: START + 3661 },
    /valid for too long/,
  ],
  'another recipient': [{ recipient: 'https://other.example.com/token' }, UNCONFIRMED],
  'our issuer as recipient': [{ recipient: ISSUER }, UNCONFIRMED],
  'the recipient in another case': [{ recipient: `${ISSUER}/TOKEN` }, UNCONFIRMED],
  'a confirmation that ended': [{ confirmedUntil: START - 60 }, UNCONFIRMED],
  'a confirmation without end': [
    { subject: subjectXml(SAML_SITE).replace(/ NotOnOrAfter="[^"]*"/, '') },
    UNCONFIRMED,
  ],
  'a confirmation that begins later': [
    {
      subject: subjectXml(SAML_SITE).replace(
        ' NotOnOrAfter',
        ` NotBefore="${instant(START + 61)}" NotOnOrAfter`,
      ),
    },
    UNCONFIRMED,
  ],
  'a confirmation without recipient': [
    { subject: subjectXml(SAML_SITE).replace(/ Recipient="[^"]*"/, '') },
    UNCONFIRMED,
  ],
  'a confirmation without data': [
    { subject: subjectXml(SAML_SITE).replace(/<saml:SubjectConfirmationData.*Data>/, '') },
    UNCONFIRMED,
  ],
  'a confirmation of another method': [
    { subject: subjectXml(SAML_SITE).replace('cm:bearer', 'cm:sender-vouches') },
    UNCONFIRMED,
  ],
  'no confirmation': [
    { subject: '<saml:Subject><saml:NameID>alice</saml:NameID></saml:Subject>' },
    UNCONFIRMED,
  ],
  'no subject': [{ subject: '' }, UNCONFIRMED],
  'no name': [
    { subject: subjectXml(SAML_SITE).replace(/<saml:NameID>.*<\/saml:NameID>/, '') },
    /names no subject/,
  ],
  'an empty name': [{ nameId: '' }, /names no subject/],
  'a line break in the name': [{ nameId: 'alice\n' }, /names no subject/],
  'elements in the name': [{ nameId: 'alice<x></x>' }, /names no subject/],
  'an ID of 257 characters': [{ id: 'a'.repeat(257) }, /must have exactly one enveloped signature/],
  'another version': [{ version: '1.1' }, /must be a single SAML 2.0 assertion/],
  'an issuer that is not trusted': [{ issuer: 'urn:nobody' }, /an issuer that is not trusted/],
  'the issuer in another case': [{ issuer: SAML_SITE.issuer.toUpperCase() }, /an issuer that is not trusted/],
};

for (const [what, [parts, words]] of Object.entries(REFUSED)) {
  // proves rfc7521-4.1.1-1, rfc7521-5.1-1, rfc7522-3-1, rfc7522-3-2, rfc7522-3-4, rfc7522-3-5, rfc7522-3-6
  // proves rfc7522-3.1-1
  test(`assertion with ${what}: 400 invalid_grant (RFC 7522 §3, §3.1)`, async () => {
    const { tenant, ask } = await asking();
    assertError(await ask(samlAssertion(parts)), 'invalid_grant', words);
    assert.equal(tenant.watch.calls.includes('accessTokens.issue'), false);
  });
}

// proves rfc7522-3.1-1
test('whatever is not plain XML, and every wrapped signature: 400 invalid_grant, and never 500 (ADR 13)', async () => {
  const { tenant, ask } = await asking();
  const xml = assertionXml(SAML_SITE);
  const signed = signedXml(SAML_KEY, xml);
  const documents = Object.values(REFUSED_XML).map((spoil) => spoil(signed));
  assert.ok(documents.length > 50);
  const wrapped = [...wrappedAssertions(SAML_KEY, xml)].map(([, document]) => document);
  // Nothing at all is no assertion, and 400 for another reason.
  for (const document of [...documents, ...wrapped].filter((each) => each !== '')) {
    const answered = await ask(encoded(document));
    assert.equal(answered.status, 400, document);
    assert.equal(answered.json['error'], 'invalid_grant');
  }
  assert.equal(tenant.watch.calls.includes('accessTokens.issue'), false);
});

test('an assertion longer than assertion-length is refused before it is decoded', async () => {
  const { ask } = await asking(undefined, { 'assertion-grants.assertion-length': 1024 });
  assertError(await ask(samlAssertion()), 'invalid_grant', /^the assertion is too large$/);
});

// proves rfc7521-5.2-1, rfc7522-3-7
test('an assertion is used once, by its ID, for as long as it could be (RFC 7522 §3 rule 8)', async () => {
  const { tenant, ask } = await asking();
  const assertion = samlAssertion();
  assert.equal((await ask(assertion)).status, 200);
  assertError(await ask(assertion), 'invalid_grant', /used before/);
  assertError(await ask(samlAssertion({ id: '_x', nameId: 'bob', recipient: 'x' })), 'invalid_grant');
  tenant.clock.advance(119);
  await tenant.storage.replays.sweepExpired(tenant.clock.now(), 100);
  assertError(await ask(assertion), 'invalid_grant', /used before/);
});

// proves rfc7521-5.2-1, rfc7522-3-7
test('of fifty equal assertions at once exactly one is taken; the same ID from another issuer is another assertion', async () => {
  const other = samlIssuer({ issuer: 'urn:b', 'subject-prefix': 'b:' });
  const { ask, subject } = await asking([samlIssuer(), other]);
  const assertion = samlAssertion({ id: '_same' });
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(assertion)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(answers.filter(({ status }) => status === 400).length, 49);
  assert.equal(await subject(samlAssertion({ id: '_same', issuer: 'urn:b' })), 'b:alice');
});

// proves rfc7521-8.1-1, rfc7522-3-1
test('an issuer cannot speak for another: its key is good for its own assertions only (RFC 7521 §8.1)', async () => {
  const key = samlKey('ES256');
  const other = samlIssuer({
    issuer: 'urn:b',
    'subject-prefix': 'b:',
    certificates: [selfSigned({ keys: key }).cert],
  });
  const { ask } = await asking([samlIssuer(), other]);
  const forged = encoded(signedXml(key, assertionXml(SAML_SITE)));
  assertError(await ask(forged), 'invalid_grant', /invalid signature/);
});

test('an issuer of JWTs is none of SAML assertions, nor the other way round', async () => {
  const tenant = grantTenant([jwtIssuer(), samlIssuer()]);
  const grant_types = [SAML2_BEARER, 'urn:ietf:params:oauth:grant-type:jwt-bearer'];
  const client = await bearer(tenant, { grant_types });
  assertError(await present(tenant, client, samlAssertion()), 'invalid_grant');
  assertError(await present(tenant, client, grantJwt(), { grant_type: SAML2_BEARER }), 'invalid_grant');
  const jwtOnly = grantTenant([jwtIssuer()]);
  const other = await bearer(jwtOnly, { grant_types });
  const answered = await present(jwtOnly, other, samlAssertion(), { grant_type: SAML2_BEARER });
  assertError(answered, 'unsupported_grant_type');
});

// proves rfc7522-3-3
test('subject-from: an attribute names the subject where it has one value; the assertion needs its NameID all the same (RFC 7522 §3 rule 3)', async () => {
  const { ask, subject } = await asking([samlIssuer({ 'subject-from': 'urn:oid:mail' })]);
  const value = (text: string): string => `<saml:AttributeValue>${text}</saml:AttributeValue>`;
  const statement = (name: string, values: string): string =>
    `<saml:AttributeStatement><saml:Attribute Name="${name}">${values}</saml:Attribute></saml:AttributeStatement>`;
  const mail = statement('urn:oid:mail', value('a@idp.example'));
  assert.equal(await subject(samlAssertion({ statements: mail })), 'saml:a@idp.example');
  for (const statements of [
    '',
    statement('mail', value('a')),
    statement('urn:oid:mail', ''),
    statement('urn:oid:mail', value('')),
    statement('urn:oid:mail', value('a') + value('b')),
    statement('urn:oid:mail', value('<x>a</x>')),
    mail + statement('urn:oid:mail', value('b')),
  ]) {
    assertError(await ask(samlAssertion({ statements })), 'invalid_grant', /names no subject/);
  }
  const nameless = subjectXml(SAML_SITE).replace(/<saml:NameID>.*<\/saml:NameID>/, '');
  assertError(await ask(samlAssertion({ statements: mail, subject: nameless })), 'invalid_grant');
});

const UNREADABLE: Readonly<Record<string, string>> = {
  'one space': ' ',
  'a space at its beginning': ' alice',
  'a no-break space at its end': 'alice\u00a0',
  'a zero-width space': 'al\u200bice',
  'a direction override': 'al\u202eice',
};

for (const [what, nameId] of Object.entries(UNREADABLE)) {
  test(`H-287: a SAML subject with ${what} is 400 invalid_grant, with the reason (RFC 7522 §3)`, async () => {
    const { tenant, ask } = await asking();
    assertError(
      await ask(samlAssertion({ nameId })),
      'invalid_grant',
      /control or invisible character, or a space at/,
    );
    assert.equal(tenant.watch.calls.includes('accessTokens.issue'), false);
  });
}

test('H-287: a SAML subject in another script, with a space inside, is taken as it is', async () => {
  const { subject } = await asking();
  assert.equal(await subject(samlAssertion({ nameId: 'Zoë Ψ 王' })), 'saml:Zoë Ψ 王');
});

test('H-286: the mTLS alias of the token endpoint is a Recipient, and with legacy an audience; without aliases it is neither (RFC 8705 §5, RFC 7522 §3)', async () => {
  const alias = ISSUER.replace(/^https:\/\/[^/]+/, 'https://mtls.example.com').concat('/token');
  const audience = conditionsXml(SAML_SITE).replace(`>${ISSUER}<`, `>${alias}<`);
  assert.notEqual(audience, conditionsXml(SAML_SITE));
  const certificates = {
    'client-authentication.certificate-header': 'Client-Cert',
    'listen.trusted-proxies': ['192.0.2.0/24'],
    'client-authentication.mtls-origin': 'https://mtls.example.com',
  } as const;
  const legacy = { 'client-authentication.assertion-audience': 'legacy' } as const;
  const without = await asking();
  assertError(await without.ask(samlAssertion({ recipient: alias })), 'invalid_grant');
  const aliased = await asking([samlIssuer()], certificates);
  assert.equal(await aliased.subject(samlAssertion({ recipient: alias })), 'saml:alice');
  assert.equal(await aliased.subject(samlAssertion({ id: '_own' })), 'saml:alice');
  assertError(await aliased.ask(samlAssertion({ id: '_a', conditions: audience })), 'invalid_grant');
  const old = await asking([samlIssuer()], { ...certificates, ...legacy });
  assert.equal(await old.subject(samlAssertion({ conditions: audience })), 'saml:alice');
});

// proves rfc7522-3-2
test('legacy: the token endpoint is an audience too, and others may stand beside us (decision 18)', async () => {
  const { ask } = await asking([samlIssuer({ audiences: ['urn:us'] })], {
    'client-authentication.assertion-audience': 'legacy',
  });
  const both = `https://other.example.com</saml:Audience><saml:Audience>${ISSUER}/token`;
  for (const audience of [ISSUER, `${ISSUER}/token`, 'urn:us', both]) {
    assert.equal((await ask(samlAssertion({ audience }))).status, 200);
  }
  assertError(await ask(samlAssertion({ audience: 'https://other.example.com' })), 'invalid_grant');
});

// proves rfc7521-4.1-1
test('missing assertion: 400 invalid_request; not registered: 400 unauthorized_client; not authenticated: 401 (RFC 6749 §5.2)', async () => {
  const { tenant, client, ask } = await asking();
  assertError(await ask(''), 'invalid_request', /^assertion is missing$/);
  const form = { grant_type: SAML2_BEARER };
  assertError(
    await present(tenant, await tenant.register(SERVICE), samlAssertion(), form),
    'unauthorized_client',
  );
  assertError(
    await present(tenant, { ...client, client_secret: 'x' }, samlAssertion(), form),
    'invalid_client',
  );
});
