import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { KeyMaker } from '../ports/key-maker.ts';
import { OAuthError } from '../spec/errors.ts';
import { type SignatureAlgorithm, suits } from '../spec/jose-algorithms.ts';
import { parseJsonObject } from '../spec/json.ts';
import { type JsonWebKey, publicJwk } from '../spec/jwk.ts';
import { SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { clientJwkProblem } from './client-jwk.ts';
import { publishedJwk } from './make-server-keys.ts';
import type { ServerKey } from './server-key.ts';

/** Refuses an operator's JWK set. The message names the key and the reason, and contains no key material. */
export class ServerJwkSetRefused extends Error {
  override readonly name = 'ServerJwkSetRefused';
}

/** A key of an operator's set, with its `kid`. */
export interface BroughtKey {
  readonly use: 'sig' | 'enc';
  readonly kid: string;
  readonly jwk: JsonWebKey;
  /** Whether it has its private half. */
  readonly isPrivate: boolean;
}

/** Room for a few dozen RSA keys with all their members. */
const JSON_LIMITS = { depth: 8, members: 2000 };
const KEYS_MAX = 100;

/**
 * Reads an operator's JWK set (RFC 7517 §5). Each key must follow the policy for clients' keys.
 * @throws ServerJwkSetRefused
 */
export async function readServerJwkSet(
  text: string,
  keyMaker: Pick<KeyMaker, 'thumbprint'>,
): Promise<readonly BroughtKey[]> {
  const keys = membersOf(text)?.['keys'];
  if (!Array.isArray(keys) || keys.length === 0)
    throw new ServerJwkSetRefused('must be a JWK set: a JSON object with an array of keys (RFC 7517 §5)');
  if (keys.length > KEYS_MAX) throw new ServerJwkSetRefused(`holds more than ${KEYS_MAX} keys`);
  const brought: BroughtKey[] = [];
  for (const [index, jwk] of (keys as readonly unknown[]).entries()) {
    const problem = keyProblem(jwk);
    if (problem !== undefined) throw new ServerJwkSetRefused(`keys[${index}] ${problem}`);
    brought.push(await named(jwk as JsonWebKey, keyMaker));
  }
  const duplicate = brought.findIndex(
    ({ kid }, index) => brought.findIndex((one) => one.kid === kid) < index,
  );
  if (duplicate !== -1)
    throw new ServerJwkSetRefused(`keys[${duplicate}] has the same kid as a key before it (RFC 7517 §4.5)`);
  await refuseSameKey(brought, keyMaker);
  return brought;
}

/** Refuses a key that is in the set twice under two names: each would be used and revoked apart from the other. */
async function refuseSameKey(
  brought: readonly BroughtKey[],
  keyMaker: Pick<KeyMaker, 'thumbprint'>,
): Promise<void> {
  const thumbprints = await Promise.all(brought.map(async ({ jwk }) => await keyMaker.thumbprint(jwk)));
  for (const [index, thumbprint] of thumbprints.entries()) {
    const first = thumbprints.indexOf(thumbprint);
    if (first < index)
      throw new ServerJwkSetRefused(`keys[${index}] is the same key as keys[${first}], under another kid`);
  }
}

/** Requires a private signing key, and one for RS256 unless the settings exclude it. @throws ServerJwkSetRefused */
function requireSigningKey(keys: readonly BroughtKey[], algorithms: readonly SignatureAlgorithm[]): void {
  const signsWith = (algorithm: SignatureAlgorithm): boolean =>
    keys.some(({ jwk, isPrivate }) => isPrivate && suits(jwk, algorithm, 'sign'));
  if (!keys.some(({ use, isPrivate }) => use === 'sig' && isPrivate))
    throw new ServerJwkSetRefused('holds no private key with use sig: nothing could be signed');
  // OpenID Connect Discovery 1.0 §3, id_token_signing_alg_values_supported: "The algorithm RS256 MUST be included".
  if (!algorithms.includes('RS256')) {
    if (algorithms.some(signsWith)) return;
    throw new ServerJwkSetRefused(
      `holds no private key for an algorithm of signatures.algorithms (${algorithms.join(', ')})`,
    );
  }
  if (!signsWith('RS256'))
    throw new ServerJwkSetRefused(
      'holds no private RSA key for RS256, which every OpenID provider must have',
    );
}

function membersOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return parseJsonObject(Buffer.from(text), JSON_LIMITS).members;
  } catch (failure) {
    if (failure instanceof OAuthError) return undefined;
    throw failure;
  }
}

/** A kid stands in tables and logs. */
const MISLEADING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Members of private keys (RFC 7518 §6.2.2 and §6.3.2). A key without them is public. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];

function keyProblem(jwk: unknown): string | undefined {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return 'is not a JSON object';
  const key = jwk as JsonWebKey;
  if (key['kty'] === 'oct' || 'k' in key) return 'is a symmetric key, which cannot be published';
  if (publicJwk(key) === undefined) return 'has a kty other than RSA, EC and OKP';
  if (key['use'] !== 'sig' && key['use'] !== 'enc')
    return 'must have a use, sig or enc (RFC 8414 §2, jwks_uri)';
  if (typeof key['kid'] === 'string' && MISLEADING.test(key['kid']))
    return 'has a kid with a control or invisible character';
  const half = Object.fromEntries(Object.entries(key).filter(([name]) => !PRIVATE_MEMBERS.includes(name)));
  const { key_ops: _, ...rest } = half;
  return clientJwkProblem(rest) ?? privateHalfProblem(key);
}

/** Checks that both halves belong together. Otherwise clients would see signatures that the published key does not verify. */
function privateHalfProblem(jwk: JsonWebKey): string | undefined {
  if (!PRIVATE_MEMBERS.some((member) => member in jwk)) return undefined;
  try {
    const key = createPrivateKey({ key: { ...jwk }, format: 'jwk' });
    const halves = [createPublicKey(key).export({ format: 'jwk' }), publicJwk(jwk)].map((half) =>
      JSON.stringify(publicJwk({ ...half })),
    );
    if (halves[0] === halves[1] && (jwk['crv'] === 'X25519' || signsForItself(key))) return undefined;
    return 'has a private half that belongs to another key';
  } catch {
    return 'has a private half that cannot be read';
  }
}

/** Signs and verifies once. OpenSSL imports the members of an RSA key unchecked, so a mismatch shows only in use. */
function signsForItself(key: KeyObject): boolean {
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const data = Buffer.from('server JWK set');
  return verify(algorithm, data, createPublicKey(key), sign(algorithm, data, key));
}

async function named(jwk: JsonWebKey, keyMaker: Pick<KeyMaker, 'thumbprint'>): Promise<BroughtKey> {
  const { kid: given, use } = jwk;
  const kid = typeof given === 'string' ? given : await keyMaker.thumbprint(jwk);
  const isPrivate = PRIVATE_MEMBERS.some((member) => member in jwk);
  return { use: use as BroughtKey['use'], kid, jwk: { ...jwk, kid }, isPrivate };
}

/**
 * Reads the configured JWK set, which replaces the generated keys (decision 29). Keys without a private half are published
 * only.
 * @throws ServerJwkSetRefused
 */
export async function configuredServerKeys(
  text: string,
  keyMaker: Pick<KeyMaker, 'thumbprint'>,
  algorithms: readonly SignatureAlgorithm[] = SIGNING_ALGORITHMS,
): Promise<readonly ServerKey[]> {
  const keys = await readServerJwkSet(text, keyMaker);
  requireSigningKey(keys, algorithms);
  return keys.map(({ use, jwk, isPrivate }) => ({
    use,
    active_at: 0,
    retired_at: isPrivate ? null : 0,
    publicJwk: publishedJwk(jwk, use),
    privateJwk: isPrivate ? jwk : undefined,
  }));
}
