import { SignedXml } from 'xml-crypto';
import type { SamlKeys, SamlRefusal } from '../ports/saml-assertion-verifier.ts';
import { isSignedByAny, signatureAlgorithm } from './signature-algorithms.ts';
import { type SignatureForm, signatureForm } from './signature-form.ts';
import { standalone, type XmlElement } from './xml.ts';

export type SignedElement = { readonly signed: string } | { readonly reason: SamlRefusal };

/**
 * The canonical octets of the root, if they are what its signature was made over; without the signature itself. Whoever
 * reads them, and only them, sees what was signed.
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
  const verifier = new SignedXml({ publicCert: 'the configured keys', getCertFromKeyInfo: () => null });
  verifier.SignatureAlgorithms = { [signatureMethod]: configuredKeys(signatureMethod, isSigned) };
  try {
    verifier.loadSignature(signature);
    if (!verifier.checkSignature(document)) return undefined;
  } catch {
    // A digest, a signature or a document that does not hold: it comes to the same.
    return undefined;
  }
  const [signed, ...others] = verifier.getSignedReferences();
  return others.length === 0 ? signed : undefined;
}

/** The one algorithm the package may use, with keys that it is not told. */
function configuredKeys(
  name: string,
  isSigned: (octets: string) => boolean,
): SignedXml['SignatureAlgorithms'][string] {
  return class {
    readonly getSignature = (): never => {
      throw new Error('nothing is signed here');
    };
    readonly verifySignature = isSigned;
    readonly getAlgorithmName = (): string => name;
  };
}
