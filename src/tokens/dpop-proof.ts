import type { Settings } from '../config/settings.ts';
import { clientJwkFormProblem, pointProblem } from '../keys/client-jwk.ts';
import { digestOf } from '../keys/digest.ts';
import { jwkThumbprint } from '../keys/jwk-thumbprint.ts';
import type { Clock } from '../ports/clock.ts';
import type { JwtInspector, UnverifiedJwt } from '../ports/jwt-inspector.ts';
import { CLOCK_SKEW } from '../ports/jwt-verifier.ts';
import type { ReplayStore } from '../ports/replay-store.ts';
import { OAuthError } from '../spec/errors.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { signatureAlgorithms } from '../spec/server-capabilities.ts';
import { type DpopNonceNeeds, dpopNonce, isDpopNonce } from './dpop-nonce.ts';

export interface DpopNeeds {
  /** Origin and path of the issuer, and of its alias for client certificates: proofs name addresses below one of them. */
  readonly bases: readonly string[];
  readonly inspector: JwtInspector;
  readonly replays: Pick<ReplayStore, 'rememberOnce'>;
  readonly clock: Clock;
  readonly nonce: DpopNonceNeeds;
  readonly settings: Settings;
}

/** The request that a proof must be about. */
export interface ProvenRequest {
  readonly method: string;
  /** The path of the endpoint below the issuer. */
  readonly path: string;
  /** The access token that the request shows. Absent at endpoints that issue tokens. */
  readonly accessToken?: string;
}

/** A proof whose claims fit the request. Its signature is not verified, and it may have been used before. */
export interface DpopProof {
  readonly jwt: UnverifiedJwt;
  readonly jwk: JsonWebKey;
  /** The RFC 7638 thumbprint of the key. */
  readonly jkt: string;
  readonly jti: string;
  /** Seconds since the Unix epoch. */
  readonly iat: number;
}

/** Characters: the longest RSA key and claims around it fit. */
const PROOF_LENGTH_MAX = 8192;
const JTI_LENGTH_MAX = 256;

/**
 * Reads the proof of a request, and checks all but its signature (RFC 9449 §4.3). This costs little, so it can precede the
 * authentication of the client.
 * @param header the value of the `DPoP` header; joined by commas if a request repeats it, which is then not a JWT
 * @returns undefined without the header, or where the settings switch DPoP off
 * @throws OAuthError invalid_dpop_proof, use_dpop_nonce
 */
export function readDpopProof(
  needs: DpopNeeds,
  header: string | undefined,
  request: ProvenRequest,
): DpopProof | undefined {
  if (header === undefined || !needs.settings['dpop.enabled']) return undefined;
  const jwt = needs.inspector.inspect(header, PROOF_LENGTH_MAX);
  if ('reason' in jwt) throw invalidProof('must be one signed JWT');
  const { typ, alg } = jwt.header;
  if (typeof typ !== 'string' || !/^(?:application\/)?dpop\+jwt$/i.test(typ))
    throw invalidProof('must have typ dpop+jwt', { typ });
  const algorithms = needs.settings['signatures.algorithms'];
  if (!algorithms.some((algorithm) => algorithm === alg))
    throw invalidProof(`must have an alg among ${algorithms.join(', ')}`, { alg });
  const { jwk, jkt } = keyOf(jwt);
  const { jti, iat } = requireClaims(needs, jwt, request);
  requireNonce(needs, jwt);
  return { jwt, jwk, jkt, jti, iat };
}

/** §4.3 rules 4 and 7: the header holds a public key, and no private one. The signature shows whether its point is on its curve. */
function keyOf({ header: { jwk, kid } }: UnverifiedJwt): Pick<DpopProof, 'jwk' | 'jkt'> {
  const problem = clientJwkFormProblem(jwk);
  const key = jwk as unknown as JsonWebKey;
  const jkt = problem === undefined ? jwkThumbprint(key) : undefined;
  if (jkt === undefined) throw invalidKey(problem ?? 'has an unknown kty');
  // A header that names its key names the one that it holds.
  return { jkt, jwk: kid === undefined ? key : { ...key, kid } };
}

/** §4.3 rules 3 and 8 to 12, without the nonce. */
function requireClaims(
  { bases, clock, settings }: DpopNeeds,
  { claims: { jti, iat, htm, htu, ath } }: UnverifiedJwt,
  { method, path, accessToken }: ProvenRequest,
): Pick<DpopProof, 'jti' | 'iat'> {
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_LENGTH_MAX)
    throw invalidProof(`must have a jti of 1 to ${JTI_LENGTH_MAX} characters`);
  if (htm !== method) throw invalidProof(`must have htm ${method}`, { htm });
  const addresses = bases.map((base) => base + path);
  if (typeof htu !== 'string' || !addresses.some((address) => isSameAddress(htu, address)))
    throw invalidProof(`must have htu ${addresses[0]}`, { htu });
  if (typeof iat !== 'number') throw invalidProof('must have an iat', { iat });
  const age = clock.now() - iat;
  if (age < -CLOCK_SKEW) throw invalidProof('has an iat in the future', { iat });
  if (age > settings['dpop.proof-lifetime'] + CLOCK_SKEW) throw invalidProof('is too old', { iat });
  if (accessToken !== undefined && ath !== digestOf(accessToken))
    throw invalidProof('must have the ath of the access token');
  return { jti, iat };
}

/** §4.3 rule 9: "ignoring any query and fragment parts", after the normalisation of RFC 3986 §6.2.2 and §6.2.3. */
function isSameAddress(htu: string, address: string): boolean {
  if (htu === address) return true;
  const stated = URL.parse(htu);
  if (stated === null) return false;
  stated.search = '';
  stated.hash = '';
  return stated.href === URL.parse(address)?.href;
}

/** @throws OAuthError use_dpop_nonce with the nonce for the next request (RFC 9449 §8) */
function requireNonce({ settings, nonce }: DpopNeeds, { claims }: UnverifiedJwt): void {
  if (settings['dpop.nonces'] === 'off') return;
  const presented = claims['nonce'];
  if (typeof presented === 'string' && isDpopNonce(nonce, presented)) return;
  throw new OAuthError('use_dpop_nonce', {
    error_description: 'the DPoP proof must contain the nonce of the DPoP-Nonce header',
    reason: 'dpop-nonce',
    headers: { 'dpop-nonce': dpopNonce(nonce) },
  });
}

/**
 * Returns the header with the nonce for the next request; empty if none is needed or the proof has it (RFC 9449 §8.2).
 */
export function nextNonce(
  { settings, nonce }: DpopNeeds,
  { jwt }: DpopProof,
): Readonly<Record<string, string>> {
  if (settings['dpop.nonces'] === 'off') return {};
  const next = dpopNonce(nonce);
  return jwt.claims['nonce'] === next ? {} : { 'dpop-nonce': next };
}

/**
 * Verifies the signature of a proof.
 * @throws OAuthError invalid_dpop_proof
 */
export async function verifyDpopProof(
  { inspector, settings }: Pick<DpopNeeds, 'inspector' | 'settings'>,
  { jwt, jwk }: DpopProof,
): Promise<void> {
  const algorithms = signatureAlgorithms(settings['signatures.algorithms']);
  const problem = await inspector.signatureProblem(jwt, [jwk], algorithms);
  if (problem === undefined) return;
  const unreadable = pointProblem(jwk);
  throw unreadable === undefined
    ? invalidProof('is not signed with the key in its header')
    : invalidKey(unreadable);
}

/**
 * Takes a proof: among concurrent requests with one proof, on all servers, one succeeds. Writes durably.
 * @throws OAuthError invalid_dpop_proof
 */
export async function takeDpopProof(
  { replays, settings }: Pick<DpopNeeds, 'replays' | 'settings'>,
  { jkt, jti, iat }: DpopProof,
): Promise<void> {
  // Remembered until the proof would be refused as too old, also by a server whose clock is late.
  // RFC 7519 §2 permits an `iat` with a fraction; the storage has whole seconds.
  const expires_at = Math.ceil(iat) + settings['dpop.proof-lifetime'] + 2 * CLOCK_SKEW;
  // §11.1 lets the server remember a digest. The address is not part of it: a client makes a proof for one request.
  if (await replays.rememberOnce('dpop-proof', jkt, digestOf(jti), expires_at)) return;
  throw invalidProof('was used before', { jti });
}

const invalidKey = (problem: string): OAuthError => invalidProof(`must have a public key: jwk ${problem}`);

function invalidProof(problem: string, values: Readonly<Record<string, unknown>> = {}): OAuthError {
  return new OAuthError('invalid_dpop_proof', {
    error_description: `the DPoP proof ${problem}`,
    reason: 'dpop-proof',
    values,
  });
}
