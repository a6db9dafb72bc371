import { type ErrorCode, OAuthError } from '../../spec/errors.ts';
import type { Reason } from '../reason.ts';
import type { RegistrationDialect } from './registration-request.ts';

const DESCRIPTION_LENGTH_MAX = 400;

/**
 * The answer to a request that is refused before any registration is tried. The reason code is in every
 * `error_description`. The interface has two errors: `invalid_request` for what is malformed, `unauthorized_client` for
 * what is not trusted; there, the code of OpenID Federation 1.0 §8.9 comes first in the description.
 * @param about whether the form of the request is at fault, trust in the statement, or the chain
 */
export function registrationRefusal(
  dialect: RegistrationDialect,
  about: 'form' | 'trust' | 'chain',
  reason: Reason,
): OAuthError {
  const code = federationCode(about, reason);
  const words = described(`${reason.code}: ${reason.words}`);
  const detail = reason.detail === undefined ? {} : { detail: reason.detail };
  if (dialect === 'final') return new OAuthError(code, { error_description: words, ...detail });
  return new OAuthError(about === 'form' ? 'invalid_request' : 'unauthorized_client', {
    error_description: described(`${code}: ${words}`),
    ...detail,
  });
}

/** §8.9. */
function federationCode(about: 'form' | 'trust' | 'chain', { code }: Reason): ErrorCode {
  if (about === 'form') return 'invalid_request';
  if (about === 'trust') return 'invalid_client';
  if (code === 'unknown_trust_anchor') return 'invalid_trust_anchor';
  return code.startsWith('policy_') || code === 'constraint_entity_types'
    ? 'invalid_metadata'
    : 'invalid_trust_chain';
}

/** RFC 6749 §5.2: printable ASCII without quotation mark and backslash. Names of others are in it. */
function described(text: string): string {
  return text.slice(0, DESCRIPTION_LENGTH_MAX).replaceAll(/[^\x20-\x7e]|["\\]/g, '?');
}
