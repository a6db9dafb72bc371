import type { KeyObject } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, importJWK } from 'jose';
import {
  JWE_LENGTH_MAX,
  type JweDecrypter,
  type JweDecryption,
  type JweEncrypter,
  type JweProfile,
  type JweRefusal,
} from '../ports/jwe.ts';
import { KEYS_TRIED_MAX } from '../ports/jwt-verifier.ts';
import { type KeyManagementAlgorithm, suits } from '../spec/jose-algorithms.ts';
import type { JsonObject } from '../spec/json.ts';
import { publicJwk } from '../spec/jwk.ts';
import { canonicalOctets, parseObject } from './compact-jws.ts';
import { privateKeys } from './private-keys.ts';

export const joseJweEncrypter: JweEncrypter = {
  async encrypt(plaintext, recipient, { alg, enc, ...named }) {
    if (!suits(recipient, alg, 'encrypt'))
      throw new TypeError(`the recipient's key cannot be used with ${alg}`);
    const key = await importJWK({ ...publicJwk(recipient), kty: String(recipient['kty']) }, alg);
    return await new CompactEncrypt(Buffer.from(plaintext))
      .setProtectedHeader({ alg, enc, ...named })
      .encrypt(key);
  },
};

export function joseJweDecrypter(): JweDecrypter {
  const keyOf = privateKeys();
  return {
    async decrypt(jwe, keys, profile) {
      const read = readHeader(jwe, profile);
      if ('reason' in read) return refused(read.reason);
      const { algorithm, header } = read;
      const candidates = keys.filter(
        (key) =>
          (header['kid'] === undefined || key['kid'] === header['kid']) && suits(key, algorithm, 'decrypt'),
      );
      if (candidates.length === 0) return refused('unknown-key');
      for (const key of candidates.slice(0, KEYS_TRIED_MAX)) {
        const plaintext = await decryptedWith(() => keyOf(key), jwe, profile);
        if (plaintext !== undefined) return { decrypted: true, plaintext, header };
      }
      return refused('decryption');
    },
  };
}

const refused = (reason: JweRefusal): JweDecryption => ({ decrypted: false, reason });

/** RFC 7516 §7.1. The second segment is empty with direct key agreement. */
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]+)$/;

/** Refused header members: RFC 7516 §4.1.3 and §4.1.13, RFC 7797 §3. With RFC 7518 §4.8.1.2 the sender would choose our hashing rounds. */
const REFUSED_MEMBERS = ['zip', 'crit', 'b64', 'p2c', 'p2s'];

type Header = JsonObject['members'];

function readHeader(
  jwe: string,
  { algorithms, encryptions, lengthMax = JWE_LENGTH_MAX }: JweProfile,
): { readonly header: Header; readonly algorithm: KeyManagementAlgorithm } | { readonly reason: JweRefusal } {
  if (jwe.length > lengthMax) return { reason: 'too-large' };
  const segments = COMPACT.exec(jwe)?.slice(1).map(canonicalOctets) ?? [];
  const [first] = segments;
  if (first === undefined || segments.includes(undefined)) return { reason: 'malformed' };
  const header = parseObject(first)?.members;
  if (header === undefined) return { reason: 'malformed' };
  if (!isPlain(header)) return { reason: 'header' };
  const algorithm = algorithms.find((allowed) => allowed === header['alg']);
  if (algorithm === undefined || !encryptions.some((allowed) => allowed === header['enc']))
    return { reason: 'algorithm' };
  return { header, algorithm };
}

function isPlain(header: Header): boolean {
  if (REFUSED_MEMBERS.some((member) => member in header)) return false;
  return ['kid', 'typ', 'cty'].every(
    (name) => header[name] === undefined || typeof header[name] === 'string',
  );
}

async function decryptedWith(
  keyOf: () => KeyObject,
  jwe: string,
  { algorithms, encryptions }: JweProfile,
): Promise<string | undefined> {
  try {
    const { plaintext } = await compactDecrypt(jwe, keyOf(), {
      keyManagementAlgorithms: [...algorithms],
      contentEncryptionAlgorithms: [...encryptions],
      maxDecompressedLength: 0,
    });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plaintext);
  } catch {
    // RFC 7516 §11.5: the sender must not learn which step failed.
    return undefined;
  }
}
