import { generateKeyPairSync, randomBytes, sign, type webcrypto } from 'node:crypto';

const LIFETIME_S = 500;
const JTI_BYTES = 12;
const ASSERTION_TYPE = 'urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer';

/** A client's key, and assertions by it, each with a `jti` of its own (RFC 7523 §2.2). */
export function signedAssertions(): {
  readonly jwk: webcrypto.JsonWebKey;
  /** Form parameters; good for 500 seconds. */
  readonly assertionsFor: (client_id: string, audience: string, count: number) => readonly string[];
} {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const header = base64url({ alg: 'ES256' });
  return {
    jwk: publicKey.export({ format: 'jwk' }),
    assertionsFor: (client_id, audience, count) => {
      const iat = Math.floor(Date.now() / 1000);
      const claims = { iss: client_id, sub: client_id, aud: audience, iat, exp: iat + LIFETIME_S };
      return Array.from({ length: count }, () => {
        const jti = randomBytes(JTI_BYTES).toString('base64url');
        const signed = `${header}.${base64url({ ...claims, jti })}`;
        const signature = sign('sha256', Buffer.from(signed), {
          key: privateKey,
          dsaEncoding: 'ieee-p1363',
        }).toString('base64url');
        return `client_assertion_type=${ASSERTION_TYPE}&client_assertion=${signed}.${signature}`;
      });
    },
  };
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
