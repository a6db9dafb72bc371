import { createHash, randomUUID } from 'node:crypto';
import type { JsonWebKey } from '../spec/jwk.ts';
import { signedJwt, type TestKey, testKey } from './jwt.ts';

/** The request that a proof is about. */
export interface ProofOf {
  readonly method: string;
  readonly address: string;
  /** Seconds since the Unix epoch. */
  readonly now: number;
  readonly accessToken?: string;
  readonly nonce?: string;
  /** Claims that go before these. */
  readonly claims?: object;
  /** Header members that go before the usual ones. */
  readonly header?: object;
}

/** A key pair of a client that proves it (RFC 9449 §4.2). */
export interface DpopKey {
  readonly key: TestKey;
  readonly jwk: JsonWebKey;
  /** Made here without the product: RFC 7638 §3. */
  readonly jkt: string;
  proof(request: ProofOf): string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

export function dpopKey(algorithm: TestKey['algorithm'] = 'ES256'): DpopKey {
  const key = testKey(algorithm);
  const { kid: _, ...jwk } = key.jwk;
  const jkt = sha256(
    JSON.stringify(Object.fromEntries(Object.entries(jwk).sort(([a], [b]) => (a < b ? -1 : 1)))),
  );
  const proof: DpopKey['proof'] = ({ method, address, now, accessToken, nonce, claims, header }) =>
    signedJwt(
      key,
      {
        jti: randomUUID(),
        htm: method,
        htu: address,
        iat: now,
        ...(accessToken === undefined ? {} : { ath: sha256(accessToken) }),
        ...(nonce === undefined ? {} : { nonce }),
        ...claims,
      },
      { kid: undefined, typ: 'dpop+jwt', jwk, ...header },
    );
  return { key, jwk, jkt, proof };
}
