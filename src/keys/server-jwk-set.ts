import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { KeyMaker } from '../ports/key-maker.ts';
import { OAuthError } from '../spec/errors.ts';
import { suits } from '../spec/jose-algorithms.ts';
import { parseJsonObject } from '../spec/json.ts';
import { type JsonWebKey, publicJwk } from '../spec/jwk.ts';
import { clientJwkProblem } from './client-jwk.ts';
import { publishedJwk } from './make-server-keys.ts';
import type { ServerKey } from './server-key.ts';

/** An operator's JWK set that cannot be used; the message says which key and why, and holds nothing of a key. */
export class ServerJwkSetRefused extends Error {
  override readonly name = 'ServerJwkSetRefused';
}

/** A key that somebody brought, with its `kid`. */
export interface BroughtKey {
  readonly use: 'sig' | 'enc';
  readonly kid: string;
  readonly jwk: JsonWebKey;
  /** Whether the private half is there. */
  readonly isPrivate: boolean;
}

/** Room for a few dozen RSA keys with all their members. */
const JSON_LIMITS = { depth: 8, members: 2000 };
const KEYS_MAX = 100;

/**
 * The keys of a JWK set that an operator made (RFC 7517 §5), each held to the policy that clients' keys are held to.
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
  return brought;
}

/** A set for a server must be able to sign. @throws ServerJwkSetRefused */
function requireSigningKey(keys: readonly BroughtKey[]): void {
  if (!keys.some(({ use, isPrivate }) => use === 'sig' && isPrivate))
    throw new ServerJwkSetRefused('holds no private key with use sig: nothing could be signed');
  // OpenID Connect Discovery 1.0 §3, id_token_signing_alg_values_supported: "The algorithm RS256 MUST be included".
  if (!keys.some(({ jwk, isPrivate }) => isPrivate && suits(jwk, 'RS256', 'sign')))
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

/** Members of private keys (RFC 7518 §6.2.2 and §6.3.2); a key without any of them is a public one. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];

function keyProblem(jwk: unknown): string | undefined {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return 'is not a JSON object';
  const key = jwk as JsonWebKey;
  if (key['kty'] === 'oct' || 'k' in key) return 'is a symmetric key, which cannot be published';
  if (publicJwk(key) === undefined) return 'has a kty other than RSA, EC and OKP';
  if (key['use'] !== 'sig' && key['use'] !== 'enc')
    return 'must have a use, sig or enc (RFC 8414 §2, jwks_uri)';
  const half = Object.fromEntries(Object.entries(key).filter(([name]) => !PRIVATE_MEMBERS.includes(name)));
  const { key_ops: _, ...rest } = half;
  return clientJwkProblem(rest) ?? privateHalfProblem(key);
}

/** What signs with one key and publishes another would be found out by those who verify. */
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

/** The members of an RSA key are taken as they are: that they belong together shows in use only. */
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
 * Decision 29: a configured JWK set replaces the generated one. What of it has no private half is published and not
 * used. @throws ServerJwkSetRefused
 */
export async function configuredServerKeys(
  text: string,
  keyMaker: Pick<KeyMaker, 'thumbprint'>,
): Promise<readonly ServerKey[]> {
  const keys = await readServerJwkSet(text, keyMaker);
  requireSigningKey(keys);
  return keys.map(({ use, jwk, isPrivate }) => ({
    use,
    active_at: 0,
    retired_at: isPrivate ? null : 0,
    publicJwk: publishedJwk(jwk, use),
    privateJwk: isPrivate ? jwk : undefined,
  }));
}
