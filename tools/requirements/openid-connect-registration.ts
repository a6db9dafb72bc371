import { client, decided, must, type Specification } from './requirement.ts';

export const openidConnectRegistration: Specification = {
  title: 'OpenID Connect Dynamic Client Registration 1.0 (errata set 2)',
  scope: 'Every sentence that binds the provider.',
  requirements: [
    decided(
      'openid-registration-2-1',
      '§2',
      'redirect_uris are required.',
      'interface: a simple OAuth 2.0 client without a redirection flow has none (RFC 7591 §2)',
    ),
    must('openid-registration-2-2', '§2', 'Each response type has the grant types that it needs.'),
    must(
      'openid-registration-2-3',
      '§2',
      'Defaults: response type code, grant type authorization_code, application_type web, client_secret_basic, RS256, require_auth_time false.',
    ),
    must(
      'openid-registration-2-4',
      '§2',
      'A web client of the implicit grant registers https URIs only, and none of localhost; the provider verifies it.',
    ),
    decided(
      'openid-registration-2-5',
      '§2',
      'A native client registers its own schemes or http on the loopback interface only; the provider verifies it.',
      'https is accepted too, as RFC 8252 §7.2 recommends (claimed https URIs); a scheme of its own is a reversed domain name (RFC 8252 §7.1)',
    ),
    must('openid-registration-2-6', '§2', 'jwks and jwks_uri are not used together.'),
    must('openid-registration-2-7', '§2', 'jwks holds neither private nor symmetric keys.'),
    must('openid-registration-2-8', '§2', 'subject_type is one of those that the provider supports.'),
    must(
      'openid-registration-2-9',
      '§2',
      'id_token_signed_response_alg none only where no ID token comes from the authorisation endpoint.',
    ),
    must(
      'openid-registration-2-10',
      '§2',
      'An _encrypted_response_enc or request_object_encryption_enc comes with its _alg, and is A128CBC-HS256 by default.',
    ),
    must('openid-registration-2-11', '§2', 'token_endpoint_auth_signing_alg is not none.'),
    must('openid-registration-2-12', '§2', 'initiate_login_uri is https.'),
    must(
      'openid-registration-2-13',
      '§2',
      'default_max_age is a number, require_auth_time a boolean, default_acr_values an array of strings.',
    ),
    decided(
      'openid-registration-2-14',
      '§2',
      'request_uris may hold URIs of request objects, which the provider may cache.',
      'this server takes no request_uri, so that only an empty list is accepted; discovery says so once there is an authorisation endpoint',
    ),
    must(
      'openid-registration-2-15',
      '§2',
      'Values that are used in user interfaces come back in every language that was sent.',
    ),
    must(
      'openid-registration-2.1-1',
      '§2.1',
      'Members with language tags are independent of the ones without.',
    ),
    must(
      'openid-registration-3-1',
      '§3',
      'The registration endpoint accepts an initial access token as RFC 6750 says.',
    ),
    must(
      'openid-registration-3-2',
      '§3',
      'Requests without a token are accepted where registration is open (SHOULD).',
    ),
    must(
      'openid-registration-3.1-1',
      '§3.1',
      'A POST with application/json; metadata are members of the root object.',
    ),
    must('openid-registration-3.1-2', '§3.1', 'Members that are not understood are ignored.'),
    must(
      'openid-registration-3.2-1',
      '§3.2',
      'Every registered value is returned; values may be replaced, but not redirect_uris.',
    ),
    must('openid-registration-3.2-2', '§3.2', 'client_id is in the answer, and no other client has it.'),
    must(
      'openid-registration-3.2-3',
      '§3.2',
      'client_secret is no other client’s; client_secret_expires_at comes with it.',
    ),
    must(
      'openid-registration-3.2-4',
      '§3.2',
      'registration_access_token and registration_client_uri come both or neither; the address is https.',
    ),
    decided(
      'openid-registration-3.2-5',
      '§3.2',
      'A successful registration is 201 (SHOULD).',
      'decision 4: POST /clients answers 200, POST /register 201; discovery names /register',
    ),
    must(
      'openid-registration-3.3-1',
      '§3.3',
      'A registration error is 400 with application/json, error and error_description.',
    ),
    must(
      'openid-registration-3.3-2',
      '§3.3',
      'invalid_redirect_uri and invalid_client_metadata are the codes.',
    ),
    must('openid-registration-3.3-3', '§3.3', 'Errors of the initial access token are those of RFC 6750.'),
    client(
      'openid-registration-4-1',
      '§4',
      'The client uses its registration access token in all calls to the configuration endpoint.',
    ),
    must('openid-registration-4.2-1', '§4.2', 'A read changes no metadata (SHOULD NOT).'),
    must('openid-registration-4.3-1', '§4.3', 'A read is 200 with application/json and all the metadata.'),
    must(
      'openid-registration-4.4-1',
      '§4.4',
      'A token that is not valid and a client that does not exist are 401.',
    ),
    must('openid-registration-4.4-2', '§4.4', 'No permission is 403.'),
    decided(
      'openid-registration-4.4-3',
      '§4.4',
      'No error is 404.',
      'interface, Errors, rule 1: 404 for the master token, which no client has; a client never sees it',
    ),
    must(
      'openid-registration-5-1',
      '§5',
      'sector_identifier_uri is https, and its document a JSON array with every one of the redirect_uris, or the registration fails.',
    ),
    must(
      'openid-core-8.1-1',
      'OpenID Connect Core §8.1',
      'Pairwise subjects with several hosts in redirect_uris need a sector_identifier_uri.',
    ),
    must(
      'openid-registration-6-1',
      '§6',
      'Strings are compared by code points, after JSON escapes are undone, without normalisation.',
    ),
    decided(
      'openid-registration-9.1-1',
      '§9.1',
      'Names and addresses that end-users see are no means of impersonation.',
      'as for RFC 7591 §5; that logo_uri and policy_uri have the hosts of redirect_uris (SHOULD) is not checked',
    ),
    decided(
      'openid-registration-9.2-1',
      '§9.2, §9.3',
      'TLS protects the endpoints and the documents that they fetch.',
      'TLS ends at the proxy in front (docs/operate/tls-and-proxies.md); https alone is fetched, except in development with outbound.allow-http',
    ),
  ],
};
