import {
  attributeOf,
  childrenOf,
  elementsOf,
  hasElementContent,
  isNamed,
  textOf,
  type XmlElement,
} from './xml.ts';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const EXCLUSIVE_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = `${DSIG}enveloped-signature`;
const DIGESTS = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);

const NCNAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/;
const PREFIX_LIST = /^[A-Za-z0-9_.-]+(?: [A-Za-z0-9_.-]+){0,15}$/;

/** The parts of a signature of the accepted form. */
export interface SignatureForm {
  readonly signature: XmlElement;
  readonly signatureMethod: string;
  readonly signatureValue: Uint8Array;
}

/**
 * Reads the signature if it has the one accepted form; otherwise returns undefined. The document has one signature, a child
 * of the root, with one reference to the root's ID. It uses exclusive canonicalisation without comments and the enveloped
 * transform, and every member stands once and in its place (SAML 2.0 Core §5.4). Two tools cannot read this form in two
 * ways, so signature wrapping is impossible.
 */
export function signatureForm(root: XmlElement): SignatureForm | undefined {
  const all = [...elementsOf(root)];
  const named = all.filter(({ local }) => local === 'Signature' || local === 'SignedInfo');
  const [signature] = childrenOf(root, DSIG, 'Signature');
  const id = attributeOf(root, 'ID');
  if (id === undefined || !NCNAME.test(id) || !idsAreUnique(all)) return undefined;
  if (named.length !== 2 || signature === undefined) return undefined;
  const [signedInfo, value, keyInfo, ...others] = signature.children;
  if (signedInfo === undefined || value === undefined || others.length > 0) return undefined;
  if (!hasElementContent(signature) || !isNamed(signedInfo, DSIG, 'SignedInfo')) return undefined;
  if (!isNamed(value, DSIG, 'SignatureValue')) return undefined;
  if (keyInfo !== undefined && !isNamed(keyInfo, DSIG, 'KeyInfo')) return undefined;
  const signatureMethod = signedInfoMethod(signedInfo, id);
  const signatureValue = base64(textOf(value));
  return signatureMethod === undefined || signatureValue === undefined
    ? undefined
    : { signature, signatureMethod, signatureValue };
}

/** Tells whether all IDs differ. With a repeated ID two tools may find two signed elements; some tools read `Id`, `id` or `xml:id`. */
function idsAreUnique(all: readonly XmlElement[]): boolean {
  const ids = all.flatMap(({ attributes }) =>
    attributes.filter(({ local }) => local.toLowerCase() === 'id').map(({ value }) => value),
  );
  return new Set(ids).size === ids.length;
}

/** Returns the signature method of a SignedInfo of the accepted form. */
function signedInfoMethod(signedInfo: XmlElement, id: string): string | undefined {
  const [c14n, method, reference] = signedInfo.children;
  if (!hasElementContent(signedInfo) || signedInfo.children.length !== 3) return undefined;
  if (c14n === undefined || method === undefined || reference === undefined) return undefined;
  if (!isNamed(c14n, DSIG, 'CanonicalizationMethod') || !isNamed(method, DSIG, 'SignatureMethod'))
    return undefined;
  // Empty elements leave no place for an HMACOutputLength or a PrefixList.
  if (!isEmpty(c14n) || attributeOf(c14n, 'Algorithm') !== EXCLUSIVE_C14N || !isEmpty(method))
    return undefined;
  return isReferenceTo(reference, id) ? attributeOf(method, 'Algorithm') : undefined;
}

function isReferenceTo(reference: XmlElement, id: string): boolean {
  const [transforms, method, value, ...others] = reference.children;
  if (!isNamed(reference, DSIG, 'Reference') || attributeOf(reference, 'URI') !== `#${id}`) return false;
  if (transforms === undefined || method === undefined || value === undefined || others.length > 0)
    return false;
  if (!isNamed(method, DSIG, 'DigestMethod') || !isNamed(value, DSIG, 'DigestValue')) return false;
  return (
    hasElementContent(reference) &&
    isEmpty(method) &&
    DIGESTS.has(attributeOf(method, 'Algorithm') ?? '') &&
    base64(textOf(value)) !== undefined &&
    areTheTransforms(transforms)
  );
}

/** SAML 2.0 Core §5.4.4: "SHOULD NOT contain transforms other than the enveloped signature transform … or the exclusive canonicalization transforms". */
function areTheTransforms(transforms: XmlElement): boolean {
  const [enveloped, c14n, ...others] = childrenOf(transforms, DSIG, 'Transform');
  if (!isNamed(transforms, DSIG, 'Transforms') || transforms.children.length !== 2) return false;
  if (enveloped === undefined || c14n === undefined || others.length > 0) return false;
  return (
    hasElementContent(transforms) &&
    isEmpty(enveloped) &&
    attributeOf(enveloped, 'Algorithm') === ENVELOPED &&
    attributeOf(c14n, 'Algorithm') === EXCLUSIVE_C14N &&
    hasElementContent(c14n) &&
    c14n.children.length <= 1 &&
    c14n.children.every(isPrefixList)
  );
}

/** Accepts a list of prefixes that content uses (Exclusive XML Canonicalization 1.0 §4), such as the one in `xsi:type="xs:string"`. */
function isPrefixList(element: XmlElement): boolean {
  return (
    isNamed(element, EXCLUSIVE_C14N, 'InclusiveNamespaces') &&
    isEmpty(element) &&
    PREFIX_LIST.test(attributeOf(element, 'PrefixList') ?? '')
  );
}

const isEmpty = (element: XmlElement): boolean => element.children.length === 0 && hasElementContent(element);

/** Decodes canonical base64, with or without line breaks. */
function base64(text: string | undefined): Uint8Array | undefined {
  const compact = text?.replace(/[ \t\r\n]/g, '');
  if (compact === undefined || compact === '') return undefined;
  const octets = Buffer.from(compact, 'base64');
  return octets.toString('base64') === compact ? octets : undefined;
}
