import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { SignedXml } from 'xml-crypto';
import type { SamlRefusal, SamlVerification } from '../ports/saml-assertion-verifier.ts';
import type { XmlSigningAlgorithm } from '../spec/jose-algorithms.ts';
import { XML_SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import {
  assertionXml,
  DSIG,
  ENVELOPED,
  encoded,
  METHODS,
  SAML,
  type SamlKey,
  type SamlParts,
  samlKey,
  signatureXml,
  signedXml,
  subjectXml,
  transform,
  withSignature,
} from '../testing/saml.ts';
import { REFUSED_METHODS, REFUSED_SIGNATURES, wrappedAssertions } from '../testing/saml-signature-rows.ts';
import { REFUSED_XML } from '../testing/saml-xml-rows.ts';
import { samlAssertionVerifier } from './assertion-verifier.ts';

const SITE = {
  issuer: 'https://idp.example',
  audience: 'https://op.example.com/c2',
  recipient: 'https://op.example.com/c2/token',
  now: 1_800_000_000,
};
const KEY = samlKey('ES256');
const RSA = samlKey('RS256');

const verifier = samlAssertionVerifier();

function verify(
  xml: string,
  keys: readonly SamlKey[] = [KEY],
  algorithms: readonly XmlSigningAlgorithm[] = XML_SIGNING_ALGORITHMS,
): SamlVerification {
  return verifier.verify(encoded(xml), { keys: keys.map(({ publicKey }) => publicKey), algorithms });
}

function assertRefused(verification: SamlVerification, ...reasons: readonly SamlRefusal[]): void {
  assert.equal(verification.verified, false);
  if (!verification.verified && reasons.length > 0)
    assert.ok(reasons.includes(verification.reason), verification.reason);
}

function assertNames(verification: SamlVerification, nameId: string): void {
  assert.equal(verification.verified ? verification.assertion.nameId : verification.reason, nameId);
}

const good = (parts: SamlParts = {}): string => signedXml(KEY, assertionXml(SITE, parts));

test('an assertion that is signed is read whole (RFC 7522 §3; SAML 2.0 Core §2.3.3)', () => {
  const attribute = (name: string, ...values: readonly string[]): string =>
    `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`;
  const statements = `<saml:AttributeStatement>${attribute('mail', 'a@b.example')}${attribute('role', 'x', 'y')}</saml:AttributeStatement>`;
  const verification = verify(good({ id: '_1', statements }));
  assert.ok(verification.verified);
  assert.deepEqual(
    { ...verification.assertion },
    {
      id: '_1',
      issuer: 'https://idp.example',
      issueInstant: SITE.now,
      nameId: 'alice',
      confirmations: [
        {
          method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
          recipient: SITE.recipient,
          notBefore: undefined,
          notOnOrAfter: SITE.now + 60,
        },
      ],
      conditions: {
        notBefore: SITE.now,
        notOnOrAfter: SITE.now + 60,
        audienceRestrictions: [[SITE.audience]],
        hasUnknown: false,
      },
      attributes: new Map([
        ['mail', ['a@b.example']],
        ['role', ['x', 'y']],
      ]),
    },
  );
});

for (const algorithm of XML_SIGNING_ALGORITHMS) {
  // proves rfc7522-3-8
  test(`${algorithm}: its signature holds with its key, and not with another key, another algorithm or a changed octet (RFC 9231 §2.3)`, () => {
    const [key, other] = [samlKey(algorithm), samlKey(algorithm)];
    const xml = signedXml(key, assertionXml(SITE));
    assertNames(verify(xml, [key]), 'alice');
    assertNames(verify(xml, [other, RSA, KEY, key]), 'alice');
    assertRefused(verify(xml, [other]), 'signature');
    assertRefused(verify(xml, []), 'signature');
    assertRefused(
      verify(
        xml,
        [key],
        XML_SIGNING_ALGORITHMS.filter((one) => one !== algorithm),
      ),
      'algorithm',
    );
    assertRefused(verify(xml.replace('>alice<', '>alicf<'), [key]), 'signature');
    assertRefused(verify(xml.replace(SITE.audience, `${SITE.audience}x`), [key]), 'signature');
  });
}

test('a digest of SHA-512, a prefix declared around the signature, an XML declaration and line breaks are accepted', () => {
  const xml = assertionXml(SITE);
  const digest = { digestMethod: 'http://www.w3.org/2001/04/xmlenc#sha512', digestHash: 'sha512' };
  assertNames(verify(signedXml(KEY, xml, digest)), 'alice');
  const outside = signedXml(KEY, xml, { declaredOutside: true }).replace(
    '<saml:Assertion',
    `<saml:Assertion xmlns:ds="${DSIG}"`,
  );
  assertNames(verify(outside), 'alice');
  assertNames(verify(`<?xml version="1.0" encoding="UTF-8"?>\n${good()}\n`), 'alice');
  const value = /<ds:SignatureValue>(.*)<\/ds:SignatureValue>/.exec(outside)?.[1] ?? '';
  assertNames(verify(outside.replace(value, `\n${value.slice(0, 40)}\n${value.slice(40)}\n`)), 'alice');
});

test('prefixes that only values use are signed too where the signature lists them (Exclusive XML Canonicalization 1.0 §4)', () => {
  const xs = 'http://www.w3.org/2001/XMLSchema';
  const statements =
    `<saml:AttributeStatement><saml:Attribute Name="mail"><saml:AttributeValue ` +
    `xmlns:xsi="${xs}-instance" xsi:type="xs:string">a@b.example</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`;
  const xml = assertionXml(SITE, { statements }).replace(
    '<saml:Assertion xmlns:saml',
    `<saml:Assertion xmlns:saml`,
  );
  const declared = xml.replace(`xmlns:saml="${SAML}"`, `xmlns:saml="${SAML}" xmlns:xs="${xs}"`);
  const listed =
    ENVELOPED +
    transform(
      'http://www.w3.org/2001/10/xml-exc-c14n#',
      '<ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="xs"></ec:InclusiveNamespaces>',
    );
  const verification = verify(signedXml(KEY, declared, { transforms: listed }));
  assert.deepEqual(verification.verified && verification.assertion.attributes.get('mail'), ['a@b.example']);
  assertRefused(
    verify(signedXml(KEY, declared, { transforms: listed }).replace(`"${xs}"`, '"urn:evil"')),
    'signature',
  );
});

test('what the package signs is verified, in whatever spelling: another prefix, other quotes, white space, empty-element tags', () => {
  const xml = `<Assertion Version='2.0'
      xmlns='${SAML}' IssueInstant="2027-01-15T08:00:00.123Z"   ID="_p">
    <Issuer>https://idp.example</Issuer>
    <Subject><NameID>J&#246;rg &amp; Co</NameID><SubjectConfirmation Method="m"><SubjectConfirmationData/></SubjectConfirmation></Subject>
  </Assertion>`;
  const signer = new SignedXml({
    privateKey: RSA.privateKey,
    signatureAlgorithm: METHODS.RS256,
    canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  });
  signer.addReference({
    xpath: '/*',
    transforms: [`${DSIG}enveloped-signature`, 'http://www.w3.org/2001/10/xml-exc-c14n#'],
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
  });
  signer.computeSignature(xml, { prefix: 'd' });
  assertNames(verify(signer.getSignedXml(), [RSA]), 'Jörg & Co');
});

test('a key that the assertion brings is not used, and does not hinder (KeyInfo)', () => {
  const stranger = samlKey('ES256');
  const keyInfo = `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>MIIB</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
  const xml = assertionXml(SITE);
  assertNames(verify(signedXml(KEY, xml, { keyInfo })), 'alice');
  assertRefused(verify(signedXml(stranger, xml, { keyInfo })), 'signature');
});

for (const [what, spoil] of Object.entries(REFUSED_XML)) {
  test(`${what}: refused before anything is verified (ADR 13)`, () => {
    const xml = good();
    assertNames(verify(xml), 'alice');
    assertRefused(verify(spoil(xml)), 'xml');
    // Signed with it, as far as that can be: the refusal does not hang on the signature.
    const unsigned = assertionXml(SITE);
    if (spoil(unsigned) !== unsigned) assertRefused(verify(signedXml(KEY, spoil(unsigned))), 'xml');
  });
}

// proves rfc7522-2.1-1
test('not canonical base64url of UTF-8: refused (RFC 7522 §2.1)', () => {
  const keys = { keys: [KEY.publicKey], algorithms: XML_SIGNING_ALGORITHMS };
  const xml = good({ nameId: 'ÿÿÿ???ÿ' });
  const text = encoded(xml);
  assert.ok(verifier.verify(text, keys).verified);
  const utf16 = Buffer.from(`\ufeff${xml}`, 'utf16le');
  const latin1 = Buffer.from(xml, 'latin1');
  const rows = [
    `${text}=`,
    `${text}==`,
    ` ${text}`,
    `${text}\n`,
    Buffer.from(xml).toString('base64'),
    xml,
    `${text}!`,
  ];
  for (const row of [...rows, encoded(utf16), encoded(latin1)]) {
    if (row === text) continue;
    assertRefused(verifier.verify(row, keys), 'encoding');
    assert.deepEqual(verifier.claimedIssuer(row), { reason: 'encoding' });
  }
});

for (const [what, parts] of Object.entries(REFUSED_SIGNATURES)) {
  // proves rfc7522-3-8
  test(`a signature with ${what}: refused, although it is made by the issuer (SAML 2.0 Core §5.4)`, () => {
    assertRefused(verify(signedXml(KEY, assertionXml(SITE), parts)), 'signature-form', 'xml');
  });
}

for (const method of REFUSED_METHODS) {
  test(`SignatureMethod "${method}": refused (RFC 9231; ADR 13)`, () => {
    assertRefused(
      verify(signedXml(RSA, assertionXml(SITE), { method }), [RSA]),
      'algorithm',
      'signature-form',
    );
  });
}

// proves rfc7522-3-8
test('H-234 an element with 400,000 spaces is read in a time proportional to its length', () => {
  // 80 billion steps if each space began a search for the end of the white space: the test would not end.
  const xml = assertionXml(SITE).replace('</', `<x>${' '.repeat(400_000)}y</x></`);
  assertRefused(verify(xml), 'xml', 'signature-form');
});

test('H-234 more than 64 namespaces in scope are refused, because each element would copy them', () => {
  const declared = (count: number): string => {
    const declarations = Array.from({ length: count }, (_, index) => ` xmlns:n${index}="urn:n${index}"`);
    const [first, second] = [declarations.slice(0, 30).join(''), declarations.slice(30).join('')];
    return `<a${first}><b${second}>${'<c/>'.repeat(100)}</b></a>`;
  };
  assert.equal(reasonOf(verify(declared(62))), 'assertion');
  assert.equal(reasonOf(verify(declared(63))), 'xml');
});

function reasonOf(verification: SamlVerification): SamlRefusal | undefined {
  return verification.verified ? undefined : verification.reason;
}

test('HMAC with the issuer’s public key, and a signature of another kind of key, are refused: the algorithm is bound to the key', () => {
  const xml = assertionXml(SITE);
  const pem = RSA.publicKey.export({ type: 'spki', format: 'pem' });
  for (const method of [`${DSIG}hmac-sha1`, 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256']) {
    let value = '';
    const signedInfo = (info: string): string => {
      value = createHmac(method.endsWith('sha1') ? 'sha1' : 'sha256', pem)
        .update(info)
        .digest('base64');
      return info;
    };
    signatureXml(RSA, xml, { method, signedInfo });
    assertRefused(verify(signedXml(RSA, xml, { method, value }), [RSA]), 'algorithm');
  }
  assertRefused(verify(signedXml(KEY, xml, { method: METHODS.RS256 }), [KEY, RSA]), 'signature');
  assertRefused(verify(signedXml(RSA, xml, { method: METHODS.PS256 }), [RSA]), 'signature');
  assertRefused(verify(signedXml(samlKey('ES384'), xml, { method: METHODS.ES256 }), [KEY]), 'signature');
});

// proves rfc7522-3-8
test('no signature, one elsewhere than in the root, or two: refused (SAML 2.0 Core §5.4.1)', () => {
  const xml = assertionXml(SITE);
  const signature = signatureXml(KEY, xml);
  assertRefused(verify(xml), 'signature-form');
  for (const document of [
    xml.replace('<saml:NameID>', `${signature}<saml:NameID>`),
    xml.replace('<saml:AudienceRestriction>', `${signature}<saml:AudienceRestriction>`),
    withSignature(withSignature(xml, signature), signature),
    withSignature(xml.replace('<saml:NameID>', `${signature}<saml:NameID>`), signature),
    withSignature(xml, `<x>${signature}</x>`),
    withSignature(xml, signature.replaceAll(DSIG, 'urn:evil')),
    withSignature(xml, signature.replace('<ds:SignedInfo>', '<ds:SignedInfo xmlns:ds="urn:evil">')),
    withSignature(
      xml,
      signature.replaceAll('ds:Signature>', 'ds:signature>').replace('<ds:Signature ', '<ds:signature '),
    ),
  ]) {
    assertRefused(verify(document), 'signature-form');
  }
});

// proves rfc7522-3-8
test('signature wrapping, XSW1 to XSW8 and their variations: the evil assertion is never read', () => {
  let tried = 0;
  for (const [what, document] of wrappedAssertions(KEY, assertionXml(SITE))) {
    const verification = verify(document);
    assert.equal(verification.verified, false, what);
    tried += 1;
  }
  assert.equal(tried, 132);
});

test('two elements with one ID, in any spelling of the attribute: refused (SAML 2.0 Core §5.4.2)', () => {
  for (const attribute of ['ID', 'Id', 'id', 'xml:id', 'iD']) {
    const xml = assertionXml(SITE, { id: '_one' }).replace(
      '<saml:Subject>',
      `<saml:Subject ${attribute}="_one">`,
    );
    assertRefused(verify(signedXml(KEY, xml)), 'signature-form');
  }
  for (const id of ['', '1', 'a b', "x' or '1'='1", 'a'.repeat(257)]) {
    assertRefused(verify(signedXml(KEY, assertionXml(SITE, { id }))), 'signature-form');
  }
});

// proves rfc7522-2.1-1
test('a repeated or malformed part is refused although it is signed (SAML 2.0 Core §2)', () => {
  const site = SITE;
  const rows: readonly SamlParts[] = [
    { version: '1.1' },
    { version: '2.1' },
    { issuer: '' },
    { issuer: 'https://idp.example</saml:Issuer><saml:Issuer>https://b.example' },
    { issuer: 'a<saml:x></saml:x>b' },
    { subject: subjectXml(site) + subjectXml(site) },
    { nameId: 'alice</saml:NameID><saml:NameID>bob' },
    { conditions: '<saml:Conditions></saml:Conditions><saml:Conditions></saml:Conditions>' },
    { issueInstant: '2027-02-30T00:00:00Z' },
    { issueInstant: '2027-01-15T08:00:00' },
    { issueInstant: '2027-01-15T08:00:00+00:00' },
    { issueInstant: '2027-01-15' },
    { issueInstant: '2027-01-15t08:00:00z' },
    { issueInstant: '1800000000' },
    { issueInstant: '' },
    { notOnOrAfter: '2027-13-01T00:00:00Z' },
    { notBefore: 'never' },
    { confirmedUntil: '99999-01-01T00:00:00Z' },
    { statements: '<saml:Assertion></saml:Assertion>' },
    { statements: '<saml:EncryptedAssertion></saml:EncryptedAssertion>' },
    { statements: 'text' },
  ];
  for (const parts of rows) {
    assertRefused(verify(good(parts)), 'assertion');
  }
  const { issueInstant: _, ...rest } = { ...site, issueInstant: 1 };
  assertRefused(verify(signedXml(KEY, assertionXml(rest).replace(/ IssueInstant="[^"]*"/, ''))), 'assertion');
  const protocol = assertionXml(site).replaceAll(SAML, 'urn:oasis:names:tc:SAML:1.0:assertion');
  assertRefused(verify(signedXml(KEY, protocol)), 'assertion');
});

test('a NameID with elements is refused, and attribute values with elements are ignored', () => {
  const mixed = verify(good({ nameId: 'alice<saml:x></saml:x>' }));
  assert.ok(mixed.verified && mixed.assertion.nameId === undefined);
  const encrypted = verify(
    good({ subject: '<saml:Subject><saml:EncryptedID></saml:EncryptedID></saml:Subject>' }),
  );
  assert.ok(encrypted.verified && encrypted.assertion.nameId === undefined);
});

test('claimedIssuer reads the issuer, signed or not', () => {
  assert.deepEqual(verifier.claimedIssuer(encoded(assertionXml(SITE))), { issuer: 'https://idp.example' });
  assert.deepEqual(verifier.claimedIssuer(encoded('<x/>')), { reason: 'assertion' });
});
