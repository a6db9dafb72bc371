import { generateKeyPairSync } from 'node:crypto';
import { type DpopKey, dpopKey, type ProofOf } from '../../src/testing/dpop.ts';
import { segment } from '../../src/testing/jwt.ts';

/** A DPoP header that no endpoint accepts (RFC 9449 §4.3). */
export interface ProofRow {
  readonly row: string;
  readonly what: string;
  /** The value of the header. */
  readonly header: string;
  /** In the answer. */
  readonly words: RegExp;
}

const KEY = dpopKey();

const weakRsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
const privateJwk = KEY.key.privateKey.export({ format: 'jwk' });

/** Returns the rows for a request. They are made when they are sent: proofs age. */
export function proofRows(base: ProofOf, key: DpopKey = KEY): readonly ProofRow[] {
  const proof = (change: Partial<ProofOf> = {}): string => key.proof({ ...base, ...change });
  const claim = (claims: object): string => proof({ claims });
  const header = (members: object): string => proof({ header: members });
  const good = proof();
  const [head = '', payload = '', signature = ''] = good.split('.');
  const { address, now } = base;
  const { origin, host, pathname } = new URL(address);
  return [
    ...named('H-580', /^the DPoP proof must be one signed JWT$/, {
      'that is no JWT': 'x',
      'of two proofs, joined by a comma': `${good}, ${proof()}`,
      'without a signature': `${head}.${payload}.`,
      'in JSON form': JSON.stringify({ payload, protected: head, signature }),
      'of 9,000 characters': claim({ padding: 'x'.repeat(9000) }),
      'with padding': `${good}=`,
      'whose claims are an array': `${head}.${segment('[]')}.${signature}`,
      'with a claim twice': `${head}.${segment('{"jti":"a","jti":"b"}')}.${signature}`,
      'with crit': header({ crit: ['exp'], exp: 1 }),
      'with b64': header({ b64: false }),
    }),
    ...named('H-581', /^the DPoP proof must have typ dpop\+jwt$/, {
      'without typ': header({ typ: undefined }),
      'with typ JWT': header({ typ: 'JWT' }),
      'with typ at+jwt': header({ typ: 'at+jwt' }),
    }),
    ...named('H-581', /^the DPoP proof must have an alg among /, {
      'with alg none': header({ alg: 'none' }),
      'with a MAC': header({ alg: 'HS256' }),
      'without alg': header({ alg: undefined }),
    }),
    ...named('H-582', /^the DPoP proof must have a public key/, {
      'without a key': header({ jwk: undefined }),
      'with its private key': header({ jwk: privateJwk }),
      'with a symmetric key': header({ jwk: { kty: 'oct', k: 'AAAA' } }),
      'with an RSA key of 1024 bits': header({ jwk: weakRsa }),
      'with a key as text': header({ jwk: JSON.stringify(key.jwk) }),
      'with a list of keys': header({ jwk: [key.jwk] }),
      'with a point that is not on the curve': header({ jwk: { ...key.jwk, y: key.jwk['x'] } }),
      'with x5u in its key': header({ jwk: { ...key.jwk, x5u: 'https://127.0.0.1/' } }),
      'with jku instead of a key': header({ jwk: undefined, jku: 'https://127.0.0.1/' }),
    }),
    ...named('H-583', /^the DPoP proof is not signed with the key in its header$/, {
      'by another key': header({ jwk: dpopKey().jwk }),
      'with a changed signature': `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      'with the algorithm of another key type': header({ alg: 'RS256' }),
      'with the signature of another proof': `${head}.${payload}.${proof().split('.')[2] ?? ''}`,
    }),
    ...named('H-584', /^the DPoP proof (?:must have (?:a jti|htm|htu|an iat)|has an iat|is too old)/, {
      'without jti': claim({ jti: undefined }),
      'with an empty jti': claim({ jti: '' }),
      'with a number as jti': claim({ jti: 1 }),
      'with a jti of 257 characters': claim({ jti: 'x'.repeat(257) }),
      'without htm': claim({ htm: undefined }),
      'with htm GET': claim({ htm: base.method === 'GET' ? 'POST' : 'GET' }),
      'with htm in lower case': claim({ htm: base.method.toLowerCase() }),
      'without htu': claim({ htu: undefined }),
      'with a path as htu': claim({ htu: pathname }),
      'for another server': claim({ htu: address.replace(host, 'other.example') }),
      'for a host that begins like ours': claim({ htu: address.replace(host, `${host}.evil.example`) }),
      'for our host as user name': claim({ htu: `${origin}@evil.example${pathname}` }),
      'for another path': claim({ htu: `${address}/` }),
      'for a list of addresses': claim({ htu: [address] }),
      'without iat': claim({ iat: undefined }),
      'with iat as text': claim({ iat: String(now) }),
      'from the future': claim({ iat: now + 3600 }),
      'from an hour ago': claim({ iat: now - 3600 }),
      'with iat 1e300': claim({ iat: 1e300 }),
      'with iat in milliseconds': claim({ iat: now * 1000 }),
      'with a negative iat': claim({ iat: -now }),
    }),
  ];
}

function named(row: string, words: RegExp, rows: Readonly<Record<string, string>>): ProofRow[] {
  return Object.entries(rows).map(([what, header]) => ({ row, what, header, words }));
}

/** Spellings of the address that every endpoint accepts: RFC 9449 §4.3 ignores query and fragment, and RFC 3986 §6.2.2 case. */
export const SPELLINGS = (address: string): readonly string[] => {
  const { protocol, host, pathname } = new URL(address);
  return [
    address,
    `${address}?query=1`,
    `${address}#fragment`,
    `${protocol.toUpperCase()}//${host.toUpperCase()}${pathname}`,
  ];
};
