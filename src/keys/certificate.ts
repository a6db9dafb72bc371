import { type KeyObject, X509Certificate } from 'node:crypto';
import {
  contentOf,
  DER_TAGS,
  type DerElement,
  MalformedDer,
  readDer,
  readInside,
  readObjectIdentifier,
} from '../spec/der.ts';
import { type DistinguishedName, readName } from '../spec/distinguished-name.ts';

/** The contents of a certificate, read from its DER (RFC 5280 §4.1). Nothing is verified. */
export interface Certificate {
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
  readonly subject: DistinguishedName;
  readonly names: AlternativeNames;
  /** Seconds since the epoch, both included (RFC 5280 §4.1.2.5). */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Object identifier of the algorithm that signed it. */
  readonly signatureAlgorithm: string;
  /** Object identifier of the hash of an RSASSA-PSS signature; undefined for SHA-1, its default (RFC 4055 §3.1). */
  readonly pssHash: string | undefined;
  /** Bits as named by RFC 5280 §4.2.1.3; undefined without the extension. */
  readonly keyUsage: ReadonlySet<KeyUsage> | undefined;
  /** Object identifiers; undefined without the extension. */
  readonly extendedKeyUsage: readonly string[] | undefined;
  /** The most authorities between it and the last certificate; Infinity without a constraint. */
  readonly pathLength: number;
  /** Whether it limits the names below it (RFC 5280 §4.2.1.10), marked critical or not. */
  readonly hasNameConstraints: boolean;
  /** The client's bit of Netscape's certificate type, which OpenSSL still obeys; undefined without the extension. */
  readonly netscapeType: 'client' | 'no client' | undefined;
  /** Unknown critical extensions. RFC 5280 §4.2: a system must reject a certificate that has one. */
  readonly notUnderstood: readonly string[];
}

export type KeyUsage = 'digitalSignature' | 'keyAgreement' | 'keyCertSign' | 'other';

const EXTENSIONS = {
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  nameConstraints: '2.5.29.30',
  // RFC 5280 §6.1.1: a path without required policies is valid under any. Constraints on policies are not understood.
  certificatePolicies: '2.5.29.32',
  netscapeType: '2.16.840.1.113730.1.1',
} as const;

const UNDERSTOOD: ReadonlySet<string> = new Set(Object.values(EXTENSIONS));

const CERTIFICATE_BYTES_MAX = 16_384;

/** Reads one certificate in DER. Returns undefined if it is malformed, too large, or unreadable for OpenSSL. */
export function readCertificate(der: Uint8Array): Certificate | undefined {
  if (der.length > CERTIFICATE_BYTES_MAX) return undefined;
  try {
    return certificateIn(der);
  } catch (failure) {
    if (failure instanceof MalformedDer || isOpenSslError(failure)) return undefined;
    throw failure;
  }
}

const isOpenSslError = (failure: unknown): boolean =>
  failure instanceof Error && 'code' in failure && String(failure.code).startsWith('ERR_OSSL');

function certificateIn(der: Uint8Array): Certificate {
  const [outer, ...more] = readDer(der);
  if (more.length > 0) throw new MalformedDer('something follows the certificate');
  const [toBeSigned, algorithm] = readInside(outer, DER_TAGS.sequence);
  // RFC 5280 §4.1: version, serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo, then tagged ones.
  const fields = readInside(toBeSigned, DER_TAGS.sequence);
  const [, , , , validity, subject, , ...tagged] = fields[0]?.tag === 0xa0 ? fields : [undefined, ...fields];
  const extensions = readExtensions(tagged.find((element) => element?.tag === 0xa3));
  const [notBefore, notAfter] = readInside(validity, DER_TAGS.sequence).map(readTime);
  if (notBefore === undefined || notAfter === undefined) throw new MalformedDer('a validity');
  const names = extensions.get(EXTENSIONS.subjectAltName);
  const x509 = new X509Certificate(der);
  return {
    x509,
    publicKey: x509.publicKey,
    subject: readName(subject),
    names: names === undefined ? NO_NAMES : readAlternativeNames(names.value),
    notBefore,
    notAfter,
    ...readSignatureAlgorithm(algorithm),
    keyUsage: readKeyUsage(extensions.get(EXTENSIONS.keyUsage)),
    extendedKeyUsage: readPurposes(extensions.get(EXTENSIONS.extendedKeyUsage)),
    pathLength: readPathLength(extensions.get(EXTENSIONS.basicConstraints)),
    hasNameConstraints: extensions.has(EXTENSIONS.nameConstraints),
    netscapeType: readNetscapeType(extensions.get(EXTENSIONS.netscapeType)),
    notUnderstood: [...extensions].flatMap(([id, { critical }]) =>
      critical && !UNDERSTOOD.has(id) ? [id] : [],
    ),
  };
}

/** RFC 4055 §3.1: the parameters of RSASSA-PSS are a sequence, whose hash has the tag 0. Other parameters say nothing. */
function readSignatureAlgorithm(
  algorithm: DerElement | undefined,
): Pick<Certificate, 'signatureAlgorithm' | 'pssHash'> {
  const [id, parameters] = readInside(algorithm, DER_TAGS.sequence);
  const tagged =
    parameters?.tag === DER_TAGS.sequence
      ? readDer(parameters.content).find(({ tag }) => tag === 0xa0)
      : undefined;
  const [hash] = tagged === undefined ? [] : readDer(tagged.content);
  return {
    signatureAlgorithm: readObjectIdentifier(id),
    pssHash: hash === undefined ? undefined : readObjectIdentifier(readInside(hash, DER_TAGS.sequence)[0]),
  };
}

interface Extension {
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** RFC 5280 §4.2: "A certificate MUST NOT include more than one instance of a particular extension." */
function readExtensions(tagged: DerElement | undefined): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  const [list] = tagged === undefined ? [] : readInside(tagged, 0xa3);
  for (const each of list === undefined ? [] : readInside(list, DER_TAGS.sequence)) {
    const parts = readInside(each, DER_TAGS.sequence);
    const id = readObjectIdentifier(parts[0]);
    if (extensions.has(id)) throw new MalformedDer('a repeated extension');
    const critical = parts[1]?.tag === DER_TAGS.boolean && parts[1].content[0] !== 0;
    extensions.set(id, { critical, value: contentOf(parts.at(-1), DER_TAGS.octetString) });
  }
  return extensions;
}

/** RFC 5280 §4.2.1.3, the bits by their number. */
const KEY_USAGES: readonly KeyUsage[] = [
  'digitalSignature',
  'other',
  'other',
  'other',
  'keyAgreement',
  'keyCertSign',
];

function readKeyUsage(extension: Extension | undefined): ReadonlySet<KeyUsage> | undefined {
  if (extension === undefined) return undefined;
  const [, octet = 0] = contentOf(readDer(extension.value)[0], DER_TAGS.bitString);
  return new Set(KEY_USAGES.filter((_, bit) => (octet & (0x80 >> bit)) !== 0));
}

function readPurposes(extension: Extension | undefined): readonly string[] | undefined {
  if (extension === undefined) return undefined;
  return readInside(readDer(extension.value)[0], DER_TAGS.sequence).map(readObjectIdentifier);
}

/** Reads the first bit, "SSL client". */
function readNetscapeType(extension: Extension | undefined): Certificate['netscapeType'] {
  if (extension === undefined) return undefined;
  const [, octet = 0] = contentOf(readDer(extension.value)[0], DER_TAGS.bitString);
  return (octet & 0x80) === 0 ? 'no client' : 'client';
}

/** RFC 5280 §4.2.1.9: an absent pathLenConstraint sets no limit. */
function readPathLength(extension: Extension | undefined): number {
  if (extension === undefined) return Number.POSITIVE_INFINITY;
  const length = readInside(readDer(extension.value)[0], DER_TAGS.sequence).find(
    ({ tag }) => tag === DER_TAGS.integer,
  );
  if (length === undefined) return Number.POSITIVE_INFINITY;
  return length.content.reduce((sum, octet) => sum * 256 + octet, 0);
}

/** RFC 5280 §4.1.2.5: UTCTime for the years 1950 to 2049, GeneralizedTime, both in GMT and with seconds. */
function readTime({ tag, content }: DerElement): number {
  const text = Buffer.from(content).toString('latin1');
  const short = /^(\d{2})(\d{10})Z$/.exec(text);
  const digits =
    tag === 0x17 && short !== null
      ? `${Number(short[1]) < 50 ? 20 : 19}${short[1]}${short[2]}`
      : tag === 0x18 && /^\d{14}Z$/.test(text)
        ? text.slice(0, 14)
        : '';
  const iso = digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z');
  const time = Date.parse(iso);
  if (Number.isNaN(time)) throw new MalformedDer('a time');
  return time / 1000;
}

/**
 * The names of a subjectAltName extension by their kind (RFC 5280 §4.2.1.6), exactly as in the certificate. They are read from
 * the DER, because Node's text form has to quote them, and its quoting has failed before (CVE-2021-44532).
 */
export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly uri: readonly string[];
  readonly email: readonly string[];
  /** 4 or 16 octets each. */
  readonly ip: readonly Uint8Array[];
}

const NO_NAMES: AlternativeNames = { dns: [], uri: [], email: [], ip: [] };

const TAGS = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const;

/** @throws MalformedDer also for a name with characters outside visible ASCII: a NUL ends a name for some readers only */
function readAlternativeNames(extension: Uint8Array): AlternativeNames {
  const [list, ...more] = readDer(extension);
  if (more.length > 0) throw new MalformedDer('something follows the names');
  const names = readInside(list, DER_TAGS.sequence);
  const texts = (kind: number): readonly string[] => names.filter(({ tag }) => tag === kind).map(visibleText);
  return {
    dns: texts(TAGS.dns),
    uri: texts(TAGS.uri),
    email: texts(TAGS.email),
    ip: names.filter(({ tag }) => tag === TAGS.ip).map(({ content }) => content),
  };
}

/** Reads an IA5String without control characters and spaces, which these names never have (RFC 5280 §4.2.1.6). */
function visibleText({ content }: DerElement): string {
  const text = Buffer.from(content).toString('latin1');
  if (!/^[\x21-\x7e]+$/.test(text)) throw new MalformedDer('a name that is not visible ASCII');
  return text;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of authorities from a PEM text (RFC 7468 §5) and ignores text between them. Returns undefined if
 * there is none, or if one is unreadable or not an authority's.
 */
export function readCertificateAuthorities(pem: string): readonly Certificate[] | undefined {
  const blocks = pem.match(BLOCK) ?? [];
  const authorities = blocks.flatMap((block) => {
    const certificate = certificateInPem(block);
    return certificate?.x509.ca === true ? [certificate] : [];
  });
  return blocks.length > 0 && authorities.length === blocks.length ? authorities : undefined;
}

function certificateInPem(block: string): Certificate | undefined {
  try {
    return readCertificate(new X509Certificate(block).raw);
  } catch {
    return undefined;
  }
}

const RSA_BITS_MIN = 2048;
const CURVES = new Set<unknown>(['prime256v1', 'secp384r1', 'secp521r1']);

/**
 * Returns the public key of a certificate in PEM, or the problem with it. Takes nothing but the key: issuers of assertions use
 * self-signed certificates and let them expire. The configuration decides which issuers are trusted, and until when.
 */
export function certificateKey(pem: string): { readonly key: KeyObject } | { readonly problem: string } {
  const key = publicKeyOf(pem);
  if (key === undefined) return { problem: 'is not a certificate that can be read' };
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa') {
    const isWeak = (details?.modulusLength ?? 0) < RSA_BITS_MIN || details?.publicExponent !== 65_537n;
    return isWeak
      ? { problem: `has an RSA key of fewer than ${RSA_BITS_MIN} bits or with an exponent other than 65537` }
      : { key };
  }
  const isKnown = type === 'ec' && CURVES.has(details?.namedCurve);
  return isKnown ? { key } : { problem: 'has a key that is neither RSA nor of P-256, P-384 or P-521' };
}

function publicKeyOf(pem: string): KeyObject | undefined {
  try {
    return new X509Certificate(pem).publicKey;
  } catch {
    return undefined;
  }
}
