import type { ErrorCode } from '../../spec/errors.ts';
import type { ResponseTarget } from './authorization-request.ts';

/**
 * Ends an authorisation request with an error for its client. Throw it only after the redirection URI is proven to belong to
 * the client (RFC 6749 §4.1.2.1: otherwise "the authorization server … MUST NOT automatically redirect the user-agent").
 * Before that, throw an `OAuthError`, which the person sees.
 */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError';
  readonly target: ResponseTarget;
  readonly code: ErrorCode;
  readonly error_description: string;
  /** For the log only. */
  readonly detail: string | undefined;

  constructor(target: ResponseTarget, code: ErrorCode, error_description: string, detail?: string) {
    super(`${code}: ${error_description}`);
    this.target = target;
    this.code = code;
    this.error_description = error_description;
    this.detail = detail;
  }
}
