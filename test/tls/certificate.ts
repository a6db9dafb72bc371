import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A certification authority made for one test run: no file, no openssl, nothing that expires in the repository. */
export interface CertificateAuthority {
  /** PEM. */
  readonly certificate: string;
  issue(subject: Subject): ServerIdentity;
}

export interface Subject {
  readonly names?: readonly string[];
  /** IPv4. */
  readonly addresses?: readonly string[];
  readonly notAfter?: Date;
}

/** PEM, as `tls.createServer` takes them. */
export interface ServerIdentity {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;
const CA_NAME = 'Chancery test authority';

export function certificateAuthority(): CertificateAuthority {
  const ca = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const notAfter = new Date(Date.now() + DAY_MS);
  return {
    certificate: certificate({
      subject: CA_NAME,
      publicKey: ca.publicKey,
      signer: ca.privateKey,
      notAfter,
      extensions: [extension('2.5.29.19', true, sequence(Buffer.from([0x01, 0x01, 0xff])))],
    }),
    issue(subject) {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return {
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }),
        cert: certificate({
          subject: 'a peer',
          publicKey: own.publicKey,
          signer: ca.privateKey,
          notAfter: subject.notAfter ?? notAfter,
          extensions: [extension('2.5.29.17', false, alternativeNames(subject))],
        }),
      };
    },
  };
}

interface Contents {
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly notAfter: Date;
  readonly extensions: readonly Buffer[];
}

/** RFC 5280 §4.1, signed with ecdsa-with-SHA256 (RFC 5758 §3.2). */
function certificate({ subject, publicKey, signer, notAfter, extensions }: Contents): string {
  const algorithm = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
  const toBeSigned = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    distinguishedName(CA_NAME),
    sequence(time(new Date(notAfter.getTime() - 10 * DAY_MS)), time(notAfter)),
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', toBeSigned, signer);
  const der = sequence(toBeSigned, algorithm, element(0x03, Buffer.from([0]), signature));
  const lines = der.toString('base64').match(/.{1,64}/gu) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function alternativeNames({ names = [], addresses = [] }: Subject): Buffer {
  return sequence(
    ...names.map((name) => element(0x82, Buffer.from(name, 'ascii'))),
    ...addresses.map((address) => {
      if (!isIPv4(address)) throw new TypeError(`${address} is not an IPv4 address`);
      return element(0x87, Buffer.from(address.split('.').map(Number)));
    }),
  );
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [Buffer.from([0x01, 0x01, 0xff])] : [];
  return sequence(objectIdentifier(id), ...flag, element(0x04, value));
}

function distinguishedName(commonName: string): Buffer {
  const attribute = sequence(objectIdentifier('2.5.4.3'), element(0x0c, Buffer.from(commonName)));
  return sequence(element(0x31, attribute));
}

/** GeneralizedTime. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/gu, '');
  return element(0x18, Buffer.from(digits, 'ascii'));
}

function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...more] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...more.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    digits.unshift(128 + (rest % 128));
  }
  return digits;
}

function integer(value: Buffer): Buffer {
  return element(0x02, value);
}

function sequence(...content: Buffer[]): Buffer {
  return element(0x30, ...content);
}

/** X.690 §8.1: tag, length, value. */
function element(tag: number, ...content: Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const length =
    value.length < 128 ? [value.length] : [0x82, Math.floor(value.length / 256), value.length % 256];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}
