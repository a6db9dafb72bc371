import { generateKeyPairSync } from 'node:crypto';
import { digestOf } from '../../src/keys/digest.ts';
import type { JsonWebKey } from '../../src/spec/jwk.ts';
import { signedJwt, type TestKey, testKey } from '../../src/testing/jwt.ts';
import { locatorAt } from '../../src/tokens/token-identifier.ts';
import { openProgramRows } from '../program/program-rows.ts';
import type { Attacked } from './attacked-program.ts';

/** The signing keys of the attacked server, which it is configured with: what these sign is ours in every respect. */
export const OWN: readonly TestKey[] = (['RS256', 'ES256', 'EdDSA'] as const).map((algorithm) =>
  testKey(algorithm, `own-${algorithm}`),
);

const encryption = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** RSA, for what is encrypted to the server; used for a signature it is none. */
export const ENCRYPTION: TestKey & { readonly jwk: JsonWebKey } = {
  algorithm: 'RS256',
  kid: 'own-enc',
  privateKey: encryption.privateKey,
  jwk: { ...encryption.publicKey.export({ format: 'jwk' }), kty: 'RSA', kid: 'own-enc' },
};

const privateJwk = ({ privateKey, kid }: TestKey, use: string): JsonWebKey => ({
  ...privateKey.export({ format: 'jwk' }),
  kid,
  use,
});

/** For the setting `keys.jwk-set`. */
export const JWK_SET = JSON.stringify({
  keys: [...OWN.map((key) => privateJwk(key, 'sig')), privateJwk(ENCRYPTION, 'enc')],
});

export const seconds = (): number => Math.floor(Date.now() / 1000);

/** The claims of a good access token (RFC 9068 §2.2); `changes` go over them, undefined takes one away. */
export function tokenClaims(issuer: string, client_id: string, changes: object = {}): object {
  const iat = seconds();
  const jti = locatorAt(Date.now()) + 'j'.repeat(16);
  return {
    iss: issuer,
    sub: 'alice',
    aud: 'rs',
    exp: iat + 600,
    iat,
    jti,
    client_id,
    scope: 'read',
    ...changes,
  };
}

export const accessTokenJwt = (key: TestKey, claims: object | string, header: object = {}): string =>
  signedJwt(key, claims, { typ: 'at+jwt', ...header });

/**
 * Writes the records that these JWTs would have if the server had issued each of them: then nothing but the verification
 * of the JWT stands between it and an active answer.
 */
export async function record(
  { program: { folder, tenant } }: Attacked,
  jwts: readonly string[],
  introspection: object,
): Promise<void> {
  const rows = await openProgramRows(folder);
  const text = JSON.stringify(introspection);
  // A key with NUL is in no database.
  const records = jwts
    .map((jwt) => [tenant, locatorOf(jwt) + digestOf(jwt), expiryOf(jwt), text] as const)
    .filter(([, key]) => !key.includes('\0'));
  for (let first = 0; first < records.length; first += RECORDS_AT_ONCE) {
    const some = records.slice(first, first + RECORDS_AT_ONCE);
    await rows.ask(
      `INSERT INTO access_token (tenant, key, expires_at, client_id, client_instance, introspection)
       VALUES ${some.map(() => "(?, ?, ?, 'c', NULL, ?)").join(', ')} ON CONFLICT DO NOTHING`,
      ...some.flat(),
    );
  }
  await rows.close();
}

const RECORDS_AT_ONCE = 200;

function claimOf(jwt: string, name: string): unknown {
  try {
    const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    return typeof claims === 'object' && claims !== null ? Reflect.get(claims, name) : undefined;
  } catch {
    return undefined;
  }
}

function locatorOf(jwt: string): string {
  const jti = claimOf(jwt, 'jti');
  return (typeof jti === 'string' ? jti : '').slice(0, 11);
}

function expiryOf(jwt: string): number {
  const exp = claimOf(jwt, 'exp');
  return Number.isSafeInteger(exp) && Number(exp) > 0 ? Number(exp) : seconds() + 600;
}
