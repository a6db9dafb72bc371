import type { JsonValue } from '../../spec/json.ts';
import { entityIdProblem } from '../entity-id.ts';
import { isObject } from '../json-value.ts';
import { federationKeysProblem } from './key-checks.ts';
import type { Examined, StatementCheck } from './statement-check.ts';

/** Checks the form only. Marks are validated (§7.3) only if a setting requires them. */
export const trustMarksCheck: StatementCheck = {
  number: 20,
  name: 'trust_marks',
  code: 'statement_trust_marks',
  about: 'form',
  problem: ({ jwt: { claims }, kind }) => {
    const { trust_marks } = claims;
    if (trust_marks === undefined) return undefined;
    if (kind === 'subordinate') return 'has trust_marks, which a subordinate statement must not have';
    return Array.isArray(trust_marks) && trust_marks.every(isTrustMark)
      ? undefined
      : 'has trust_marks that are not an array of trust marks, each with the trust_mark_type of its JWT';
  },
};

/** "a `trust_mark_type` member whose value matches the `trust_mark_type` Claim Value in the Trust Mark JWT" */
function isTrustMark(mark: JsonValue): boolean {
  if (!isObject(mark)) return false;
  const { trust_mark_type: type, trust_mark } = mark;
  return typeof type === 'string' && typeof trust_mark === 'string' && trustMarkType(trust_mark) === type;
}

/** Returns the unverified `trust_mark_type` claim of a trust mark JWT, or undefined if it cannot be read. */
export function trustMarkType(jwt: string): unknown {
  try {
    const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
    return typeof claims === 'object' && claims !== null ? Reflect.get(claims, 'trust_mark_type') : undefined;
  } catch {
    return undefined;
  }
}

export const trustMarkIssuersCheck: StatementCheck = {
  number: 21,
  name: 'trust_mark_issuers',
  code: 'statement_trust_mark_issuers',
  about: 'form',
  problem: (examined) =>
    ofAnchor(examined, 'trust_mark_issuers', (issuers) =>
      Array.isArray(issuers)
        ? issuers.every((issuer) => entityIdProblem(issuer, examined.allowHttp) === undefined)
        : false,
    ),
};

export const trustMarkOwnersCheck: StatementCheck = {
  number: 22,
  name: 'trust_mark_owners',
  code: 'statement_trust_mark_owners',
  about: 'form',
  problem: (examined) =>
    ofAnchor(
      examined,
      'trust_mark_owners',
      (owner) =>
        isObject(owner) &&
        entityIdProblem(owner['sub'], examined.allowHttp) === undefined &&
        federationKeysProblem(owner['jwks'], examined.limits.keys, false) === undefined,
    ),
};

/** Checks a claim that only trust anchors use: an object with one member for each type of trust mark. */
function ofAnchor(
  { jwt: { claims }, kind }: Examined,
  name: string,
  isProper: (value: JsonValue) => boolean,
): string | undefined {
  const claim = claims[name];
  if (claim === undefined) return undefined;
  if (kind === 'subordinate') return `has ${name}, which a subordinate statement must not have`;
  return isObject(claim) && Object.values(claim).every(isProper)
    ? undefined
    : `has ${name} in a form that OpenID Federation 1.0 section 3.1.2 does not allow`;
}
