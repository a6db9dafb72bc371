import { reason } from './reason.ts';

const BY_REFERENCE = 'authorization.request-uri-by-reference';

/** Reasons to refuse an authorisation request, one of its pages, or the return after a logout. */
export const AUTHORIZATION_REASONS = {
  'no-client-id': reason(
    'The request has no `client_id`.',
    'Send `client_id`, also beside `request` and `request_uri` (RFC 9101 §5).',
  ),
  'unregistered-client': reason(
    'No client is registered with this `client_id`.',
    'Check the identifier and the issuer. If the registration is gone, register again.',
    'federation.enabled',
  ),
  'authorization-details': reason(
    'The `authorization_details` are malformed, have a type that the client is not registered for, break the schema of their type, or ask for more than was granted.',
    'Correct the object that `error_description` names, or add its type to `authorization_details_types` of the registration.',
    'authorization-details.types',
    'authorization-details.length',
  ),
  'no-redirect-uri': reason('The request has no `redirect_uri`.', 'Send one of the registered URIs.'),
  'redirect-uri-not-registered': reason(
    'The `redirect_uri` is not registered for this client. The server compares character by character.',
    'Send a registered URI exactly, or register this one. Only native clients may vary the port of a loopback address.',
  ),
  'response-type': reason(
    'The `response_type` is missing, unknown, or not registered for the client.',
    'Use a supported value, and add it to `response_types` of the registration.',
  ),
  'response-mode': reason(
    'The `response_mode` is unknown, would put tokens into a query, or is not offered.',
    'Use a supported value, or leave `response_mode` out where the default is offered.',
    'authorization.response-modes',
  ),
  'request-object': reason(
    'The request object is not valid for this request. `detail` says why.',
    'Put all parameters into the object, with the `client_id` of the request, and without `request` and `request_uri`.',
  ),
  'request-uri-off': reason(
    'The server takes no `request_uri` of clients, only those of pushed requests.',
    'Push the request (RFC 9126), or send the object itself in `request`.',
    BY_REFERENCE,
  ),
  'request-uri-not-registered': reason(
    'The `request_uri` is not among `request_uris` of the registration.',
    'Register the URI. Without a registered fragment, the request may add one with the SHA-256 of the object.',
    BY_REFERENCE,
  ),
  'request-uri-fetch': reason(
    'The request object could not be fetched from `request_uri`. `detail` says why.',
    'Serve the object with status 200 at a public https address, without redirection, as `application/oauth-authz-req+jwt` or `application/jwt`.',
    BY_REFERENCE,
    'outbound.timeout',
  ),
  'pushed-request-unknown': reason(
    'The `request_uri` was not issued to this client, was used before, or has expired.',
    'Push each request anew, and use its `request_uri` once.',
    'pushed-request.lifetime',
  ),
  'pushed-request-needed': reason(
    'The client must push its requests: the settings ask that of every client, it registered `require_pushed_authorization_requests`, or it is known by its trust chain only.',
    'Push the request (RFC 9126), or sign it where that suffices.',
    'authorization.pushed-requests',
  ),
  'signed-request-needed': reason(
    'The request is not signed, and the settings ask that of every client, or the client registered `require_signed_request_object`.',
    'Send a signed request object.',
    'authorization.signed-requests',
  ),
  'client-does-not-fit': reason(
    'The client registered before the settings excluded what it registered: an algorithm, or an address with plain http.',
    'Change the member that `error_description` names. `chancery clients fapi-report` says how.',
    'signatures.algorithms',
    'authorization.http-redirects',
  ),
  'code-challenge': reason(
    'The request needs PKCE, or its challenge is not one of S256.',
    'Send `code_challenge` and `code_challenge_method=S256` (RFC 7636).',
  ),
  'authorization-parameter': reason(
    'A parameter of the authorisation request is wrong. `detail` names it.',
    'Correct the parameter.',
  ),
  'page-over': reason(
    'The page was answered before, has expired, or belongs to another browser.',
    'Start again at the client. Cookies must be allowed.',
    'interaction.lifetime',
  ),
  'foreign-form': reason(
    'A form did not come from a page of this server, or from another page than the one that waits.',
    'A proxy must not change `Origin`, `Sec-Fetch-Site` and cookies.',
  ),
  prefetch: reason(
    'A browser loaded the address ahead of time.',
    'Nothing: the browser repeats the request when the person opens the page.',
  ),
  'logout-redirect': reason(
    'The browser does not return to the client after the logout: there is no valid `id_token_hint`, or the URI is not registered.',
    'Send the last ID token as `id_token_hint`, and register the URI in `post_logout_redirect_uris`.',
  ),
} as const;
