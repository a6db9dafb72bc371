import { client, decided, must, type Specification } from './requirement.ts';

export const rfc7662: Specification = {
  name: 'RFC 7662',
  title: 'OAuth 2.0 Token Introspection',
  scope: 'Every sentence that binds the authorisation server.',
  requirements: [
    decided(
      'rfc7662-2-1',
      '§2, §4',
      'The endpoint is protected by TLS 1.2 or later.',
      'TLS ends at the proxy in front (docs/operate/tls-and-proxies.md); in production no issuer but an https one starts the server',
    ),
    must(
      'rfc7662-2.1-1',
      '§2.1',
      'The endpoint takes POST with a form.',
      'introspection',
      'requireMediaType',
    ),
    must('rfc7662-2.1-2', '§2.1', 'token is required.', 'introspection'),
    must('rfc7662-2.1-3', '§2.1', 'A hint that does not fit does not stop the search.', 'introspection'),
    must(
      'rfc7662-2.1-4',
      '§2.1',
      'The endpoint requires authorisation, of a client or by a bearer token.',
      'callerOf',
    ),
    must('rfc7662-2.2-1', '§2.2', 'The answer is application/json with a boolean active.'),
    must(
      'rfc7662-2.2-2',
      '§2.2',
      'A token that is not active is active false, without further members (SHOULD NOT).',
    ),
    must(
      'rfc7662-2.3-1',
      '§2.3',
      'Bad client credentials are 401 as RFC 6749 §5.2 says, a bad bearer token 401 as RFC 6750 says.',
      'callerOf',
    ),
    must(
      'rfc7662-2.3-2',
      '§2.3',
      'A query for a token that is not active is no error.',
      'introspection',
      'findAccessToken',
    ),
    must('rfc7662-4-1', '§4', 'An expired token is not active.'),
    must('rfc7662-4-2', '§4', 'A revoked token is not active.'),
    must('rfc7662-4-3', '§4', 'A token that was not issued here, or was changed, is not active.'),
    decided(
      'rfc7662-4-4',
      '§4',
      'A token is not active where the caller may not use it.',
      'decision 26: introspection.audience is any by default, and match where it is set; never across tenants, and the caller has to be registered for introspection at all',
    ),
    decided(
      'rfc7662-4-5',
      '§4',
      'A token whose not-before time is not reached is not active.',
      'no token that this server issues has one; one that was signed with its key is refused all the same',
    ),
    client('rfc7662-4-6', '§4', 'A resource server caches an answer no longer than the token’s exp.'),
  ],
};
