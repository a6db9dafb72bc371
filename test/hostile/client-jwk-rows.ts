import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { BodyRow } from './registration-routes.ts';
import { PLAIN } from './registry.ts';

type Jwk = Readonly<Record<string, unknown>>;

const jwk = (key: KeyObject): Jwk => ({ ...key.export({ format: 'jwk' }) });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const okp = generateKeyPairSync('ed25519');
const RSA = jwk(rsa.publicKey);
const EC = jwk(ec.publicKey);
const ED25519 = jwk(okp.publicKey);
const X25519 = jwk(generateKeyPairSync('x25519').publicKey);
const SECP256K1 = jwk(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey);
const PRIVATE = [rsa.privateKey, ec.privateKey, okp.privateKey].map(jwk);

const text = (value: unknown): string => String(value);
const segment = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const octets = (value: unknown): Buffer => Buffer.from(text(value), 'base64url');

/** Values that the server must neither store nor log. */
export const PRIVATE_VALUES: readonly string[] = PRIVATE.map(({ d }) => text(d));

/** Returns an odd number of exactly `bits` bits. Small factors are unlikely. */
function modulus(bits: number): string {
  const bytes = randomBytes(Math.ceil(bits / 8));
  const top = (bits - 1) % 8;
  bytes[0] = ((bytes[0] ?? 0) & ((1 << top) - 1)) | (1 << top);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 1;
  return segment(bytes);
}

function withModulus(change: (n: bigint) => bigint): Jwk {
  const n = change(BigInt(`0x${octets(RSA['n']).toString('hex')}`));
  const hex = n.toString(16);
  return { ...RSA, n: segment(Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')) };
}

/** The square of an odd number of 1024 bits: Fermat's method finds it at once. */
const CLOSE = ((1n << 1024n) - 105n) ** 2n;

function row(name: string, members: object, expected: BodyRow['expected']): BodyRow {
  return {
    name,
    body: JSON.stringify({ ...PLAIN, ...members }),
    expected,
    check: ({ json }) => assert.deepEqual(json['jwks'], Reflect.get(members, 'jwks')),
  };
}

const refused = (name: string, members: object): BodyRow => row(name, members, 'invalid_client_metadata');
const key = (name: string, ...keys: readonly unknown[]): BodyRow => refused(name, { jwks: { keys } });
const sound = (name: string, ...keys: readonly unknown[]): BodyRow =>
  row(name, { jwks: { keys } }, 'registered');

const SETS: readonly BodyRow[] = [
  refused('H-071 jwks and jwks_uri', {
    jwks: { keys: [EC] },
    jwks_uri: 'https://rp.example.com/jwks.json',
  }),
  ...[{}, { keys: {} }, { keys: [1] }, { keys: [null] }, { keys: [[]] }, 'x', 1, true, { keys: 'x' }].map(
    (jwks) => refused(`H-072 jwks ${JSON.stringify(jwks)}`, { jwks }),
  ),
  refused('H-072 private_key_jwt with an empty jwks', {
    jwks: { keys: [] },
    token_endpoint_auth_method: 'private_key_jwt',
  }),
  key('H-078 21 keys', ...Array.from({ length: 21 }, (_, kid) => ({ ...EC, kid: `${kid}` }))),
  key('H-078 a set of 60 KB', ...Array.from({ length: 400 }, () => ({ ...EC, kid: 'x' }))),
  {
    ...key('H-078 10 000 keys', ...Array.from({ length: 10_000 }, () => EC)),
    expected: 'too_large',
  },
  sound('H-078 20 keys', ...Array.from({ length: 20 }, (_, kid) => ({ ...EC, kid: `${kid}` }))),
  key('H-079 one kid twice', { ...EC, kid: 'a' }, { ...RSA, kid: 'a' }),
  key('H-079 one kid twice for one use', { ...EC, kid: 'a', use: 'sig' }, { ...RSA, kid: 'a', use: 'sig' }),
  key('H-079 a kid of 10 KB', { ...EC, kid: 'k'.repeat(10_240) }),
  key('H-079 a kid that is a number', { ...EC, kid: 1 }),
  ...['../../etc/passwd', "' OR 1=1--", 'http://127.0.0.1/', '__proto__', 'constructor'].map((kid) =>
    sound(`H-079 kid ${JSON.stringify(kid)} is opaque text`, { ...EC, kid }),
  ),
];

const SECRETS: readonly BodyRow[] = [
  ...PRIVATE.map((one) => key(`H-073 a private ${text(one['kty'])} key`, one)),
  ...['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].map((member) =>
    key(`H-073 member ${member} beside a public key`, { ...RSA, [member]: PRIVATE_VALUES[0] }),
  ),
  key('H-073 PEM text in n', { ...RSA, n: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) }),
  key('H-074 a symmetric key', { kty: 'oct', k: PRIVATE_VALUES[1] }),
  key('H-074 a symmetric key behind a sound one', EC, { kty: 'oct', k: PRIVATE_VALUES[1] }),
];

const RSA_KEYS: readonly BodyRow[] = [
  ...[512, 1024, 1536, 2040, 2047].map((bits) =>
    key(`H-075 RSA of ${bits} bits`, { ...RSA, n: modulus(bits) }),
  ),
  ...['AQ', 'Ag', 'Aw', '__8', 'AQAA', 'AAEAAQ', 'AQAAAAAAAAAAAQ', text(RSA['n']), '', 65_537, null].map(
    (e) => key(`H-076 exponent ${JSON.stringify(e).slice(0, 20)}`, { ...RSA, e }),
  ),
  key(
    'H-076 an even modulus',
    withModulus((n) => n + 1n),
  ),
  ...[4104, 8192, 16_384, 32_768, 65_536].map((bits) =>
    key(`H-077 RSA of ${bits} bits`, { ...RSA, n: modulus(bits) }),
  ),
  key(
    'H-084 close primes',
    withModulus(() => CLOSE),
  ),
  key(
    'H-084 a modulus divisible by 3',
    withModulus((n) => n - (n % 6n) + 3n),
  ),
  key(
    'H-084 a modulus divisible by 751',
    withModulus((n) => n - (n % 1502n) + 751n),
  ),
];

const CURVES: readonly BodyRow[] = [
  key('H-080 a point that is not on the curve', { ...EC, y: EC['x'] }),
  key('H-080 the point (0,0)', { ...EC, x: segment(new Uint8Array(32)), y: segment(new Uint8Array(32)) }),
  key('H-080 x of 31 bytes', { ...EC, x: segment(octets(EC['x']).subarray(1)) }),
  key('H-080 x of 33 bytes', { ...EC, x: segment(Buffer.concat([Buffer.alloc(1), octets(EC['x'])])) }),
  key('H-080 no y', { kty: 'EC', crv: 'P-256', x: EC['x'] }),
  key('H-080 coordinates beyond the field', {
    ...EC,
    x: segment(Buffer.alloc(32, 0xff)),
    y: segment(Buffer.alloc(32, 0xff)),
  }),
  key('H-080 secp256k1', SECP256K1),
  ...['P-192', 'brainpoolP256r1', 'p-256', '', 256, null, ['P-256']].map((crv) =>
    key(`H-080 curve ${JSON.stringify(crv)}`, { ...EC, crv }),
  ),
  key('H-081 X25519 to sign with', { ...X25519, use: 'sig' }),
  key('H-081 Ed448', { kty: 'OKP', crv: 'Ed448', x: 'A'.repeat(76) }),
  key('H-081 an unknown OKP curve', { ...ED25519, crv: 'Ed1' }),
  key('H-081 no kty', { crv: 'P-256', x: EC['x'], y: EC['y'] }),
  key('H-081 kty that is a number', { ...EC, kty: 2 }),
  sound('H-081 kty "rsa" is not known, kept and never used (RFC 7517 §5)', { ...RSA, kty: 'rsa' }),
  sound('H-081 a key type of the future (RFC 7517 §5)', { kty: 'AKP', pub: 'AAAA' }, ED25519),
];

const base64url = [
  ['padding', (value: string) => `${value}=`],
  ['+', (value: string) => `+${value.slice(1)}`],
  ['/', (value: string) => `/${value.slice(1)}`],
  ['a space', (value: string) => `${value.slice(0, 5)} ${value.slice(5)}`],
  ['a newline', (value: string) => `${value}\n`],
  ['a character too many', (value: string) => `${value}A`],
  // 32 bytes end with a character of four significant bits: `B` and `A` decode to the same there.
  ['trailing bits', (value: string) => value.slice(0, -1) + nextCharacter(value)],
] as const;

function nextCharacter(value: string): string {
  return String.fromCharCode(text(value.at(-1)).charCodeAt(0) + 1);
}

const NAMES: readonly BodyRow[] = [
  key('H-082 key_ops against use', { ...EC, use: 'sig', key_ops: ['encrypt'] }),
  key('H-082 key_ops of a private key', { ...EC, key_ops: ['sign'] }),
  key('H-082 use both', { ...EC, use: 'both' }),
  key('H-082 use that is an array', { ...EC, use: ['sig'] }),
  key('H-082 alg of another type', { ...EC, alg: 'RS256' }),
  key('H-082 alg none', { ...EC, alg: 'none' }),
  key('H-082 alg HS256', { ...RSA, alg: 'HS256' }),
  key('H-082 x5c that is no certificate', { ...EC, x5c: ['AAAA'] }),
  key('H-082 x5c that is a string', { ...EC, x5c: 'AAAA' }),
  key('H-082 x5u', { ...EC, x5u: 'https://rp.example.com/x5u' }),
  ...base64url.map(([name, change]) => key(`H-083 x with ${name}`, { ...EC, x: change(text(EC['x'])) })),
  ...base64url
    .slice(0, 5)
    .map(([name, change]) => key(`H-083 n with ${name}`, { ...RSA, n: change(text(RSA['n'])) })),
];

/** H-071…H-084: a client's keys. */
export const CLIENT_JWKS: readonly BodyRow[] = [
  ...SETS,
  ...SECRETS,
  ...RSA_KEYS,
  ...CURVES,
  ...NAMES,
  sound('RSA, EC and OKP keys are kept as they were sent', { ...RSA, kid: 'r' }, EC, ED25519, X25519),
];
