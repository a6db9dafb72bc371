import { reason } from './reason.ts';

const AUDIENCE = 'client-authentication.assertion-audience';

/** Reasons to refuse a client or its certificate. Answers say "client authentication failed" only (decision 19). */
export const CLIENT_AUTHENTICATION_REASONS = {
  'no-client-authentication': reason(
    'The request has neither credentials nor a `client_id`.',
    'Authenticate with the method in `token_endpoint_auth_method` of the registration.',
  ),
  'several-authentication-methods': reason(
    'The request has credentials in two places, for example in the Authorization header and in the form.',
    'Use one method only (RFC 6749 §2.3).',
  ),
  'malformed-credentials': reason(
    'The Authorization header is not valid Basic, or the assertion is not a signed JWT with an `iss`.',
    'For Basic, form-encode identifier and secret, join them by a colon, and encode that with base64. For an assertion, also send `client_assertion_type`.',
  ),
  'two-client-ids': reason(
    '`client_id` in the form differs from the client that the credentials name.',
    'Send the same identifier in both places, or leave `client_id` out.',
  ),
  'unknown-client': reason(
    'No client is registered with this identifier. It may have been deleted, pruned, or registered with another issuer or tenant.',
    'Check the identifier and the issuer. If the registration is gone, register again.',
    'registration.idle-client-lifetime',
  ),
  'metadata-document': reason(
    'The Client ID Metadata Document of the client cannot be used. `detail` says why.',
    'Serve the document at the `client_id` with status 200, `client_id` equal to its URL, and no shared secret.',
    'registration.client-id-metadata-documents',
    'client-document.allowed-hosts',
  ),
  'changed-metadata-document': reason(
    'The Client ID Metadata Document has other keys or redirect URIs than when the request began.',
    'Send the end-user through the authorisation endpoint again.',
  ),
  'other-authentication-method': reason(
    'The client used a method that it is not registered for. `tried` and `registered` name the two.',
    'Use the registered method, or change `token_endpoint_auth_method` of the registration.',
    'client-authentication.secret-transport',
  ),
  'authentication-method-off': reason(
    'The client is registered for a method that the settings do not allow, as with `profile: fapi-2.0`.',
    'Change `token_endpoint_auth_method` of the registration. `chancery clients fapi-report` names every client that must change.',
    'client-authentication.methods',
  ),
  'wrong-secret': reason(
    'The secret is not the secret of this client.',
    'Use the secret of the last registration answer: each update of the registration makes a new one.',
    'registration.previous-secret-grace',
  ),
  'expired-secret': reason(
    'The secret was right, and has expired.',
    'Read the registration (`GET /clients/{id}`), which then has a new secret.',
    'registration.client-secret-lifetime',
    'registration.previous-secret-grace',
  ),
  'jwt-too-large': reason(
    'The JWT is longer than 8,192 characters.',
    'Leave out claims that the server does not need.',
  ),
  'jwt-malformed': reason(
    'The text is not a signed JWT in compact form: three parts of base64url without padding, around JSON without repeated members.',
    'Make the JWT with a JOSE library, and send it unchanged.',
  ),
  'jwt-header': reason(
    'The header has `crit`, `b64` or `zip`, or a `kid` or `typ` that is not text.',
    'Leave these members out.',
  ),
  'jwt-algorithm': reason(
    'The `alg` is not allowed for this use or for this client. An unsigned JWT (`none`) never is.',
    'Sign with an algorithm from discovery. If the registration names one (`token_endpoint_auth_signing_alg`, `request_object_signing_alg`), use that one.',
  ),
  'jwt-type': reason(
    'The `typ` belongs to another kind of JWT.',
    'Use `JWT`, leave `typ` out, or use the type that the specification defines for this use.',
  ),
  'jwt-unknown-key': reason(
    'No key of the signer fits: neither the `kid` of the header nor its algorithm. For a secret: it is too short for the algorithm.',
    'Publish the key before it signs. Check `kid`, `jwks` and `jwks_uri` of the registration, in a federation `signed_jwks_uri` first.',
    'outbound.key-set-fetches',
  ),
  'jwt-signature': reason(
    'The signature does not hold under the keys or the secret of the signer.',
    'Check that the private key belongs to the published key, and that the secret is the current one.',
  ),
  'jwt-claims': reason(
    'A required claim is missing, or a claim has the wrong type. `value` names it. Times must be whole seconds.',
    'A client assertion needs `iss`, `sub`, `aud`, `exp` and `jti`; a request object needs `iss` and `aud`.',
  ),
  'jwt-issuer': reason(
    'The `iss` is not the signer that the JWT must come from.',
    'Set `iss` to the `client_id`, in client assertions and request objects.',
  ),
  'jwt-audience': reason(
    'The `aud` does not name this server, or names others too where that is not allowed.',
    'Set `aud` to the issuer of this server, exactly as in discovery, and to nothing else.',
    AUDIENCE,
  ),
  'jwt-endpoint-audience': reason(
    'The `aud` of a client assertion is the address of an endpoint, such as the token endpoint. The server requires its issuer (draft-ietf-oauth-rfc7523bis).',
    'Set `aud` to the issuer. Where the client cannot be changed, the operator can set `legacy`.',
    AUDIENCE,
  ),
  'jwt-expired': reason(
    'The JWT has expired. Clocks may differ by a minute.',
    'Make a new JWT for each request. Check the clock of the client.',
  ),
  'jwt-not-yet-valid': reason(
    '`nbf` or `iat` lies in the future by more than a minute.',
    'Check the clock of the client.',
  ),
  'jwt-lifetime': reason(
    'The `exp` lies too far ahead.',
    'Let the JWT expire sooner: a few minutes suffice.',
    'client-authentication.assertion-lifetime-max',
    'assertion-grants.lifetime-max',
  ),
  'jwt-age': reason(
    'The `iat` lies too far back.',
    'Make a new JWT for each request.',
    'client-authentication.assertion-lifetime-max',
    'assertion-grants.lifetime-max',
  ),
  'jwt-key-set': reason(
    'The keys at `jwks_uri` or `signed_jwks_uri` could not be read, so nothing is known about the signature.',
    'Publish a JWK Set of at most 20 keys with status 200 and the media type `application/json` or `application/jwk-set+json`. For `signed_jwks_uri`, `detail` says what is wrong with the signed set.',
    'outbound.timeout',
  ),
  'jwt-subject': reason('The `sub` of a client assertion is not its `iss`.', 'Set both to the `client_id`.'),
  'jwt-id': reason(
    'The `jti` is missing, empty or longer than 256 characters.',
    'Make a random `jti` for each JWT.',
  ),
  'jwt-used': reason(
    'A JWT with this `jti` was used before. Each one works once.',
    'Make a new JWT for each request, also for each retry.',
  ),
  'no-certificate': reason(
    'The client must prove itself by a certificate, and the connection brought none.',
    'Present the certificate, at the address that asks for it (`mtls_endpoint_aliases` in discovery).',
    'listen.tls-client-certificates',
    'client-authentication.certificate-header',
  ),
  certificate: reason(
    'The certificate is malformed, expired, not for clients, or has no chain to a trusted authority. `detail` says which.',
    'Renew the certificate, or send the intermediate certificates with it.',
    'listen.tls-client-ca',
  ),
  'certificate-subject': reason(
    'The certificate does not have the registered subject.',
    'Compare the certificate with the `tls_client_auth_…` member of the registration.',
  ),
  'certificate-key': reason(
    'The key of the certificate is not among the registered keys.',
    'Add the key to `jwks` or to the set at `jwks_uri`. An automatic client of a federation adds a self-signed certificate as `x5c`.',
  ),
  'dpop-proof': reason(
    'The DPoP proof does not fit the request, was used before, or is missing although the token or the client needs one. The answer says which.',
    'Sign a new proof for each request, with the address of the endpoint as `htu`.',
    'dpop.proof-lifetime',
    'dpop.enabled',
  ),
  'dpop-nonce': reason(
    'The DPoP proof has no nonce of this server, or an old one.',
    'Take the nonce from the `DPoP-Nonce` header of the answer, and repeat the request with a new proof. Most libraries do.',
    'dpop.nonces',
    'dpop.nonce-lifetime',
  ),
  'certificate-binding': reason(
    'The token, or the registration, is bound to a certificate, and this connection has another one or none.',
    'Use the connection with the certificate that the token was issued for (RFC 8705 §3).',
  ),
} as const;
