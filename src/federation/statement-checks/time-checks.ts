import { CLOCK_SKEW } from '../../ports/jwt-verifier.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { StatementCheck } from './statement-check.ts';

/** RFC 7519 §2 allows fractions of a second; nobody needs them here, and 1e308 is one in disguise. */
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
      return 'has no iat, or a time that is not a whole number of seconds';
    }
    return Math.max(iat, nbf ?? 0) > now + CLOCK_SKEW ? 'is not valid yet' : undefined;
  },
};

/** A configuration is public, so that anyone could send it; one that was made for a request is recent (decision 35). */
export const ageCheck: StatementCheck = {
  number: 7,
  name: 'iat of a request',
  code: 'statement_too_old',
  about: 'trust',
  problem: ({ jwt: { claims }, now, request }) =>
    request !== undefined && Number(claims['iat']) < now - request.ageMax - CLOCK_SKEW
      ? 'was made too long ago for a request'
      : undefined,
};

export const expiryCheck: StatementCheck = {
  number: 8,
  name: 'exp',
  code: 'statement_expired',
  about: 'trust',
  problem: ({ jwt: { claims }, now }) => {
    const { exp } = claims;
    if (!isNumericDate(exp)) return 'has no exp, or one that is not a whole number of seconds';
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
      ? 'expires too far in the future for a request'
      : undefined,
};
