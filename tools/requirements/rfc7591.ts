import { client, decided, must, type Specification } from './requirement.ts';

export const rfc7591: Specification = {
  title: 'RFC 7591, OAuth 2.0 Dynamic Client Registration Protocol',
  scope: 'Every sentence that binds the authorisation server.',
  requirements: [
    must('rfc7591-2-1', '§2', 'Members that are not understood are ignored.'),
    must('rfc7591-2-2', '§2', 'Dynamic registration for flows with redirection supports redirect_uris.'),
    must(
      'rfc7591-2-3',
      '§2',
      'token_endpoint_auth_method left out means client_secret_basic; grant_types, authorization_code; response_types, code.',
    ),
    decided(
      'rfc7591-2-4',
      '§2',
      'response_types left out means code.',
      'interface: a client of the client credentials grant alone has an empty array; one of the implicit grant alone gets token id_token and the method none, since code and a secret would be of no use to it',
    ),
    must('rfc7591-2-5', '§2', 'none is a public client without a secret.'),
    must('rfc7591-2-6', '§2', 'jwks and jwks_uri are not both in a request or a response.'),
    client(
      'rfc7591-2-7',
      '§2',
      'client_uri, logo_uri, tos_uri and policy_uri lead to a valid page or image.',
    ),
    client('rfc7591-2-8', '§2', 'jwks_uri is served so that its integrity is protected.'),
    must(
      'rfc7591-2.1-1',
      '§2.1',
      'grant_types and response_types are consistent with each other (SHOULD; here always).',
    ),
    must(
      'rfc7591-2.2-1',
      '§2.2',
      'Human-readable members may come in several languages; one without a tag is used as it is.',
    ),
    must('rfc7591-2.3-1', '§2.3', 'A software statement is signed or MACed, and has an iss.'),
    must('rfc7591-3-1', '§3', 'The registration endpoint accepts POST with application/json.'),
    decided(
      'rfc7591-3-2',
      '§3, §5',
      'The registration endpoint is protected by TLS 1.2 or later.',
      'TLS ends at the proxy in front (docs/operate/tls-and-proxies.md); in production no issuer but an https one starts the server',
    ),
    must(
      'rfc7591-3-3',
      '§3',
      'Open registration takes requests without authorisation (SHOULD; the setting registration.allow-open-registration).',
    ),
    must(
      'rfc7591-3-4',
      '§3',
      'As a protected resource it takes an initial access token as a bearer token (RFC 6750).',
    ),
    must('rfc7591-3.1-1', '§3.1', 'Metadata are top-level members of a JSON object.'),
    must(
      'rfc7591-3.1.1-1',
      '§3.1.1',
      'What a software statement says takes precedence over the request, where statements are supported.',
    ),
    must('rfc7591-3.1.1-2', '§3.1.1', 'Where statements are not supported, the member may be ignored.'),
    decided(
      'rfc7591-3.2-1',
      '§3.2',
      'Success is 201 with application/json.',
      'decision 4: POST /clients answers 200, POST /register 201; discovery names /register',
    ),
    must('rfc7591-3.2.1-1', '§3.2.1', 'client_id is in the answer, and is no other client’s.'),
    must('rfc7591-3.2.1-2', '§3.2.1', 'client_secret is unique for each client_id.'),
    must(
      'rfc7591-3.2.1-3',
      '§3.2.1',
      'client_secret_expires_at comes with every client_secret, and is 0 where it does not expire.',
    ),
    must(
      'rfc7591-3.2.1-4',
      '§3.2.1',
      'All registered metadata are returned, those that the server provided too.',
    ),
    must(
      'rfc7591-3.2.1-5',
      '§3.2.1',
      'A software statement that was used is returned unmodified, and what was taken from it as members of its own.',
    ),
    must('rfc7591-3.2.1-6', '§3.2.1', 'The answer is not stored by caches (no-store, no-cache).'),
    must(
      'rfc7591-3.2.2-1',
      '§3.2.2',
      'A bad initial access token is answered as its token type says (RFC 6750).',
    ),
    must(
      'rfc7591-3.2.2-2',
      '§3.2.2',
      'A registration error is 400 with application/json and a code in error, all ASCII.',
    ),
    must(
      'rfc7591-3.2.2-3',
      '§3.2.2',
      'invalid_redirect_uri: the value of one or more redirect_uris is not valid.',
    ),
    must(
      'rfc7591-3.2.2-4',
      '§3.2.2',
      'invalid_software_statement and unapproved_software_statement: the statement does not hold, or is not approved here.',
    ),
    must('rfc7591-5-1', '§5', 'Clients of redirect-based grants have to register their redirection URIs.'),
    must(
      'rfc7591-5-2',
      '§5',
      'A redirection URI is https, http on the local machine, or an application’s own scheme.',
    ),
    decided(
      'rfc7591-5-3',
      '§5',
      'Metadata are self-asserted, and nothing is trusted for being registered.',
      'what is registered gives no privilege by itself: grants and scope need a token’s scope, and only a trusted issuer’s statement permits more',
    ),
    decided(
      'rfc7591-5-4',
      '§5',
      'The whole request is looked at for impersonation, addresses that end-users see above all.',
      'names with control or direction-changing characters, and addresses that are not http or https, are refused; whether their hosts are those of redirect_uris (SHOULD) is not checked',
    ),
    client('rfc7591-5-5', '§5', 'The client checks the server’s TLS certificate.'),
    decided(
      'rfc7591-6-1',
      '§6',
      'Clients do not make up their own identifiers.',
      'interface: preferred_client_id needs the scope client-reg:set-id or the master token, and is never taken from another client',
    ),
  ],
};
