import { createHash, timingSafeEqual } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import { objectOf } from '../http.ts';
import { type Check, ConditionFailed, expect, present, shown, text } from '../verdict.ts';
import type { Json, ReadJwt, World } from '../world.ts';

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
/** The members that each key type must have (RFC 7518 §6, RFC 8037 §2). */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
};

export function keysOf(jwks: Json): readonly JWK[] {
  expect(Array.isArray(jwks['keys']), `no keys in ${shown(jwks)}`);
  return jwks['keys'] as readonly JWK[];
}

function signingKeys(jwks: Json): readonly JWK[] {
  return keysOf(jwks).filter(({ use }) => use === undefined || use === 'sig');
}

/** Reads a JWT without verifying it. */
export function readJwt(value: string, what: string): ReadJwt {
  try {
    return { value, header: { ...decodeProtectedHeader(value) }, claims: { ...decodeJwt(value) } };
  } catch (cause) {
    throw new ConditionFailed(`${what} ${shown(value)} is no JWT: ${String(cause)}`);
  }
}

/** Verifies a signature with the keys of the provider; `kid` must name one of them if there are several. */
export async function expectSignature({ server_jwks }: World, jwt: ReadJwt): Promise<void> {
  try {
    await jwtVerify(jwt.value, createLocalJWKSet({ keys: [...keysOf(server_jwks)] }), {
      clockTolerance: 300,
    });
  } catch (cause) {
    throw new ConditionFailed(`the signature does not hold: ${String(cause)}`);
  }
}

/** OpenID Connect Core 1.0 §3.1.3.6: the left half of the digest. */
export function expectHalfHash(jwt: ReadJwt, claim: string, of: string): void {
  const bits = /(256|384|512)$/.exec(String(jwt.header['alg']))?.[1] ?? '512';
  const digest = createHash(`sha${bits}`).update(of, 'ascii').digest();
  const expected = digest.subarray(0, digest.length / 2).toString('base64url');
  const actual = text(jwt.claims[claim], claim);
  const same =
    actual.length === expected.length && timingSafeEqual(Buffer.from(actual), Buffer.from(expected));
  expect(same, `${claim} is ${actual}, not ${expected}`);
}

/** Returns the estimate that the suite uses: Shannon's entropy of the characters times their number. */
export function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / value.length);
  return bits;
}

const same = (one: JWK, other: JWK): boolean =>
  one.kid === other.kid && one.n === other.n && one.x === other.x;

export const KEYS = {
  async FetchServerKeys(world) {
    const reply = await world.target.send(text(world.server['jwks_uri'], 'jwks_uri'));
    world.server_jwks = objectOf(reply);
    keysOf(world.server_jwks);
  },
  CheckServerKeysIsValid({ server_jwks }) {
    for (const key of keysOf(server_jwks)) text(key.kty, 'kty');
  },
  EnsureJwksHasNoPrivateOrSymmetricKeyMaterial({ server_jwks }) {
    for (const key of keysOf(server_jwks)) {
      expect(key.kty !== 'oct', 'a symmetric key');
      for (const name of PRIVATE_MEMBERS) expect(!(name in key), `a key with ${name}`);
    }
  },
  ValidateJwksStructure({ server_jwks }) {
    expect(keysOf(server_jwks).length > 0, 'no key');
    for (const key of keysOf(server_jwks))
      for (const name of MEMBERS[String(key.kty)] ?? []) text((key as Json)[name], `${name} of a key`);
  },
  async ParseUsableJwksKeys({ server_jwks }) {
    for (const key of keysOf(server_jwks)) await importJWK(key, key.alg ?? algorithmOf(key));
  },
  WarnOnUnusableJwksKeys({ server_jwks }) {
    for (const key of keysOf(server_jwks))
      expect(String(key.kty) in MEMBERS, `a key of type ${shown(key.kty)}`);
  },
  CheckForKeyIdInServerJWKs({ server_jwks }) {
    for (const key of keysOf(server_jwks)) text(key.kid, 'kid');
  },
  CheckDistinctKeyIdValueInServerJWKs({ server_jwks }) {
    const kids = keysOf(server_jwks).map(({ kid }) => kid);
    expect(new Set(kids).size === kids.length, `two keys with one kid: ${shown(kids)}`);
  },
  CheckDistinctKeyIdValueInClientJWKs: ({ client_key }) => void present(client_key, 'client key'),
  RememberServerKeys(world) {
    world.original_jwks = world.server_jwks;
  },
  async TellUserToRotateOpKeys({ target }) {
    expect(target.rotateKeys !== undefined, 'no operator rotates the keys of this provider');
    await target.rotateKeys?.();
  },
  VerifyNewJwksHasNewSigningKey({ original_jwks, server_jwks }) {
    const old = signingKeys(present(original_jwks, 'keys before'));
    const added = signingKeys(server_jwks).filter((key) => !old.some((each) => same(each, key)));
    expect(added.length > 0, 'no new signing key');
    for (const key of added) {
      expect(!old.some(({ kid }) => kid === key.kid), `the new key has the old kid ${shown(key.kid)}`);
      const material = (each: JWK): string | undefined => each.n ?? each.x;
      expect(!old.some((each) => material(each) === material(key)), 'the new key is an old key');
    }
  },
  VerifyNewJwksStillHasOldSigningKey({ original_jwks, server_jwks }) {
    const old = signingKeys(present(original_jwks, 'keys before'));
    expect(
      signingKeys(server_jwks).some((key) => old.some((each) => same(each, key))),
      'every old key is gone',
    );
  },
} satisfies Readonly<Record<string, Check>>;

/** The algorithm that a key without `alg` is read for. */
function algorithmOf({ kty, crv, use }: JWK): string {
  if (use === 'enc') return kty === 'RSA' ? 'RSA-OAEP-256' : 'ECDH-ES';
  if (kty === 'RSA') return 'RS256';
  if (kty === 'OKP') return 'EdDSA';
  return { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' }[String(crv)] ?? 'ES256';
}
