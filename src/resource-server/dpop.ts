import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { RecentMap } from './bounded.ts';
import { isSignedBy, type PublicKey, parseJwt, publicKeyOf } from './jws.ts';

export interface DpopOptions {
  /** Seconds for which a proof is good; 60 by default. */
  readonly proofLifetime?: number | undefined;
  /** Proofs that are remembered, so that none is good twice; 100,000 by default. */
  readonly proofs?: number | undefined;
  /**
   * A secret of at least 32 characters: proofs must then have a nonce of this API (RFC 9449 §9). All copies of the API have the same one.
   */
  readonly nonceSecret?: string | undefined;
}

/** A request that a proof is for. */
export interface ProvenRequest {
  readonly method: string;
  /** The address that the client calls. */
  readonly url: string;
  readonly proof: string | undefined;
  readonly accessToken: string;
}

export type ProofOutcome =
  | { readonly jkt: string }
  | { readonly problem: 'invalid_dpop_proof' | 'use_dpop_nonce'; readonly words: string };

export interface DpopProofs {
  /** Verifies a proof (RFC 9449 §4.3). A proof is good once. */
  verify(request: ProvenRequest): ProofOutcome;
  /** Returns the nonce that clients must use now; undefined without a secret. */
  nonce(): string | undefined;
}

const NONCE_SECONDS = 300;
const NONCE_LENGTH = 32;
const PROOF_LENGTH_MAX = 8192;
const AHEAD_SECONDS = 10;
/** Keys of proofs that stay imported: an import takes a third of a verification with ES256. */
const KEYS_MAX = 1000;
/** The members of a public key that its thumbprint covers, in their order (RFC 7638 §3.2). */
const THUMBPRINTED: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
const refused = (words: string): ProofOutcome => ({ problem: 'invalid_dpop_proof', words });

interface ProofKey {
  readonly key: PublicKey;
  readonly jkt: string;
}

/** @param now seconds since the epoch */
export function openDpopProofs(options: DpopOptions, now: () => number): DpopProofs {
  const { proofLifetime = 60, proofs: proofsMax = 100_000, nonceSecret } = options;
  const seen = new RecentMap<string, number>(proofsMax);
  const keys = new RecentMap<string, ProofKey>(KEYS_MAX);
  const nonceAt = (period: number): string =>
    createHmac('sha256', nonceSecret ?? '')
      .update(`dpop-nonce ${period}`)
      .digest('base64url')
      .slice(0, NONCE_LENGTH);
  const period = (): number => Math.floor(now() / NONCE_SECONDS);
  const isNonce = (text: unknown): boolean =>
    typeof text === 'string' && [period(), period() - 1].some((each) => isEqual(text, nonceAt(each)));

  return {
    nonce: () => (nonceSecret === undefined ? undefined : nonceAt(period())),
    verify({ method, url, proof, accessToken }) {
      const jwt = proof === undefined || proof.length > PROOF_LENGTH_MAX ? undefined : parseJwt(proof);
      if (jwt?.header['typ'] !== 'dpop+jwt') return refused('the request needs one DPoP proof');
      const { jwk } = jwt.header;
      if (typeof jwk !== 'object' || jwk === null || 'd' in jwk || 'k' in jwk)
        return refused('the proof needs the public key in its header');
      const content = sha256(JSON.stringify(jwk));
      const known = keys.get(content);
      const signer = known ?? proofKeyOf(jwk as Readonly<Record<string, unknown>>);
      if (signer === undefined || !isSignedBy(jwt, signer.key))
        return refused('the signature of the proof is wrong');
      if (known === undefined) keys.set(content, signer);
      const { htm, htu, iat, jti, ath, nonce } = jwt.claims;
      if (htm !== method) return refused('htm is not the method of the request');
      if (typeof htu !== 'string' || addressOf(htu) !== addressOf(url))
        return refused('htu is not the address of the request');
      if (ath !== sha256(accessToken)) return refused('ath is not the hash of the access token');
      if (typeof iat !== 'number' || iat > now() + AHEAD_SECONDS || iat <= now() - proofLifetime)
        return refused('the proof is too old or from the future');
      if (nonceSecret !== undefined && !isNonce(nonce))
        return { problem: 'use_dpop_nonce', words: 'the proof needs the nonce of this API' };
      if (typeof jti !== 'string' || jti === '') return refused('the proof has no jti');
      const name = sha256(`${signer.jkt} ${jti}`);
      if (seen.get(name) !== undefined) return refused('the proof was used before');
      seen.set(name, iat);
      return { jkt: signer.jkt };
    },
  };
}

/** Without query and fragment, as RFC 3986 §6.2 normalises it. */
function addressOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

function proofKeyOf(jwk: Readonly<Record<string, unknown>>): ProofKey | undefined {
  const key = publicKeyOf(jwk);
  return key === undefined ? undefined : { key, jkt: thumbprintOf(jwk) };
}

function thumbprintOf(jwk: Readonly<Record<string, unknown>>): string {
  const members = THUMBPRINTED[String(jwk['kty'])] ?? [];
  return sha256(JSON.stringify(Object.fromEntries(members.map((name) => [name, jwk[name]]))));
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
