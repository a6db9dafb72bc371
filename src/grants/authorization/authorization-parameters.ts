import type { ParameterName } from '../../spec/parameter-words.ts';
/** Parameters that describe an authorisation request, in a query, a form, a request object or a pushed request. */
export const REQUEST_PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'response_mode',
  'nonce',
  'prompt',
  'max_age',
  'ui_locales',
  'id_token_hint',
  'login_hint',
  'acr_values',
  'claims',
  'code_challenge',
  'code_challenge_method',
  'dpop_jkt',
  'resource',
  'authorization_details',
] as const;

/** Parameters that the authorisation endpoint and the pushed authorization request endpoint read (RFC 9101 §5, RFC 9126 §2.1). */
export const AUTHORIZATION_PARAMETERS: ReadonlySet<ParameterName> = new Set<ParameterName>([
  ...REQUEST_PARAMETERS,
  'registration',
  'request',
  'request_uri',
]);

/** Parameters that a request may repeat (RFC 8707 §2). */
export const REPEATABLE_PARAMETERS: ReadonlySet<ParameterName> = new Set<ParameterName>(['resource']);

/** Limits in characters, so that a request has a bounded size while it is stored during sign-in. */
export const PARAMETER_LENGTHS_MAX: Readonly<Record<string, number>> = {
  state: 4096,
  nonce: 1024,
  login_hint: 256,
  ui_locales: 256,
  acr_values: 1024,
  scope: 4096,
  claims: 8192,
  redirect_uri: 4096,
};
