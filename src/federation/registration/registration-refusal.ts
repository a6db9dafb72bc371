import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import { type ErrorCode, OAuthError, temporarilyUnavailable } from '../../spec/errors.ts';
import type { Reason } from '../reason.ts';
import type { Resolution } from '../trust-chain/resolve-trust.ts';
import type { RegistrationDialect } from './registration-request.ts';

const DESCRIPTION_LENGTH_MAX = 400;

/**
 * Returns the error for a request that fails before registration. Every `error_description` has the reason code. The
 * interface has two errors: `invalid_request` for a malformed request and `unauthorized_client` for an untrusted one. Its
 * description begins with the code of OpenID Federation 1.0 §8.9.
 * @param about whether the form of the request, trust in the statement or the chain fails
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

/** Logs why an entity is not trusted and returns the error: 503 if that is not known. */
export function untrustedRefusal(
  { log }: Pick<RegistryNeeds, 'log'>,
  dialect: RegistrationDialect,
  { search: { entity_id }, reason, fetches, retryAfter }: Resolution,
): OAuthError {
  const found = reason ?? { code: 'unknown_trust_anchor', words: 'no trust chain was found' };
  log.warn(
    { entity_id, reason: found.code, words: found.words, fetches, explain: explainingCommand(entity_id) },
    'an entity is not trusted',
  );
  if (retryAfter === undefined) return registrationRefusal(dialect, 'chain', found);
  // §8.9: "The server hosting the federation endpoint is currently unable to handle the request".
  return temporarilyUnavailable(described(`${found.code}: ${found.words}; try again later`), {
    retryAfter,
    ...(found.detail === undefined ? {} : { detail: found.detail }),
  });
}

/** Logs that a trusted entity cannot be registered. */
export function noteNotAdmitted(
  { log }: Pick<RegistryNeeds, 'log'>,
  entity_id: string,
  { code, error_description }: OAuthError,
): void {
  log.warn(
    { entity_id, reason: code, words: error_description, explain: explainingCommand(entity_id) },
    'an entity is trusted, and its metadata cannot be registered',
  );
}

/** Returns the command that shows why, for a shell: an identifier may have characters that a shell interprets. */
function explainingCommand(entityId: string): string {
  const isPlain = /^[\w./:~%-]+$/.test(entityId);
  return `chancery federation resolve ${isPlain ? entityId : `'${entityId.replaceAll("'", "'\\''")}'`}`;
}

/** Returns the error code of §8.9. */
function federationCode(about: 'form' | 'trust' | 'chain', { code }: Reason): ErrorCode {
  if (about === 'form') return 'invalid_request';
  if (about === 'trust') return 'invalid_client';
  if (code === 'unknown_trust_anchor') return 'invalid_trust_anchor';
  return code.startsWith('policy_') || code.endsWith('constraint_entity_types')
    ? 'invalid_metadata'
    : 'invalid_trust_chain';
}

/** Replaces characters that RFC 6749 §5.2 forbids: reasons contain names that other parties choose. */
function described(text: string): string {
  return text.slice(0, DESCRIPTION_LENGTH_MAX).replaceAll(/[^\x20-\x7e]|["\\]/g, '?');
}
