import { clientJwkProblem } from '../../keys/client-jwk.ts';
import { CLOCK_SKEW, type JwtProfile, type JwtVerifier } from '../../ports/jwt-verifier.ts';
import type { Expectation, FetchCause, OutboundFailure, OutboundHttp } from '../../ports/outbound-http.ts';
import { OAuthError } from '../../spec/errors.ts';
import { parseJsonObject } from '../../spec/json.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { SIGNING_ALGORITHMS } from '../../spec/server-capabilities.ts';

/** The entity whose federation keys sign a key set (OpenID Federation 1.0 §5.2.1, `signed_jwks_uri`). */
export interface SetSigner {
  readonly entity_id: string;
  readonly keys: readonly JsonWebKey[];
}

/** A key set at an address. */
export interface RemoteJwkSet {
  readonly url: string;
  /** Present if the set is a JWT of this entity. */
  readonly signer?: SetSigner;
}

export interface FetchedJwkSet {
  readonly keys: readonly JsonWebKey[];
  /** The length of the document. */
  readonly bytes: number;
  /** When a signed set ends, in seconds since the Unix epoch; undefined without `exp`. */
  readonly ends_at?: number;
}

/** Why there is no set. */
export interface FetchProblem {
  readonly problem: string;
  /** Whether no other server was asked. */
  readonly unbegun: boolean;
  /** Whether only a limit of this server kept it from asking: nothing is known about the set. */
  readonly unasked?: true;
  /** Seconds after which a retry may succeed. Present if the set could not be had for now. */
  readonly retryAfter?: number;
  /** Whether the set names a federation key that is not known: the entity may have rolled its keys. */
  readonly unknownSigner?: true;
}

export interface FetchJwkSetNeeds {
  readonly outbound: OutboundHttp;
  readonly verifier: Pick<JwtVerifier, 'verify'>;
  /** This server. */
  readonly issuer: string;
}

const KEYS_MAX = 20;

const JSON_LIMITS = { depth: 8, members: 64 };

/** Characters of a signed set: `outbound.body-limit` bounds it too. */
const SIGNED_LENGTH_MAX = 1_048_576;

/** Failures of calls that asked no other server. */
const UNBEGUN: ReadonlySet<OutboundFailure> = new Set(['busy', 'recently-failed']);

/** Failures that say nothing about the other server. */
const UNASKED: ReadonlySet<OutboundFailure> = new Set(['busy', 'gave-way']);

const PLAIN: Expectation = { mediaTypes: ['application/jwk-set+json', 'application/json'] };
const SIGNED: Expectation = { mediaTypes: ['application/jwk-set+jwt'] };

/**
 * Fetches a JWK Set (RFC 7517 §5), or a signed one. Leaves out keys that break the key policy, so that one bad key does not
 * disable the others.
 */
export async function fetchJwkSet(
  needs: FetchJwkSetNeeds,
  { url, signer }: RemoteJwkSet,
  cause: FetchCause,
): Promise<FetchedJwkSet | FetchProblem> {
  const fetched = await needs.outbound.get(url, signer === undefined ? PLAIN : SIGNED, cause);
  if (fetched.status === 'failed') {
    const { reason, detail, retryAfter } = fetched;
    const retry = retryAfter === undefined ? {} : { retryAfter };
    const unasked = UNASKED.has(reason) ? ({ unasked: true } as const) : {};
    return { problem: `${reason}: ${detail}`, unbegun: UNBEGUN.has(reason), ...unasked, ...retry };
  }
  const { body } = fetched;
  const set = signer === undefined ? plainSet(body) : await signedSet(needs, body, signer);
  if ('problem' in set) return { ...set, unbegun: false };
  const keys = set.keys.filter((key) => clientJwkProblem(key) === undefined);
  return { ...set, keys, bytes: body.length };
}

type ParsedSet = Omit<FetchedJwkSet, 'bytes'> | Pick<FetchProblem, 'problem' | 'unknownSigner'>;

const NO_SET = { problem: `the document is not a JWK Set of at most ${KEYS_MAX} keys` };

const isKeyList = (keys: unknown): keys is readonly JsonWebKey[] =>
  Array.isArray(keys) && keys.length <= KEYS_MAX;

function plainSet(body: Uint8Array): ParsedSet {
  try {
    const { keys } = parseJsonObject(body, JSON_LIMITS).members;
    return isKeyList(keys) ? { keys } : NO_SET;
  } catch (failure) {
    if (failure instanceof OAuthError) return NO_SET;
    throw failure;
  }
}

/** Verifies a signed set by the rules of OpenID Federation 1.0 §5.2.1. */
async function signedSet(
  { verifier, issuer }: FetchJwkSetNeeds,
  body: Uint8Array,
  { entity_id, keys: federationKeys }: SetSigner,
): Promise<ParsedSet> {
  const compact = new TextDecoder().decode(body).trim();
  const verification = await verifier.verify(compact, federationKeys, signedSetProfile(entity_id, issuer));
  if (!verification.verified) {
    const { reason, found } = verification;
    const problem = refused(found === undefined ? reason : `${reason} ${JSON.stringify(found)}`);
    return reason === 'unknown-key' ? { ...problem, unknownSigner: true } : problem;
  }
  const { header, claims } = verification;
  // "Signed JWK Set JWTs MUST include the kid (Key ID) header parameter".
  if (typeof header['kid'] !== 'string') return refused('its header has no kid');
  // sub "identifies the owner of the keys. It SHOULD be the same as the issuer": no other owner's keys are those of this client.
  const { sub, keys, exp } = claims;
  if (sub !== entity_id) return refused(`sub must be ${entity_id}`);
  if (!isKeyList(keys)) return NO_SET;
  return { keys, ...(typeof exp === 'number' ? { ends_at: exp + CLOCK_SKEW } : {}) };
}

const refused = (why: string): { readonly problem: string } => ({
  problem: `the signed JWK Set is refused: ${why}`,
});

function signedSetProfile(entity_id: string, issuer: string): JwtProfile {
  return {
    algorithms: SIGNING_ALGORITHMS,
    // "Signed JWK Set JWTs without a typ header parameter or with a different typ value MUST be rejected."
    types: ['jwk-set+jwt'],
    requiredClaims: ['iss', 'sub', 'keys'],
    issuer: entity_id,
    // aud "SHOULD NOT be used since the issuer cannot know who the audience is". One for another server is refused (RFC 7519 §4.1.3).
    audience: { kind: 'where-present', values: [issuer] },
    lifetimeMax: undefined,
    ageMax: undefined,
    lengthMax: SIGNED_LENGTH_MAX,
  };
}
