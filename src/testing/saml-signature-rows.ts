import {
  DSIG,
  ENVELOPED,
  EXCLUSIVE,
  METHODS,
  type SamlKey,
  type SignatureParts,
  signatureXml,
  transform,
  withSignature,
} from '../testing/saml.ts';

const C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const ELEMENT = `<ds:Object></ds:Object>`;

/** Signatures that hold mathematically, over a `SignedInfo` of another form than the one that is accepted. */
export const REFUSED_SIGNATURES: Readonly<Record<string, SignatureParts>> = {
  'an empty URI': { uri: '' },
  'the ID of nothing': { uri: '#_nothing' },
  'a URI without #': { uri: '_a' },
  'an XPointer': { uri: "#xpointer(id('_a'))" },
  'a document elsewhere': { uri: 'https://evil.example/assertion.xml' },
  'a file': { uri: 'file:///etc/passwd' },
  'no transforms': { transforms: '' },
  'the enveloped transform only': { transforms: ENVELOPED },
  'canonicalisation only': { transforms: EXCLUSIVE },
  'transforms in another order': { transforms: EXCLUSIVE + ENVELOPED },
  'the enveloped transform twice': { transforms: ENVELOPED + ENVELOPED },
  'three transforms': { transforms: ENVELOPED + EXCLUSIVE + EXCLUSIVE },
  'inclusive canonicalisation': { transforms: ENVELOPED + transform(INCLUSIVE) },
  'canonicalisation with comments': { transforms: ENVELOPED + transform(`${C14N}WithComments`) },
  'an XPath transform': {
    transforms:
      transform('http://www.w3.org/TR/1999/REC-xpath-19991116', '<ds:XPath>true()</ds:XPath>') + EXCLUSIVE,
  },
  'an XSLT transform': { transforms: transform('http://www.w3.org/TR/1999/REC-xslt-19991116') + EXCLUSIVE },
  'a base64 transform': { transforms: ENVELOPED + transform(`${DSIG}base64`) },
  'something in a transform': { transforms: transform(`${DSIG}enveloped-signature`, ELEMENT) + EXCLUSIVE },
  'SignedInfo canonicalised inclusively': { c14n: INCLUSIVE },
  'SignedInfo canonicalised with comments': { c14n: `${C14N}WithComments` },
  'SignedInfo canonicalised by nothing': { c14n: '' },
  'a digest of SHA-1': { digestMethod: `${DSIG}sha1`, digestHash: 'sha1' },
  'a digest of MD5': { digestMethod: 'http://www.w3.org/2001/04/xmldsig-more#md5', digestHash: 'md5' },
  'no digest method': { digestMethod: '' },
  'an empty digest': { digest: '' },
  'a digest that is no base64': { digest: '!' },
  'two digests': { signedInfo: twice('ds:DigestValue') },
  'two references': { signedInfo: twice('ds:Reference') },
  'two canonicalisation methods': { signedInfo: twice('ds:CanonicalizationMethod') },
  'two signature methods': { signedInfo: twice('ds:SignatureMethod') },
  'no reference': { signedInfo: (info) => info.replace(/<ds:Reference.*<\/ds:Reference>/, '') },
  'an element in the digest (CVE-2025-29775)': {
    signedInfo: (info) => info.replace('<ds:DigestValue>', `<ds:DigestValue>${ELEMENT}`),
  },
  'text between its elements': { signedInfo: (info) => info.replace('<ds:Reference', 'x<ds:Reference') },
  'a truncated MAC': {
    signedInfo: (info) =>
      info.replace(
        '</ds:SignatureMethod>',
        '<ds:HMACOutputLength>0</ds:HMACOutputLength></ds:SignatureMethod>',
      ),
  },
  'an empty value': { value: '' },
  'a value that is no base64': { value: 'x' },
  'an element in the value': { value: ELEMENT },
  'an object': { keyInfo: ELEMENT },
  'two key infos': { keyInfo: '<ds:KeyInfo></ds:KeyInfo><ds:KeyInfo></ds:KeyInfo>' },
  'a second SignedInfo (CVE-2025-29774)': { keyInfo: '<ds:SignedInfo></ds:SignedInfo>' },
  'a SignedInfo in the key info': { keyInfo: '<ds:KeyInfo><ds:SignedInfo></ds:SignedInfo></ds:KeyInfo>' },
  'a signature in the key info': { keyInfo: '<ds:KeyInfo><ds:Signature></ds:Signature></ds:KeyInfo>' },
};

function twice(name: string): (signedInfo: string) => string {
  const element = new RegExp(`<${name}[ >].*</${name}>`);
  return (signedInfo) => signedInfo.replace(element, (found) => found + found);
}

/** Signature methods that nothing is taken with, whatever the keys. */
export const REFUSED_METHODS: readonly string[] = [
  `${DSIG}rsa-sha1`,
  `${DSIG}dsa-sha1`,
  `${DSIG}hmac-sha1`,
  'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-md5',
  'none',
  '',
  '__proto__',
  METHODS.RS256.toUpperCase(),
];

/** Where the signed assertion goes when an unsigned one is put in its place. */
const PLACES: Readonly<Record<string, (evil: string, original: string) => string>> = {
  'as its child': (evil, original) => evil.replace('<saml:Subject>', `${original}<saml:Subject>`),
  'at its end': (evil, original) => evil.replace('</saml:Assertion>', `${original}</saml:Assertion>`),
  'in its advice': (evil, original) =>
    evil.replace('</saml:Conditions>', `</saml:Conditions><saml:Advice>${original}</saml:Advice>`),
  'in an unknown element': (evil, original) =>
    evil.replace('</saml:Assertion>', `<x>${original}</x></saml:Assertion>`),
  'in an object of its signature': (evil, original) =>
    evil.replace('</ds:Signature>', `<ds:Object>${original}</ds:Object></ds:Signature>`),
  'in the key info of its signature': (evil, original) =>
    evil.replace('</ds:Signature>', `<ds:KeyInfo>${original}</ds:KeyInfo></ds:Signature>`),
  'behind it, in a wrapper': (evil, original) => `<x>${evil}${original}</x>`,
  'before it, in a wrapper': (evil, original) => `<x>${original}${evil}</x>`,
  'around it': (evil, original) => original.replace('</saml:Assertion>', `${evil}</saml:Assertion>`),
  'around it, in an attribute value': (evil, original) =>
    original.replace(
      '</saml:Assertion>',
      `<saml:AttributeStatement><saml:Attribute Name="x"><saml:AttributeValue>${evil}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement></saml:Assertion>`,
    ),
  nowhere: (evil) => evil,
};

/**
 * XML signature wrapping (XSW1 to XSW8 of Somorovsky et al., for a bare assertion): an evil assertion with the signature
 * of a good one, which stays in the document somewhere, with or without the signature, under the same ID or another.
 * @param good an unsigned assertion in canonical form
 */
export function* wrappedAssertions(
  key: SamlKey,
  good: string,
): Generator<readonly [what: string, document: string]> {
  const signature = signatureXml(key, good);
  const renamed = good.replace('>alice<', '>mallory<');
  const evils = {
    'the same ID': renamed,
    'another ID': renamed.replace(/ ID="[^"]*"/, ' ID="_evil"'),
    'no ID': renamed.replace(/ ID="[^"]*"/, ''),
    'an Id in another case': renamed.replace(' ID=', ' Id='),
  };
  for (const [id, evil] of Object.entries(evils)) {
    for (const [place, put] of Object.entries(PLACES)) {
      yield [`${id}, the signature moved, the original ${place}`, put(withSignature(evil, signature), good)];
      yield [
        `${id}, the signature copied, the original ${place}`,
        put(withSignature(evil, signature), withSignature(good, signature)),
      ];
      yield [`${id}, the signature left, the original ${place}`, put(evil, withSignature(good, signature))];
    }
  }
}
