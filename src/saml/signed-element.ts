import { constants, type KeyObject, verify } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as XmlCrypto from 'xml-crypto';
import type { SamlKeys, SamlRefusal } from '../ports/saml-assertion-verifier.ts';
import type { XmlSigningAlgorithm } from '../spec/jose-algorithms.ts';
import { type SignatureForm, signatureForm } from './signature-form.ts';
import { standalone, type XmlElement } from './xml.ts';

export type SignedElement = { readonly signed: string } | { readonly reason: SamlRefusal };

/**
 * Verifies the signature of the root and returns the canonical octets that it covers, without the signature itself. Read
 * nothing else: only these octets are signed.
 * @param root of `document`, as `parseXml` reads it
 */
export function signedElement(document: string, root: XmlElement, keys: SamlKeys): SignedElement {
  const form = signatureForm(root);
  if (form === undefined) return { reason: 'signature-form' };
  const algorithm = signatureAlgorithm(form.signatureMethod, keys.algorithms);
  if (algorithm === undefined) return { reason: 'algorithm' };
  const isSigned = (octets: string): boolean =>
    isSignedByAny(algorithm, keys.keys, Buffer.from(octets), form.signatureValue);
  const signed = signedReference(document, standalone(document, form.signature), form, isSigned);
  return signed === undefined ? { reason: 'signature' } : { signed };
}

function signedReference(
  document: string,
  signature: string,
  { signatureMethod }: SignatureForm,
  isSigned: (octets: string) => boolean,
): string | undefined {
  // The package and its XML parser take about 15 ms and several megabytes to load, and few servers trust a SAML issuer.
  const { SignedXml } = createRequire(import.meta.url)('xml-crypto') as typeof XmlCrypto;
  const verifier = new SignedXml({ publicCert: 'the configured keys', getCertFromKeyInfo: () => null });
  verifier.SignatureAlgorithms = { [signatureMethod]: configuredKeys(signatureMethod, isSigned) };
  try {
    verifier.loadSignature(signature);
    if (!verifier.checkSignature(document)) return undefined;
  } catch {
    // A wrong digest, a wrong signature and an unreadable document are all refused as a bad signature.
    return undefined;
  }
  const [signed, ...others] = verifier.getSignedReferences();
  return others.length === 0 ? signed : undefined;
}

/** Makes the only algorithm that the package may use. It verifies with our keys, which the package never sees. */
function configuredKeys(
  name: string,
  isSigned: (octets: string) => boolean,
): XmlCrypto.SignedXml['SignatureAlgorithms'][string] {
  return class {
    readonly getSignature = (): never => {
      throw new Error('nothing is signed here');
    };
    readonly verifySignature = isSigned;
    readonly getAlgorithmName = (): string => name;
  };
}

interface Algorithm {
  readonly name: XmlSigningAlgorithm;
  readonly hash: string;
  readonly keyType: 'rsa' | 'ec';
  /** The curve of an EC key, under Node's name. */
  readonly curve?: string;
  readonly padding?: number;
}

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';

/** By `SignatureMethod` (RFC 9231 §2.3). Every other one is refused: SHA-1, all HMACs, DSA. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  [`${MORE}rsa-sha256`, { name: 'RS256', hash: 'sha256', keyType: 'rsa' }],
  [`${MORE}rsa-sha384`, { name: 'RS384', hash: 'sha384', keyType: 'rsa' }],
  [`${MORE}rsa-sha512`, { name: 'RS512', hash: 'sha512', keyType: 'rsa' }],
  [
    'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
    { name: 'PS256', hash: 'sha256', keyType: 'rsa', padding: constants.RSA_PKCS1_PSS_PADDING },
  ],
  [`${MORE}ecdsa-sha256`, { name: 'ES256', hash: 'sha256', keyType: 'ec', curve: 'prime256v1' }],
  [`${MORE}ecdsa-sha384`, { name: 'ES384', hash: 'sha384', keyType: 'ec', curve: 'secp384r1' }],
  [`${MORE}ecdsa-sha512`, { name: 'ES512', hash: 'sha512', keyType: 'ec', curve: 'secp521r1' }],
]);

function signatureAlgorithm(uri: string, allowed: readonly XmlSigningAlgorithm[]): Algorithm | undefined {
  const algorithm = ALGORITHMS.get(uri);
  return algorithm !== undefined && allowed.includes(algorithm.name) ? algorithm : undefined;
}

/** Verifies a signature with each key that fits. RFC 9231 §2.3.6: an ECDSA signature is r and s, each as long as the order of the curve. */
function isSignedByAny(
  { hash, keyType, curve, padding }: Algorithm,
  keys: readonly KeyObject[],
  octets: Uint8Array,
  signature: Uint8Array,
): boolean {
  const candidates = keys.filter(
    (key) =>
      key.asymmetricKeyType === keyType &&
      (curve === undefined || key.asymmetricKeyDetails?.namedCurve === curve),
  );
  return candidates.some((key) =>
    keyType === 'ec'
      ? verify(hash, octets, { key, dsaEncoding: 'ieee-p1363' }, signature)
      : verify(
          hash,
          octets,
          padding === undefined ? key : { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
          signature,
        ),
  );
}
