/** What an authorisation request is made of, wherever it comes from: the query, a form, a request object, or pushed. */
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
  'resource',
] as const;

/** What the authorisation endpoint and the one for pushed requests read (RFC 9101 §5, RFC 9126 §2.1). */
export const AUTHORIZATION_PARAMETERS: ReadonlySet<string> = new Set([
  ...REQUEST_PARAMETERS,
  'registration',
  'request',
  'request_uri',
]);

/** RFC 8707 §2. */
export const REPEATABLE_PARAMETERS: ReadonlySet<string> = new Set(['resource']);

/** Characters of each parameter, so that what is kept while somebody signs in is bounded. */
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
