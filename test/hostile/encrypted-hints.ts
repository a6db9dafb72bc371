import { generateKeyPairSync } from 'node:crypto';
import { CompactEncrypt, importJWK, type JWK } from 'jose';
import { segment } from '../../src/testing/jwt.ts';

export async function encryptedTo(
  jwk: JWK,
  plaintext: string,
  header: Readonly<Record<string, string>> = {},
): Promise<string> {
  const alg = header['alg'] ?? 'RSA-OAEP-256';
  return await new CompactEncrypt(Buffer.from(plaintext))
    .setProtectedHeader({ enc: 'A256GCM', cty: 'JWT', kid: jwk.kid ?? '', ...header, alg })
    .encrypt(await importJWK(jwk, alg));
}

/** Returns encrypted hints, and look-alikes, that hold no signed ID token of this server (H-169). */
export async function strangeEncryptions(
  key: JWK,
  id_token: string,
): Promise<Readonly<Record<string, string>>> {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [, payload = ''] = id_token.split('.');
  const good = await encryptedTo(key, id_token);
  const headed = (header: object): string =>
    segment(JSON.stringify({ enc: 'A256GCM', kid: key.kid, ...header }));
  const [encryptedKey, rest] = [
    segment('x'.repeat(256)),
    `${segment('x'.repeat(12))}.eA.${segment('x'.repeat(16))}`,
  ];
  return {
    'raw claims': await encryptedTo(key, Buffer.from(payload, 'base64url').toString()),
    'an unsigned JWT': await encryptedTo(key, `${segment('{"alg":"none"}')}.${payload}.`),
    'a JWE in a JWE': await encryptedTo(key, good),
    'another key': await encryptedTo(
      { ...publicKey.export({ format: 'jwk' }), kid: key.kid ?? '' },
      id_token,
    ),
    dir: `${headed({ alg: 'dir' })}..${rest}`,
    RSA1_5: `${headed({ alg: 'RSA1_5' })}.${encryptedKey}.${rest}`,
    PBES2: `${headed({ alg: 'PBES2-HS256+A128KW', p2c: 2_147_483_647, p2s: 'AAAAAAAAAAA' })}.${encryptedKey}.${rest}`,
    zip: `${headed({ alg: 'RSA-OAEP-256', zip: 'DEF' })}.${good.split('.').slice(1).join('.')}`,
  };
}
