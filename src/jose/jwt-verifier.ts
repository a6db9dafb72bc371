import type { Clock } from '../ports/clock.ts';
import type { JwtInspector, UnverifiedJwt } from '../ports/jwt-inspector.ts';
import {
  type AudienceRule,
  CLOCK_SKEW,
  JWT_LENGTH_MAX,
  type JwtProblem,
  type JwtProfile,
  type JwtRefusal,
  type JwtVerifier,
  type VerifiedClaims,
} from '../ports/jwt-verifier.ts';
import type { JsonObject, JsonValue } from '../spec/json.ts';
import { isSoleAudience } from '../spec/sole-audience.ts';
import {
  headerBehind,
  matchingSecret,
  parseCompactJws,
  parseObject,
  type Refused,
  signatureProblem,
  type UnverifiedJws,
} from './compact-jws.ts';
import type { IsSignature } from './signatures.ts';

type Claims = JsonObject['members'];

/** @param isSignature verifies signatures; the default is on the thread pool */
export function joseJwtVerifier(clock: Clock, isSignature?: IsSignature): JwtVerifier {
  const read = rememberingReader();
  const needs = isSignature === undefined ? {} : { isSignature };
  return {
    async verify(jwt, keys, profile) {
      const jws = ofType(read(jwt, profile.lengthMax), profile);
      if ('reason' in jws) return refused(jws);
      const signature = await signatureProblem(jws, keys, profile.algorithms, needs);
      if (signature !== undefined) return refused(headerBehind(signature, jws.header));
      const claims = soundClaims(jws, profile, clock.now());
      return 'reason' in claims ? refused(claims) : { verified: true, ...claims, header: jws.header };
    },
    verifyMac(jwt, secrets, profile) {
      const jws = ofType(read(jwt, profile.lengthMax), profile);
      if ('reason' in jws) return refused(jws);
      const match = matchingSecret(jws, secrets, profile.algorithms);
      if ('reason' in match) return refused(match);
      const claims = soundClaims(jws, profile, clock.now());
      return 'reason' in claims ? refused(claims) : { verified: true, ...claims, ...match };
    },
    claimedIssuer(jwt) {
      const jws = read(jwt);
      if ('reason' in jws) return jws;
      const claims = jws.claims();
      if (claims === undefined) return { reason: 'malformed' };
      const { iss } = claims;
      return typeof iss === 'string' ? { iss } : { reason: 'claims' };
    },
  };
}

/** A JWS whose claims are parsed at most once. */
interface ReadJwt extends UnverifiedJws {
  /** Returns undefined unless the payload is a JSON object. */
  claims(): Claims | undefined;
}

/** Reads JWTs, and keeps the last one: a caller that asks for the issuer of a JWT verifies this JWT next. */
function rememberingReader(): (jwt: string, lengthMax?: number) => ReadJwt | Refused {
  let last: ReadJwt | undefined;
  return (jwt, lengthMax = JWT_LENGTH_MAX) => {
    if (last?.compact === jwt && jwt.length <= lengthMax) return last;
    const jws = parseCompactJws(jwt, lengthMax);
    if ('reason' in jws) return jws;
    let claims: { readonly read: Claims | undefined } | undefined;
    last = {
      ...jws,
      claims() {
        claims ??= { read: parseObject(jws.payload)?.members };
        return claims.read;
      },
    };
    return last;
  };
}

/** The rules of a profile that hold for signatures and MACs alike. */
type Rules = Omit<JwtProfile, 'algorithms'>;

const refused = (problem: JwtProblem) => ({ verified: false, ...problem }) as const;

function ofType(jws: ReadJwt | Refused, { types }: Rules): ReadJwt | Refused {
  if ('reason' in jws) return jws;
  return types.includes(mediaSubtype(jws.header['typ'])) ? jws : headerBehind('type', jws.header);
}

/** Checks the claims of a JWS whose signature or MAC holds. */
function soundClaims(jws: ReadJwt, rules: Rules, now: number): { readonly claims: VerifiedClaims } | Refused {
  const claims = jws.claims();
  if (claims === undefined) return { reason: 'malformed' };
  return claimsProblem(claims, rules, now) ?? { claims: claims as VerifiedClaims };
}

/** Normalises `typ`. RFC 7515 §4.1.9: "application/" may be omitted, and media type names are compared without regard to case. */
function mediaSubtype(typ: JsonValue | undefined): string | undefined {
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined;
}

function claimsProblem(claims: Claims, profile: Rules, now: number): JwtProblem | undefined {
  const unfit = profile.requiredClaims.find((name) => claims[name] === undefined) ?? claimOfOtherType(claims);
  if (unfit !== undefined) return { reason: 'claims', found: { [unfit]: claims[unfit] ?? 'missing' } };
  if (claims['iss'] !== profile.issuer) return claimBehind('issuer', 'iss', claims);
  if (!audienceHolds(claims['aud'], profile.audience)) return claimBehind('audience', 'aud', claims);
  const time = timeProblem(claims, profile, now);
  return time === undefined
    ? undefined
    : { reason: time[0], found: { [time[1]]: claims[time[1]] ?? 0, now } };
}

const claimBehind = (reason: JwtRefusal, name: string, claims: Claims): JwtProblem => ({
  reason,
  found: { [name]: claims[name] ?? 'missing' },
});

/** Returns a registered claim that does not have its type of RFC 7519 §4.1. */
function claimOfOtherType(claims: Claims): string | undefined {
  return (
    ['iss', 'sub', 'jti'].find((name) => claims[name] !== undefined && typeof claims[name] !== 'string') ??
    ['exp', 'nbf', 'iat'].find((name) => claims[name] !== undefined && !isNumericDate(claims[name]))
  );
}

/** Tells whether a value is a time in whole seconds. RFC 7519 §2 also allows fractions, which no client needs; 1e308 would pass as one. */
function isNumericDate(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function audienceHolds(aud: JsonValue | undefined, rule: AudienceRule): boolean {
  if (rule.kind === 'any') return true;
  if (rule.kind === 'sole' && rule.asText === true && typeof aud !== 'string') return false;
  if (rule.kind === 'sole') return rule.values.some((own) => isSoleAudience(aud, own));
  if (aud === undefined) return true;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return (
    audiences.every((one) => typeof one === 'string') && rule.values.some((own) => audiences.includes(own))
  );
}

function timeProblem(
  { exp, nbf, iat }: Claims,
  { lifetimeMax, ageMax, expiredToo, clockSkew = CLOCK_SKEW }: Rules,
  now: number,
): readonly [JwtRefusal, 'exp' | 'nbf' | 'iat'] | undefined {
  // RFC 7519 §4.1.4: "the current date/time MUST be before the expiration date/time".
  if (expiredToo !== true && typeof exp === 'number' && now >= exp + clockSkew) return ['expired', 'exp'];
  if (typeof nbf === 'number' && nbf > now + clockSkew) return ['not-yet-valid', 'nbf'];
  if (typeof iat === 'number' && iat > now + clockSkew) return ['not-yet-valid', 'iat'];
  if (lifetimeMax !== undefined && typeof exp === 'number' && exp > now + lifetimeMax + clockSkew)
    return ['lifetime', 'exp'];
  if (ageMax !== undefined && typeof iat === 'number' && iat < now - ageMax - clockSkew)
    return ['age', 'iat'];
  return undefined;
}

/** The keys that signed a JWT, for as long as the JWT is kept. A chain asks for the same signature several times. */
const signersOf = new WeakMap<UnverifiedJwt, Set<string>>();

function knownSigners(jwt: UnverifiedJwt): Set<string> {
  const known = signersOf.get(jwt) ?? new Set();
  signersOf.set(jwt, known);
  return known;
}

/** @param isSignature verifies signatures; the default is on the thread pool */
export function jwtInspectorWith(isSignature?: IsSignature): JwtInspector {
  const needs = isSignature === undefined ? {} : { isSignature };
  return {
    inspect(jwt, lengthMax) {
      const jws = parseCompactJws(jwt, lengthMax);
      if ('reason' in jws) return jws;
      const claims = parseObject(jws.payload)?.members;
      return claims === undefined ? { reason: 'malformed' } : { compact: jwt, header: jws.header, claims };
    },
    signatureProblem: async (jwt, keys, algorithms) =>
      await signatureProblem(jwt, keys, algorithms, { ...needs, signers: knownSigners(jwt) }),
  };
}

export const joseJwtInspector: JwtInspector = jwtInspectorWith();
