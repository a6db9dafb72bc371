import type { ClientId, ClientInstance } from '../../spec/identifiers.ts';
import type { JsonValue } from '../../spec/json.ts';

/** OAuth 2.0 Multiple Response Types, Form Post Response Mode and JARM §2.3. */
export const RESPONSE_MODES = [
  'query',
  'fragment',
  'form_post',
  'jwt',
  'query.jwt',
  'fragment.jwt',
  'form_post.jwt',
] as const;

/** `jwt` alone stands for the default of the response type, and is resolved when a request is read. */
export type ResponseMode = Exclude<(typeof RESPONSE_MODES)[number], 'jwt'>;

/** OpenID Connect Core 1.0 §3.1.2.1. */
export const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const;
export type Prompt = (typeof PROMPTS)[number];

/** Where an answer goes: a client and one of its redirection URIs that were proven to belong together. */
export interface ResponseTarget {
  readonly client_id: ClientId;
  readonly client_instance: ClientInstance;
  readonly redirect_uri: string;
  readonly response_mode: ResponseMode;
  readonly state?: string;
}

/** OpenID Connect Core 1.0 §5.5: what is asked of one claim; null asks for it without more. */
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
 * An authorisation request that was checked whole (RFC 6749 §4.1.1, OpenID Connect Core 1.0 §3.1.2.2). Plain data: it is kept as JSON
 * while its end-user signs in.
 */
export interface AuthorizationRequest extends ResponseTarget {
  /** Words of the response type: `code`, `id_token`, `token`. */
  readonly response_type: readonly string[];
  /** What the client may ask for of what it asked for, in its order. */
  readonly scope: readonly string[];
  readonly nonce?: string;
  /** RFC 7636, always S256. */
  readonly code_challenge?: string;
  readonly prompt: readonly Prompt[];
  /** Seconds. */
  readonly max_age?: number;
  /** Most wanted first. */
  readonly acr_values: readonly string[];
  readonly login_hint?: string;
  readonly ui_locales?: string;
  /** Whom `id_token_hint` is about, as this client knows the end-user. */
  readonly hinted_sub?: string;
  readonly claims: ClaimsRequest;
  /** RFC 8707. */
  readonly resource: readonly string[];
}
