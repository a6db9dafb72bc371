import { client, decided, must, type Specification } from './requirement.ts';

export const rfc7592: Specification = {
  name: 'RFC 7592',
  title: 'OAuth 2.0 Dynamic Client Registration Management Protocol',
  scope: 'Every sentence that binds the authorisation server.',
  requirements: [
    decided(
      'rfc7592-1-1',
      '§1, §5',
      'The client configuration endpoint is protected by TLS 1.2 or later.',
      'TLS ends at the proxy in front (docs/operate/tls-and-proxies.md); in production no issuer but an https one starts the server',
      'issuerProblem',
    ),
    client(
      'rfc7592-2-1',
      '§2',
      'The client uses its registration access token, as a bearer token, in all calls.',
    ),
    must(
      'rfc7592-2-2',
      '§2',
      'A method that is not supported is answered with the appropriate error code.',
      'buildRouter',
      'src/http/serve-request.ts',
    ),
    must('rfc7592-2-3', '§2', 'The registration token is taken as RFC 6750 says.', 'presentedBearer'),
    must(
      'rfc7592-2.1-1',
      '§2.1, §2.2, §2.3',
      'A registration token that is not valid is answered as RFC 6750 says.',
    ),
    decided(
      'rfc7592-2.1-2',
      '§2.1, §2.2, §2.3',
      'A client that does not exist is 401, and the token is revoked.',
      'interface, Errors, rules 1 and 2, and decision 6: 401 for a registration token, 404 without a body for the master token',
    ),
    must(
      'rfc7592-2.1-3',
      '§2.1, §2.2, §2.3',
      'Who may not read, update or delete the registration gets 403.',
    ),
    must('rfc7592-2.1-4', '§2.1', 'A read is 200 with application/json and the client information response.'),
    decided(
      'rfc7592-2.1-5',
      '§2.1',
      'A read does not change the registered metadata (SHOULD NOT).',
      'interface and decision 10: a secret that has expired is renewed, once',
    ),
    must('rfc7592-2.2-1', '§2.2', 'Values replace those that were registered, and do not augment them.'),
    must('rfc7592-2.2-2', '§2.2', 'Members that are left out are as null: deleted, or the default.'),
    decided(
      'rfc7592-2.2-3',
      '§2.2',
      'client_id is in the request, and is the client’s own.',
      'decision 9: it may be absent; another one is 400',
    ),
    decided(
      'rfc7592-2.2-4',
      '§2.2',
      'registration_access_token, registration_client_uri, client_secret_expires_at and client_id_issued_at are not in the request.',
      'binds the client; decision 9: they are ignored, because clients send back what they were given',
    ),
    decided(
      'rfc7592-2.2-5',
      '§2.2',
      'client_secret, if it is in the request, equals the current one.',
      'decision 9: it is ignored, and the answer has a new one',
    ),
    must('rfc7592-2.2-6', '§2.2', 'A client does not overwrite its secret with a value of its own choice.'),
    must(
      'rfc7592-2.2-7',
      '§2.2',
      'Values that the server replaced are in the answer, which is the whole client information response.',
    ),
    must('rfc7592-2.2-8', '§2.2', 'Invalid metadata are answered as RFC 7591 §3.2.2 says.'),
    client(
      'rfc7592-2.2-9',
      '§2.2',
      'The client discards the old token and secret when the answer has new ones.',
    ),
    must('rfc7592-2.3-1', '§2.3', 'Success is 204.'),
    must(
      'rfc7592-2.3-2',
      '§2.3',
      'Identifier, secret and registration token end together; grants and access tokens too (SHOULD).',
    ),
    must(
      'rfc7592-3-1',
      '§3',
      'registration_client_uri, whole, and registration_access_token are in every client information response.',
    ),
    decided(
      'rfc7592-3-2',
      '§3',
      'The same of a shared public client.',
      'with registration.open-idempotent many registrants share one client, so that no one of them may manage it: both members are left out (RFC 7591 §3.2.1 knows no such member)',
    ),
    must('rfc7592-3-3', '§3', 'All registered metadata are returned.'),
    must(
      'rfc7592-5-1',
      '§5',
      'A client’s end ends its registration token at the same time; later uses are 401.',
      'deleteClient',
    ),
    must(
      'rfc7592-b-1',
      'Appendix B',
      'The server gives the whole address, and expects no client to build it.',
      'clientInformation',
    ),
  ],
};
