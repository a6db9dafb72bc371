import { CLOCK_SKEW } from '../../ports/jwt-verifier.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { StatementCheck } from './statement-check.ts';

/** Accepts whole seconds only. RFC 7519 §2 also allows fractions, which no statement needs. */
export function isNumericDate(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export const issuedCheck: StatementCheck = {
  number: 7,
  name: 'iat',
  code: 'statement_not_yet_valid',
  about: 'trust',
  problem: ({ jwt: { claims }, now }) => {
    const { iat, nbf } = claims;
    if (!isNumericDate(iat) || (nbf !== undefined && !isNumericDate(nbf))) {
      return 'must have an iat, and an iat and an nbf that are whole numbers of seconds';
    }
    return Math.max(iat, nbf ?? 0) > now + CLOCK_SKEW ? 'is not valid yet' : undefined;
  },
};

/** Rejects an old request. Anyone can send a public configuration, but a statement made for a request is recent (decision 35). */
export const ageCheck: StatementCheck = {
  number: 7,
  name: 'iat of a request',
  code: 'statement_too_old',
  about: 'trust',
  problem: ({ jwt: { claims }, now, request }) =>
    request !== undefined && Number(claims['iat']) < now - request.ageMax - CLOCK_SKEW
      ? `is older than the ${request.ageMax} s that a registration request may be`
      : undefined,
};

export const expiryCheck: StatementCheck = {
  number: 8,
  name: 'exp',
  code: 'statement_expired',
  about: 'trust',
  problem: ({ jwt: { claims }, now }) => {
    const { exp } = claims;
    if (!isNumericDate(exp)) return 'must have an exp that is a whole number of seconds';
    return now >= exp + CLOCK_SKEW ? 'has expired' : undefined;
  },
};

export const lifetimeCheck: StatementCheck = {
  number: 8,
  name: 'exp of a request',
  code: 'statement_lifetime',
  about: 'trust',
  problem: ({ jwt: { claims }, now, request }) =>
    request !== undefined && Number(claims['exp']) > now + request.lifetimeMax + CLOCK_SKEW
      ? `expires later than the ${request.lifetimeMax} s from now that a registration request may have`
      : undefined,
};
