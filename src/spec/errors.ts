import type { JsonValue } from './json.ts';
import type { RefusalReason } from './refusal-reasons.ts';

/** Every error code this server answers with: its usual status and the section that defines it. */
export const ERROR_CODES = {
  invalid_request: { status: 400, section: 'RFC 6749 §5.2' },
  invalid_client: { status: 401, section: 'RFC 6749 §5.2' },
  invalid_grant: { status: 400, section: 'RFC 6749 §5.2' },
  unauthorized_client: { status: 400, section: 'RFC 6749 §5.2' },
  unsupported_grant_type: { status: 400, section: 'RFC 6749 §5.2' },
  invalid_scope: { status: 400, section: 'RFC 6749 §5.2' },
  invalid_target: { status: 400, section: 'RFC 8707 §2' },
  invalid_authorization_details: { status: 400, section: 'RFC 9396 §5' },
  authorization_pending: { status: 400, section: 'RFC 8628 §3.5' },
  slow_down: { status: 400, section: 'RFC 8628 §3.5' },
  expired_token: { status: 400, section: 'RFC 8628 §3.5' },
  unknown_user_id: { status: 400, section: 'OpenID Connect CIBA Core 1.0 §13' },
  invalid_binding_message: { status: 400, section: 'OpenID Connect CIBA Core 1.0 §13' },
  unsupported_response_type: { status: 400, section: 'RFC 6749 §4.1.2.1' },
  server_error: { status: 500, section: 'RFC 6749 §4.1.2.1' },
  temporarily_unavailable: { status: 503, section: 'RFC 6749 §4.1.2.1' },
  interaction_required: { status: 400, section: 'OpenID Connect Core 1.0 §3.1.2.6' },
  login_required: { status: 400, section: 'OpenID Connect Core 1.0 §3.1.2.6' },
  account_selection_required: { status: 400, section: 'OpenID Connect Core 1.0 §3.1.2.6' },
  consent_required: { status: 400, section: 'OpenID Connect Core 1.0 §3.1.2.6' },
  invalid_request_uri: { status: 400, section: 'OpenID Connect Core 1.0 §3.1.2.6' },
  invalid_request_object: { status: 400, section: 'RFC 9101 §6' },
  request_uri_not_supported: { status: 400, section: 'OpenID Connect Core 1.0 §3.1.2.6' },
  registration_not_supported: { status: 400, section: 'OpenID Connect Core 1.0 §3.1.2.6' },
  unmet_authentication_requirements: {
    status: 400,
    section: 'OpenID Connect Core Error Code unmet_authentication_requirements 1.0 §2',
  },
  access_denied: { status: 403, section: 'RFC 6749 §4.1.2.1' },
  invalid_token: { status: 401, section: 'RFC 6750 §3.1' },
  insufficient_scope: { status: 403, section: 'RFC 6750 §3.1' },
  invalid_dpop_proof: { status: 400, section: 'RFC 9449 §5' },
  use_dpop_nonce: { status: 400, section: 'RFC 9449 §8' },
  invalid_redirect_uri: { status: 400, section: 'RFC 7591 §3.2.2' },
  invalid_client_metadata: { status: 400, section: 'RFC 7591 §3.2.2' },
  invalid_software_statement: { status: 400, section: 'RFC 7591 §3.2.2' },
  unapproved_software_statement: { status: 400, section: 'RFC 7591 §3.2.2' },
  invalid_trust_chain: { status: 400, section: 'OpenID Federation 1.0 §8.9' },
  invalid_trust_anchor: { status: 404, section: 'OpenID Federation 1.0 §8.9' },
  invalid_metadata: { status: 400, section: 'OpenID Federation 1.0 §8.9' },
  federation_not_enabled: { status: 400, section: 'interface, POST /federation/clients' },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Says whether an error is about a DPoP proof: its challenge has that scheme (RFC 9449 §7.1). */
export const isAboutProof = (code: ErrorCode): boolean =>
  code === 'invalid_dpop_proof' || code === 'use_dpop_nonce';

/** Notes about a refusal, for the log only (decision 46). */
export interface RefusalNotes {
  /** The narrowest reason that is known. Without one, the error code is the reason. */
  reason?: RefusalReason;
  detail?: string;
  /** Names and values that failed. The log shortens and escapes them. Never a secret. */
  values?: Readonly<Record<string, unknown>>;
  /** The client, if the endpoint knows it better than the request says. */
  client?: string;
  /** The authentication method that the request used. */
  tried?: string;
  /** The authentication method that the client is registered for. */
  registered?: string;
}

export interface ErrorWords extends RefusalNotes {
  /** For the client: ASCII without `"` and `\` (RFC 6749 §5.2); never a cause, a path or a secret. */
  error_description: string;
  cause?: unknown;
  /** Seconds after which the caller may retry: the `Retry-After` of the response. */
  retryAfter?: number;
  /** Further members of a JSON answer. */
  members?: { readonly [name: string]: JsonValue };
  /** A complete `WWW-Authenticate` value, if the code alone does not determine it. */
  challenge?: string;
  /** Further headers of the response, with names in lower case. */
  headers?: Readonly<Record<string, string>>;
}

/** Characters of a value that an error text shows. */
const SHOWN_LENGTH_MAX = 100;

/**
 * Renders a value of a request for an error text, in single quotes. Replaces characters that RFC 6749 §5.2 forbids by `?`
 * and shortens long values. Never pass a secret.
 */
export function quotedValue(value: string): string {
  const shown = value.length > SHOWN_LENGTH_MAX ? `${value.slice(0, SHOWN_LENGTH_MAX)}...` : value;
  return `'${shown.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')}'`;
}

/** Ends a request. The renderer turns it into a response in the contract's error channel. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: ErrorCode;
  readonly error_description: string;
  readonly detail: string | undefined;
  readonly notes: RefusalNotes;
  readonly challenge: string | undefined;
  readonly retryAfter: number | undefined;
  readonly members: ErrorWords['members'];
  readonly headers: ErrorWords['headers'];

  constructor(code: ErrorCode, words: ErrorWords) {
    super(
      `${code}: ${words.error_description}`,
      words.cause === undefined ? undefined : { cause: words.cause },
    );
    this.code = code;
    this.error_description = words.error_description;
    this.detail = words.detail;
    this.notes = words;
    this.challenge = words.challenge;
    this.retryAfter = words.retryAfter;
    this.members = words.members;
    this.headers = words.headers;
  }
}

/** Returns the error for a request that this server cannot decide now and may decide later: 503 with `Retry-After`. */
export function temporarilyUnavailable(
  error_description: string,
  words: RefusalNotes & { readonly retryAfter: number },
): OAuthError {
  return new OAuthError('temporarily_unavailable', { error_description, ...words });
}

/** Says that a limit is exceeded (RFC 6585 §4): the response is 429 with the time to retry. */
export class TooManyRequests extends Error {
  override readonly name = 'TooManyRequests';
  readonly retryAfterSeconds: number;
  /** The name of the limit, for the log. */
  readonly limit: string | undefined;

  constructor(retryAfterSeconds: number, limit?: string) {
    super(`more requests than the limit allows; again in ${retryAfterSeconds} s`);
    this.retryAfterSeconds = retryAfterSeconds;
    this.limit = limit;
  }
}

/** Says that the addressed resource does not exist: 404 without a body (interface, Errors). */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}
