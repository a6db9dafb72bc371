import { constants, createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { XmlSigningAlgorithm } from '../spec/jose-algorithms.ts';

export const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
export const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion';
const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/** A key pair of a test, made when the test starts. */
export interface SamlKey {
  readonly algorithm: XmlSigningAlgorithm;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const CURVES: ReadonlyMap<XmlSigningAlgorithm, string> = new Map([
  ['ES256', 'P-256'],
  ['ES384', 'P-384'],
  ['ES512', 'P-521'],
]);

export function samlKey(algorithm: XmlSigningAlgorithm): SamlKey {
  const namedCurve = CURVES.get(algorithm);
  const pair =
    namedCurve === undefined
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve });
  return { algorithm, ...pair };
}

export const METHODS: Readonly<Record<XmlSigningAlgorithm, string>> = {
  RS256: `${MORE}rsa-sha256`,
  RS384: `${MORE}rsa-sha384`,
  RS512: `${MORE}rsa-sha512`,
  PS256: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  ES256: `${MORE}ecdsa-sha256`,
  ES384: `${MORE}ecdsa-sha384`,
  ES512: `${MORE}ecdsa-sha512`,
};

/** The parts of an assertion; each is text that may be anything. Times are seconds since the Unix epoch. */
export interface SamlParts {
  readonly id?: string;
  readonly version?: string;
  readonly issuer?: string;
  readonly issueInstant?: number | string;
  readonly nameId?: string;
  /** The whole subject. */
  readonly subject?: string;
  readonly recipient?: string;
  readonly confirmedUntil?: number | string;
  /** The whole conditions. */
  readonly conditions?: string;
  readonly notBefore?: number | string;
  readonly notOnOrAfter?: number | string;
  readonly audience?: string;
  /** The part after the conditions. */
  readonly statements?: string;
}

export interface SamlSite {
  readonly issuer: string;
  readonly audience: string;
  readonly recipient: string;
  /** Seconds since the Unix epoch. */
  readonly now: number;
}

let made = 0;

/** An unsigned assertion in the form that exclusive canonicalisation gives it: a signature can be made over it as it stands. */
export function assertionXml(site: SamlSite, parts: SamlParts = {}): string {
  made += 1;
  const { id = `_a${made}`, version = '2.0', issuer = site.issuer, statements = '' } = parts;
  const at = instant(parts.issueInstant ?? site.now);
  return (
    `<saml:Assertion xmlns:saml="${SAML}" ID="${id}" IssueInstant="${at}" Version="${version}">` +
    `<saml:Issuer>${issuer}</saml:Issuer>${parts.subject ?? subjectXml(site, parts)}` +
    `${parts.conditions ?? conditionsXml(site, parts)}${statements}</saml:Assertion>`
  );
}

export function subjectXml(site: SamlSite, parts: SamlParts = {}): string {
  const { nameId = 'alice', recipient = site.recipient } = parts;
  const until = instant(parts.confirmedUntil ?? site.now + 60);
  return (
    `<saml:Subject><saml:NameID>${nameId}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">` +
    `<saml:SubjectConfirmationData NotOnOrAfter="${until}" Recipient="${recipient}"></saml:SubjectConfirmationData>` +
    `</saml:SubjectConfirmation></saml:Subject>`
  );
}

export function conditionsXml(site: SamlSite, parts: SamlParts = {}): string {
  const from = instant(parts.notBefore ?? site.now);
  const until = instant(parts.notOnOrAfter ?? site.now + 60);
  return (
    `<saml:Conditions NotBefore="${from}" NotOnOrAfter="${until}"><saml:AudienceRestriction>` +
    `<saml:Audience>${parts.audience ?? site.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`
  );
}

export function instant(time: number | string): string {
  return typeof time === 'string' ? time : new Date(time * 1000).toISOString().replace('.000Z', 'Z');
}

/** The parts of a signature that differ from the usual form. */
export interface SignatureParts {
  readonly uri?: string;
  readonly method?: string;
  readonly c14n?: string;
  readonly digestMethod?: string;
  readonly digestHash?: string;
  readonly digest?: string;
  readonly transforms?: string;
  /** The octets that the digest is of. */
  readonly digested?: string;
  readonly value?: string;
  readonly keyInfo?: string;
  /** Changes the canonical SignedInfo before it is signed. */
  readonly signedInfo?: (canonical: string) => string;
  /** The prefix of its elements is declared by it, or by the element around it. */
  readonly declaredOutside?: boolean;
}

export const transform = (algorithm: string, content = ''): string =>
  `<ds:Transform Algorithm="${algorithm}">${content}</ds:Transform>`;

export const ENVELOPED = transform(`${DSIG}enveloped-signature`);
export const EXCLUSIVE = transform(C14N);

/** A signature over an element in canonical form, by Node's own cryptography: the package under test has no part in it. */
export function signatureXml(key: SamlKey, xml: string, parts: SignatureParts = {}): string {
  const uri = parts.uri ?? `#${/ ID="([^"]*)"/.exec(xml)?.[1] ?? ''}`;
  const digest =
    parts.digest ??
    createHash(parts.digestHash ?? 'sha256')
      .update(parts.digested ?? xml)
      .digest('base64');
  const plain =
    `<ds:SignedInfo xmlns:ds="${DSIG}">` +
    `<ds:CanonicalizationMethod Algorithm="${parts.c14n ?? C14N}"></ds:CanonicalizationMethod>` +
    `<ds:SignatureMethod Algorithm="${parts.method ?? METHODS[key.algorithm]}"></ds:SignatureMethod>` +
    `<ds:Reference URI="${uri}"><ds:Transforms>${parts.transforms ?? ENVELOPED + EXCLUSIVE}</ds:Transforms>` +
    `<ds:DigestMethod Algorithm="${parts.digestMethod ?? 'http://www.w3.org/2001/04/xmlenc#sha256'}"></ds:DigestMethod>` +
    `<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const canonical = parts.signedInfo?.(plain) ?? plain;
  const value = parts.value ?? signatureValue(key, canonical);
  const declaration = ` xmlns:ds="${DSIG}"`;
  return (
    `<ds:Signature${parts.declaredOutside === true ? '' : declaration}>${canonical.replace(declaration, '')}` +
    `<ds:SignatureValue>${value}</ds:SignatureValue>${parts.keyInfo ?? ''}</ds:Signature>`
  );
}

function signatureValue({ algorithm, privateKey }: SamlKey, canonical: string): string {
  const hash = `sha${algorithm.slice(2)}`;
  const octets = Buffer.from(canonical);
  if (algorithm.startsWith('ES')) {
    return sign(hash, octets, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64');
  }
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return sign(hash, octets, { key: privateKey, ...(algorithm.startsWith('PS') ? pss : {}) }).toString(
    'base64',
  );
}

/** Puts a signature where the schema wants it: behind the issuer. */
export function withSignature(xml: string, signature: string): string {
  return xml.replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
}

export function signedXml(key: SamlKey, xml: string, parts: SignatureParts = {}): string {
  return withSignature(xml, signatureXml(key, xml, parts));
}

export const encoded = (xml: string | Uint8Array): string => Buffer.from(xml).toString('base64url');
