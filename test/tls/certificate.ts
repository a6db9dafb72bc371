import {
  constants,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { element, integer, objectIdentifier, sequence, time } from './der-writer.ts';

/** A certification authority made for one test run: no file, no openssl, nothing that expires in the repository. */
export interface CertificateAuthority {
  /** PEM. */
  readonly certificate: string;
  issue(subject: Subject): TlsIdentity;
  /** An authority that this one vouches for. */
  intermediate(subject: AuthoritySubject): CertificateAuthority;
}

export interface AuthoritySubject {
  readonly name: string;
  readonly pathLength?: number;
  readonly notAfter?: Date;
  readonly isAuthority?: boolean;
  readonly extensions?: readonly Extension[];
  readonly purposes?: readonly string[];
  /** The octet of the bit string. */
  readonly keyUsage?: number;
  /** A new P-256 key pair where it is absent. */
  readonly keys?: KeyPair;
  readonly signature?: SignatureName;
}

/** An attribute of a name: its type as a dotted number, its value, and the tag of its string type (UTF8String). */
export type Attribute = readonly [type: string, value: string | Uint8Array, tag?: number];

export type Extension = readonly [id: string, critical: boolean, value: Uint8Array];

export interface Subject {
  /** Relative distinguished names, most significant first. Default: `CN=a peer`. */
  readonly subject?: readonly (readonly Attribute[])[];
  readonly names?: readonly string[];
  readonly uris?: readonly string[];
  readonly emails?: readonly string[];
  /** Octets, or an IPv4 address. */
  readonly addresses?: readonly (string | Uint8Array)[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Object identifiers. */
  readonly purposes?: readonly string[];
  /** The octet of the bit string. */
  readonly keyUsage?: number;
  readonly extensions?: readonly Extension[];
  /** A new P-256 key pair where it is absent. */
  readonly keys?: KeyPair;
  readonly signature?: SignatureName;
}

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** PEM, as `tls.createServer` and `tls.connect` take them. */
export interface TlsIdentity {
  readonly key: string;
  readonly cert: string;
}

const COMMON_NAME = '2.5.4.3';
export const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

/** Far enough on both sides for clocks that tests move. */
const NOT_BEFORE = new Date('2020-01-01T00:00:00Z');
const NOT_AFTER = new Date('2049-12-31T23:59:59Z');
const DAY_MS = 86_400_000;

export function certificateAuthority(
  name = 'Chancery test authority',
  notAfter = NOT_AFTER,
  more: Omit<AuthoritySubject, 'name' | 'notAfter'> = {},
): CertificateAuthority {
  const keys = more.keys ?? newKeys();
  const certificate = authorityCertificate({ ...more, name, notAfter }, keys, { name, keys });
  return authorityWith(certificate, { name, keys });
}

/** A certificate that vouches for itself. */
export function selfSigned(subject: Subject = {}): TlsIdentity {
  const keys = subject.keys ?? newKeys();
  return identity(subject, keys, { name: 'itself', keys });
}

export function derOf({ cert }: Pick<TlsIdentity, 'cert'>): Buffer {
  return new X509Certificate(cert).raw;
}

function newKeys(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

interface Issuer {
  readonly name: string;
  readonly keys: KeyPair;
}

function authorityWith(certificate: string, issuer: Issuer): CertificateAuthority {
  return {
    certificate,
    issue: (subject) => identity(subject, subject.keys ?? newKeys(), issuer),
    intermediate(subject) {
      const keys = subject.keys ?? newKeys();
      return authorityWith(authorityCertificate(subject, keys, issuer), { name: subject.name, keys });
    },
  };
}

function authorityCertificate(
  { name, pathLength, notAfter, isAuthority = true, ...more }: AuthoritySubject,
  keys: KeyPair,
  issuer: Issuer,
): string {
  const limit = pathLength === undefined ? [] : [integer(Buffer.from([pathLength]))];
  const flag = isAuthority ? [Buffer.from([0x01, 0x01, 0xff])] : [];
  return certificate({
    subject: [[[COMMON_NAME, name]]],
    publicKey: keys.publicKey,
    issuer,
    ...(notAfter === undefined ? {} : { notAfter }),
    ...(more.signature === undefined ? {} : { signature: more.signature }),
    extensions: [
      ['2.5.29.19', true, sequence(...flag, ...limit)],
      ...usages(more),
      ...(more.extensions ?? []),
    ],
  });
}

function identity(subject: Subject, keys: KeyPair, issuer: Issuer): TlsIdentity {
  const names = alternativeNames(subject);
  const all: Extension[] = [
    ...(names === undefined ? [] : [['2.5.29.17', false, names] as const]),
    ...usages(subject),
    ...(subject.extensions ?? []),
  ];
  return {
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: certificate({
      subject: subject.subject ?? [[[COMMON_NAME, 'a peer']]],
      publicKey: keys.publicKey,
      issuer,
      ...(subject.notBefore === undefined ? {} : { notBefore: subject.notBefore }),
      ...(subject.notAfter === undefined ? {} : { notAfter: subject.notAfter }),
      ...(subject.signature === undefined ? {} : { signature: subject.signature }),
      extensions: all,
    }),
  };
}

function usages({ purposes, keyUsage }: Pick<Subject, 'purposes' | 'keyUsage'>): readonly Extension[] {
  return [
    ...(purposes === undefined
      ? []
      : [['2.5.29.37', false, sequence(...purposes.map(objectIdentifier))] as const]),
    ...(keyUsage === undefined
      ? []
      : [['2.5.29.15', true, element(0x03, Buffer.from([0, keyUsage]))] as const]),
  ];
}

export type SignatureName = keyof typeof SIGNATURES;

const NULL = Buffer.from([0x05, 0x00]);
const SHA_256 = sequence(objectIdentifier('2.16.840.1.101.3.4.2.1'), NULL);
const MGF_1 = '1.2.840.113549.1.1.8';
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING };

/** The algorithms that certificates can be signed with: identifier with parameters, hash, padding. */
const SIGNATURES = {
  'ecdsa-sha256': { id: [objectIdentifier('1.2.840.10045.4.3.2')], hash: 'sha256', options: {} },
  'ecdsa-sha1': { id: [objectIdentifier('1.2.840.10045.4.1')], hash: 'sha1', options: {} },
  'rsa-sha256': { id: [objectIdentifier('1.2.840.113549.1.1.11'), NULL], hash: 'sha256', options: {} },
  'rsa-pss-sha256': {
    id: [
      objectIdentifier('1.2.840.113549.1.1.10'),
      sequence(
        element(0xa0, SHA_256),
        element(0xa1, sequence(objectIdentifier(MGF_1), SHA_256)),
        element(0xa2, integer(Buffer.from([32]))),
      ),
    ],
    hash: 'sha256',
    options: { ...PSS, saltLength: 32 },
  },
  // RFC 4055 §3.1: absent parameters mean SHA-1 and a salt of 20 octets.
  'rsa-pss-sha1': {
    id: [objectIdentifier('1.2.840.113549.1.1.10'), sequence()],
    hash: 'sha1',
    options: { ...PSS, saltLength: 20 },
  },
} as const;

interface Contents {
  readonly subject: readonly (readonly Attribute[])[];
  readonly publicKey: KeyObject;
  readonly issuer: Issuer;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly signature?: SignatureName;
  readonly extensions: readonly Extension[];
}

/** RFC 5280 §4.1, signed with ecdsa-with-SHA256 (RFC 5758 §3.2) unless it names another algorithm. */
function certificate({ subject, publicKey, issuer, extensions, ...times }: Contents): string {
  const { id, hash, options } = SIGNATURES[times.signature ?? 'ecdsa-sha256'];
  const notAfter = times.notAfter ?? NOT_AFTER;
  const notBefore =
    times.notBefore ?? (notAfter > NOT_BEFORE ? NOT_BEFORE : new Date(notAfter.getTime() - DAY_MS));
  const algorithm = sequence(...id);
  const toBeSigned = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    distinguishedName([[[COMMON_NAME, issuer.name]]]),
    sequence(time(notBefore), time(notAfter)),
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [element(0xa3, sequence(...extensions.map(extension)))]),
  );
  const signature = sign(hash, toBeSigned, { key: issuer.keys.privateKey, ...options });
  const der = sequence(toBeSigned, algorithm, element(0x03, Buffer.from([0]), signature));
  const lines = der.toString('base64').match(/.{1,64}/gu) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** RFC 5280 §4.2.1.6. */
function alternativeNames({
  names = [],
  uris = [],
  emails = [],
  addresses = [],
}: Subject): Buffer | undefined {
  const all = [
    ...emails.map((email) => element(0x81, Buffer.from(email, 'latin1'))),
    ...names.map((name) => element(0x82, Buffer.from(name, 'latin1'))),
    ...uris.map((uri) => element(0x86, Buffer.from(uri, 'latin1'))),
    ...addresses.map((address) =>
      element(0x87, typeof address === 'string' ? Buffer.from(address.split('.').map(Number)) : address),
    ),
  ];
  return all.length === 0 ? undefined : sequence(...all);
}

function extension([id, critical, value]: Extension): Buffer {
  const flag = critical ? [Buffer.from([0x01, 0x01, 0xff])] : [];
  return sequence(objectIdentifier(id), ...flag, element(0x04, value));
}

export function distinguishedName(parts: readonly (readonly Attribute[])[]): Buffer {
  return sequence(
    ...parts.map((attributes) =>
      element(
        0x31,
        ...attributes.map(([type, value, tag = 0x0c]) =>
          sequence(objectIdentifier(type), element(tag, Buffer.from(value))),
        ),
      ),
    ),
  );
}
