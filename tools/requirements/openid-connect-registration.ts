import { client, decided, must, type Specification } from './requirement.ts';
import {
  fetching,
  managing,
  oauth4webapi,
  openidClient,
  read,
  registering,
  registration,
} from './test-files.ts';

export const openidConnectRegistration: Specification = {
  title: 'OpenID Connect Dynamic Client Registration 1.0 (errata set 2)',
  scope: 'Every sentence that binds the provider.',
  requirements: [
    decided(
      '§2',
      'redirect_uris are required.',
      'interface: a simple OAuth 2.0 client without a redirection flow has none (RFC 7591 §2)',
      registering('a redirection flow without redirect_uris', 'a client without a redirection flow needs no'),
    ),
    must(
      '§2',
      'Each response type has the grant types that it needs.',
      registering('response types go with their grant types'),
    ),
    must(
      '§2',
      'Defaults: response type code, grant type authorization_code, application_type web, client_secret_basic, RS256, require_auth_time false.',
      registering('a client that names its redirect_uris alone gets the defaults'),
    ),
    must(
      '§2',
      'A web client of the implicit grant registers https URIs only, and none of localhost; the provider verifies it.',
      registering('a web client of the implicit grant'),
    ),
    decided(
      '§2',
      'A native client registers its own schemes or http on the loopback interface only; the provider verifies it.',
      'https is accepted too, as RFC 8252 §7.2 recommends (claimed https URIs); a scheme of its own is a reversed domain name (RFC 8252 §7.1)',
      registering('a native client: private-use schemes'),
    ),
    must('§2', 'jwks and jwks_uri are not used together.', registering('jwks and jwks_uri together')),
    must(
      '§2',
      'jwks holds neither private nor symmetric keys.',
      registering('a jwks with a private or a symmetric key'),
    ),
    must(
      '§2',
      'subject_type is one of those that the provider supports.',
      registering('subject_type is one that the server has'),
    ),
    must(
      '§2',
      'id_token_signed_response_alg none only where no ID token comes from the authorisation endpoint.',
      registering('oidcc-idtoken-unsigned, registration'),
    ),
    must(
      '§2',
      'An _encrypted_response_enc or request_object_encryption_enc comes with its _alg, and is A128CBC-HS256 by default.',
      registering('an encryption without its key management'),
    ),
    must(
      '§2',
      'token_endpoint_auth_signing_alg is not none.',
      registering('token_endpoint_auth_signing_alg none'),
    ),
    must(
      '§2',
      'initiate_login_uri is https.',
      registering('oidcc-3rd_party-init-login-nohttps', 'oidcc-3rd_party-init-login, registration'),
    ),
    must(
      '§2',
      'default_max_age is a number, require_auth_time a boolean, default_acr_values an array of strings.',
      registering('values of the wrong type', 'every registered member is returned'),
    ),
    decided(
      '§2',
      'request_uris may hold URIs of request objects, which the provider may cache.',
      'this server takes no request_uri, so that only an empty list is accepted; discovery says so once there is an authorisation endpoint',
    ),
    must(
      '§2',
      'Values that are used in user interfaces come back in every language that was sent.',
      registering('oidcc-registration-logo-uri, -policy-uri, -tos-uri'),
    ),
    must(
      '§2.1',
      'Members with language tags are independent of the ones without.',
      registering('every registered member is returned', 'strings are compared by code points'),
    ),
    must(
      '§3',
      'The registration endpoint accepts an initial access token as RFC 6750 says.',
      openidClient('openid-client: an initial access token registers one client'),
      oauth4webapi('oauth4webapi: parallel registrations with one initial access token make one client'),
    ),
    must(
      '§3',
      'Requests without a token are accepted where registration is open (SHOULD).',
      oauth4webapi('oauth4webapi, open registration: anyone registers'),
    ),
    must(
      '§3.1',
      'A POST with application/json; metadata are members of the root object.',
      registering('the registration endpoint reads a JSON object in a POST'),
    ),
    must(
      '§3.1',
      'Members that are not understood are ignored.',
      registering('members that are not understood are ignored'),
    ),
    must(
      '§3.2',
      'Every registered value is returned; values may be replaced, but not redirect_uris.',
      registering('every registered member is returned', 'oidcc-redirect-uri-query-OK, registration'),
    ),
    must(
      '§3.2',
      'client_id is in the answer, and no other client has it.',
      registering('oidcc-server, registration', 'no two clients have the same identifier'),
    ),
    must(
      '§3.2',
      'client_secret is no other client’s; client_secret_expires_at comes with it.',
      registering('oidcc-server, registration', 'no two clients have the same identifier'),
    ),
    must(
      '§3.2',
      'registration_access_token and registration_client_uri come both or neither; the address is https.',
      registering('oidcc-server, registration'),
      managing('registration.open-idempotent'),
    ),
    decided(
      '§3.2',
      'A successful registration is 201 (SHOULD).',
      'decision 4: POST /clients answers 200, POST /register 201; discovery names /register',
      registering('oidcc-server, registration', 'POST /clients answers as POST /register does'),
    ),
    must(
      '§3.3',
      'A registration error is 400 with application/json, error and error_description.',
      registering('oidcc-redirect-uri-regfrag', 'values of the wrong type'),
      registration(400)('…: 400 invalid_client_metadata'),
    ),
    must(
      '§3.3',
      'invalid_redirect_uri and invalid_client_metadata are the codes.',
      registering('oidcc-redirect-uri-regfrag', 'oidcc-3rd_party-init-login-nohttps'),
    ),
    must(
      '§3.3',
      'Errors of the initial access token are those of RFC 6750.',
      registering('an initial access token that is not valid'),
    ),
    client('§4', 'The client uses its registration access token in all calls to the configuration endpoint.'),
    must('§4.2', 'A read changes no metadata (SHOULD NOT).', managing('reading changes nothing')),
    must(
      '§4.3',
      'A read is 200 with application/json and all the metadata.',
      managing('fapi2-security-profile-final-brazildcr-happy-flow'),
      read(200)('GET /clients/{id} gives the very bytes'),
    ),
    must(
      '§4.4',
      'A token that is not valid and a client that does not exist are 401.',
      managing(
        'fapi2-security-profile-final-brazildcr-invalid-registration-access-token',
        'fapi2-security-profile-final-brazildcr-client-delete',
      ),
    ),
    must('§4.4', 'No permission is 403.', managing('an access token of the client is no registration token')),
    decided(
      '§4.4',
      'No error is 404.',
      'interface, Errors, rule 1: 404 for the master token, which no client has; a client never sees it',
      managing('the master token at an identifier that does not exist'),
    ),
    must(
      '§5',
      'sector_identifier_uri is https, and its document a JSON array with every one of the redirect_uris, or the registration fails.',
      registering('sector_identifier_uri is https'),
      fetching(
        'oidcc-registration-sector-uri',
        'oidcc-registration-sector-bad',
        'the redirect_uris of an update are held to the sector identifier',
      ),
    ),
    must(
      'OpenID Connect Core §8.1',
      'Pairwise subjects with several hosts in redirect_uris need a sector_identifier_uri.',
      registering('pairwise with redirect_uris of several hosts'),
    ),
    must(
      '§6',
      'Strings are compared by code points, after JSON escapes are undone, without normalisation.',
      registering('strings are compared by code points'),
    ),
    decided(
      '§9.1',
      'Names and addresses that end-users see are no means of impersonation.',
      'as for RFC 7591 §5; that logo_uri and policy_uri have the hosts of redirect_uris (SHOULD) is not checked',
      registration(400)('…: 400 invalid_client_metadata'),
    ),
    decided(
      '§9.2, §9.3',
      'TLS protects the endpoints and the documents that they fetch.',
      'TLS ends at the proxy in front (docs/operate/tls-and-proxies.md); https alone is fetched, except in development with outbound.allow-http',
      registering('sector_identifier_uri is https', 'oidcc-registration-jwks-uri, registration'),
    ),
  ],
};
