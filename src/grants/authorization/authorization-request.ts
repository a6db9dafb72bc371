import type { ErrorCode, RefusalNotes } from '../../spec/errors.ts';
import type { ClientId, ClientInstance, Digest } from '../../spec/identifiers.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { RESPONSE_MODES } from '../../spec/server-capabilities.ts';
import type { AuthorizationDetails } from '../authorization-details/detail-types.ts';
import type { Backchannel } from '../backchannel/backchannel-request.ts';
import type { Device } from '../device/device-request.ts';

/** Leaves out `jwt`, which stands for the default of the response type and is resolved when a request is read. */
export type ResponseMode = Exclude<(typeof RESPONSE_MODES)[number], 'jwt'>;

/** OpenID Connect Core 1.0 §3.1.2.1. */
export const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const;
export type Prompt = (typeof PROMPTS)[number];

/** The destination of a response: a client and a redirection URI that is proven to be its own. */
export interface ResponseTarget {
  readonly client_id: ClientId;
  readonly client_instance: ClientInstance;
  /** The keys of a client that is registered by a document (`clientKeysOf`). */
  readonly client_keys?: Digest;
  readonly redirect_uri: string;
  readonly response_mode: ResponseMode;
  readonly state?: string;
  /** The device that the response is for (RFC 8628). Nothing goes to `redirect_uri` then. */
  readonly device?: Device;
  /** The request of a client without a browser (OpenID Connect CIBA Core 1.0). Nothing goes to `redirect_uri` then. */
  readonly backchannel?: Backchannel;
}

/** The conditions for one requested claim; null requests the claim without conditions (OpenID Connect Core 1.0 §5.5). */
export type ClaimRequest = {
  readonly essential?: boolean;
  readonly value?: JsonValue;
  readonly values?: readonly JsonValue[];
} | null;

export interface ClaimsRequest {
  readonly userinfo: Readonly<Record<string, ClaimRequest>>;
  readonly id_token: Readonly<Record<string, ClaimRequest>>;
}

/**
 * A completely checked authorisation request (RFC 6749 §4.1.1, OpenID Connect Core 1.0 §3.1.2.2). It is plain data, because it
 * is stored as JSON while its end-user signs in.
 */
export interface AuthorizationRequest extends ResponseTarget {
  /** Words of the response type: `code`, `id_token`, `token`. */
  readonly response_type: readonly string[];
  /** The requested values that the client may have, in the order of the request. */
  readonly scope: readonly string[];
  readonly nonce?: string;
  /** RFC 7636, always S256. */
  readonly code_challenge?: string;
  /** The thumbprint of the key that the code is bound to (RFC 9449 §10). */
  readonly dpop_jkt?: string;
  readonly prompt: readonly Prompt[];
  /** Seconds. */
  readonly max_age?: number;
  /** Most wanted first. */
  readonly acr_values: readonly string[];
  readonly login_hint?: string;
  readonly ui_locales?: string;
  /** The subject of `id_token_hint`, as this client knows the end-user. */
  readonly hinted_sub?: string;
  readonly claims: ClaimsRequest;
  /** RFC 8707. */
  readonly resource: readonly string[];
  /** RFC 9396. */
  readonly authorization_details?: AuthorizationDetails;
}

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
  readonly notes: RefusalNotes;
  /** Seconds after which the client may retry. */
  readonly retryAfter: number | undefined;

  constructor(
    target: ResponseTarget,
    code: ErrorCode,
    error_description: string,
    { retryAfter, ...notes }: RefusalNotes & { readonly retryAfter?: number } = {},
  ) {
    super(`${code}: ${error_description}`);
    this.target = target;
    this.code = code;
    this.error_description = error_description;
    // Most refusals of this code are about one parameter, which error_description names.
    const usual = code === 'invalid_request' ? { reason: 'authorization-parameter' as const } : {};
    this.notes = { client: target.client_id, ...usual, ...notes };
    this.retryAfter = retryAfter;
  }
}
