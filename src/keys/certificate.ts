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
import { type AlternativeNames, NO_NAMES, readAlternativeNames } from './alternative-names.ts';

/** What a certificate says, read from its DER (RFC 5280 §4.1). Nothing here says that it is true. */
export interface Certificate {
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
  readonly subject: DistinguishedName;
  readonly names: AlternativeNames;
  /** Seconds since the epoch, both included (RFC 5280 §4.1.2.5). */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Object identifier of the algorithm it was signed with. */
  readonly signatureAlgorithm: string;
  /** Bits as named by RFC 5280 §4.2.1.3; undefined where the extension is absent. */
  readonly keyUsage: ReadonlySet<KeyUsage> | undefined;
  /** Object identifiers; undefined where the extension is absent. */
  readonly extendedKeyUsage: readonly string[] | undefined;
  /** How many further authorities may stand between it and the last certificate; Infinity where it does not say. */
  readonly pathLength: number;
  /** Critical extensions that are not understood here: RFC 5280 §4.2 makes whoever meets one refuse the certificate. */
  readonly notUnderstood: readonly string[];
}

export type KeyUsage = 'digitalSignature' | 'keyAgreement' | 'keyCertSign' | 'other';

const EXTENSIONS = {
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
} as const;

const UNDERSTOOD: ReadonlySet<string> = new Set(Object.values(EXTENSIONS));

const CERTIFICATE_BYTES_MAX = 16_384;

/** @returns undefined for what is not one certificate in DER, or is one that OpenSSL cannot read */
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
    signatureAlgorithm: readObjectIdentifier(readInside(algorithm, DER_TAGS.sequence)[0]),
    keyUsage: readKeyUsage(extensions.get(EXTENSIONS.keyUsage)),
    extendedKeyUsage: readPurposes(extensions.get(EXTENSIONS.extendedKeyUsage)),
    pathLength: readPathLength(extensions.get(EXTENSIONS.basicConstraints)),
    notUnderstood: [...extensions].flatMap(([id, { critical }]) =>
      critical && !UNDERSTOOD.has(id) ? [id] : [],
    ),
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
    if (extensions.has(id)) throw new MalformedDer('an extension that stands twice');
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
