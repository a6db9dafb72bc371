import { decided, must, type Specification } from './requirement.ts';

export const rfc7009: Specification = {
  name: 'RFC 7009',
  title: 'OAuth 2.0 Token Revocation',
  scope: 'Every sentence that binds the authorisation server.',
  requirements: [
    must('rfc7009-2-1', '§2', 'Refresh tokens can be revoked, and access tokens should be.', 'revokeToken'),
    decided(
      'rfc7009-2-2',
      '§2',
      'The endpoint is reached over TLS.',
      'TLS ends at the proxy in front, or at our own listener (docs/operate/tls-and-proxies.md); in production no issuer but an https one starts the server',
      'issuerProblem',
    ),
    must(
      'rfc7009-2.1-1',
      '§2.1',
      'token is required; a hint that does not fit does not stop the search.',
      'revocation',
      'revokeToken',
    ),
    must(
      'rfc7009-2.1-2',
      '§2.1',
      'A confidential client authenticates; a public one says who it is.',
      'identifyClient',
    ),
    must(
      'rfc7009-2.1-3',
      '§2.1',
      'A token of another client is refused, and the client is told.',
      'revokeToken',
    ),
    must('rfc7009-2.1-4', '§2.1', 'The token is invalid at once, wherever it is asked about.', 'revokeToken'),
    must(
      'rfc7009-2.1-5',
      '§2.1',
      'Revoking a refresh token ends the access tokens of its grant (SHOULD).',
      'revokeToken',
    ),
    must('rfc7009-2.2-1', '§2.2', 'An invalid token is no error: 200.'),
    must('rfc7009-2.2.1-1', '§2.2.1', 'Errors are those of RFC 6749 §5.2.', 'revocation'),
    must('rfc7009-5-1', '§5', 'A storage that fails is not answered as a revocation.', 'revokeToken'),
  ],
};
