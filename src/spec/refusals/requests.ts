import { reason } from './reason.ts';

/** Reasons to refuse a request at an endpoint that clients call: its form, its bearer token, its grant. */
export const REQUEST_REASONS = {
  'media-type': reason(
    'The body has another media type than the endpoint reads.',
    'Send the Content-Type that `detail` names.',
  ),
  'malformed-form': reason(
    'The form is not in the form encoding, or has too many parameters.',
    'Encode the form with a library. Leave out unknown parameters.',
    'limits.form-parameters',
  ),
  'unreadable-parameter': reason(
    'A parameter stands in the request twice, or is not correctly encoded.',
    'Send each parameter once (RFC 6749 §3.1), in percent-encoded UTF-8.',
  ),
  'missing-parameter': reason(
    'A required parameter is missing or empty. `detail` names it.',
    'Send the parameter.',
  ),
  'malformed-json': reason(
    'The body is not the JSON object that the endpoint reads. `detail` says where.',
    'Send one JSON object in UTF-8, with each member once.',
    'limits.json-depth',
    'limits.json-members',
  ),
  'no-bearer-token': reason(
    'The request needs a bearer token and has none.',
    'Send `Authorization: Bearer TOKEN`.',
    'registration.allow-open-registration',
  ),
  'other-scheme-than-bearer': reason(
    'The Authorization header has another scheme than `Bearer`, or is malformed.',
    'Send `Authorization: Bearer TOKEN`.',
  ),
  'long-bearer-token': reason(
    'The bearer token is longer than the server reads.',
    'Check that the header holds one token.',
    'limits.bearer-token',
  ),
  'unknown-bearer-token': reason(
    'The bearer token is not one of this server, has expired, was revoked, or was used up.',
    'Ask for a new token. An initial access token registers one client only.',
    'access-token.lifetime',
  ),
  'used-initial-access-token': reason(
    'The initial access token has registered a client already.',
    'Ask for a new one: each registers one client only.',
    'initial-access-token.lifetime',
  ),
  'token-scope': reason(
    'The token, or the client, lacks a scope value that the endpoint needs. `value` names it.',
    'Ask for a token with that scope, or register the client for it.',
  ),
  'not-own-token': reason(
    'The token was given by an end-user or the operator. The endpoint takes one that a client got for itself.',
    'Use the grant `client_credentials`.',
  ),
  'no-end-user': reason(
    'The token has no end-user with an account in use.',
    'Use a token of an end-user who can still sign in.',
  ),
  'exchange-policy': reason(
    'The client may not exchange tokens: it has no policy for it, or does not authenticate.',
    'Add the client to the policies, or give its registration the member `chancery_token_exchange`.',
    'token-exchange.policies',
  ),
  'exchanged-token': reason(
    'A token that the client wants to exchange is not valid, or its policy does not allow it. The answer says why.',
    'Exchange a live token that was issued to the client or has the client in its audience.',
    'token-exchange.policies',
    'token-exchange.chain-max',
  ),
  'token-type': reason(
    'A type of token is not one that the exchange reads or issues.',
    'Use one of the types that the answer names.',
  ),
  'grant-type': reason(
    'The server does not offer this `grant_type`.',
    'Use one of `grant_types_supported` in discovery.',
    'assertion-grants.issuers',
  ),
  'grant-type-not-registered': reason(
    'The client is not registered for this `grant_type`.',
    'Add it to `grant_types` of the registration.',
  ),
  'scope-form': reason(
    'The `scope` is not a list of values with spaces between them.',
    'Send the values separated by one space, without quotation marks, tabs and backslashes.',
  ),
  'scope-not-registered': reason(
    'The client asks for a scope value that it is not registered for.',
    'Ask for registered values only, or change `scope` of the registration.',
    'registration.open-scope-values',
  ),
  'scope-not-granted': reason(
    'A refresh asks for a scope value that was not granted before.',
    'Ask for granted values only, or send the end-user through the authorisation endpoint again.',
  ),
  'no-scope': reason(
    'The request has no `scope`, and the client has no default.',
    'Send a `scope`, or register the client with one.',
    'registration.open-scope-values',
  ),
  resource: reason(
    'The `resource` is not an absolute URI without fragment, is not allowed for the client, or was not granted.',
    'Send the resource identifier of the API exactly as the operator configured it.',
    'access-token.resources',
  ),
  'unknown-code': reason(
    'The server issued no such authorisation code, or has forgotten it.',
    'Redeem each code once, at the issuer that sent it.',
  ),
  'code-of-another-client': reason(
    'The authorisation code was issued to another client.',
    'Redeem the code with the client that asked for it.',
  ),
  'code-redirect-uri': reason(
    '`redirect_uri` differs from the one of the authorisation request.',
    'Send the same text in both requests.',
  ),
  'code-verifier': reason(
    '`code_verifier` does not match the `code_challenge` of the authorisation request.',
    'Keep the verifier of each request until its code is redeemed. The challenge is BASE64URL(SHA-256(verifier)).',
  ),
  'used-code': reason(
    'The authorisation code was redeemed before, or its session has ended. A second use ends the tokens of the first one.',
    'Redeem each code once. Look for a retry or for a second tab in the client.',
  ),
  'expired-code': reason(
    'The authorisation code has expired.',
    'Redeem the code at once.',
    'authorization-code.lifetime',
  ),
  'ended-session': reason(
    'The end-user has signed out.',
    'Send the end-user through the authorisation endpoint again.',
  ),
  'unknown-refresh-token': reason(
    'The server issued no such refresh token, or its grant has ended: it expired, was revoked, or was not used for too long.',
    'Send the end-user through the authorisation endpoint again.',
    'refresh-token.lifetime',
    'refresh-token.max-idle',
  ),
  'refresh-token-of-another-client': reason(
    'The refresh token was issued to another client, or to an earlier registration of this one.',
    'Use the token with the client that received it.',
  ),
  'used-refresh-token': reason(
    'The refresh token was replaced by a newer one. Its use ends the grant, because it may be stolen.',
    'Store the new refresh token of each answer before you use it. Do not refresh in two places at once.',
    'refresh-token.rotate',
  ),
  'assertion-issuer': reason(
    'The issuer of the assertion is not trusted, or this client may not present its assertions.',
    'The operator configures issuers and their clients.',
    'assertion-grants.issuers',
  ),
  assertion: reason(
    'The assertion is not acceptable. `detail` says why.',
    'Correct the assertion at the identity provider.',
    'assertion-grants.issuers',
  ),
  'user-password': reason(
    'The user name or the password is wrong, or the account is disabled. A line `sign-in refused` says which.',
    'Ask the end-user again.',
  ),
  'token-of-another-client': reason(
    'The token to revoke was issued to another client.',
    'Revoke own tokens only (RFC 7009 §2.1).',
  ),
  introspection: reason(
    'The caller is authenticated, and lacks the introspection scope.',
    'Register the resource server with the URL of the introspection endpoint as `scope`.',
  ),
} as const;
