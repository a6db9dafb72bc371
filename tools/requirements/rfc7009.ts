import { decided, must, type Specification } from './requirement.ts';
import { refreshTokens, revocation, starting, tokenJourneys } from './test-files.ts';

export const rfc7009: Specification = {
  title: 'RFC 7009, OAuth 2.0 Token Revocation',
  scope: 'Every sentence that binds the authorisation server.',
  requirements: [
    must(
      '§2',
      'Refresh tokens can be revoked, and access tokens should be.',
      refreshTokens('POST /token/revoke with … ends the grant'),
      revocation(200)('POST /token/revoke: 200'),
    ),
    decided(
      '§2',
      'The endpoint is reached over TLS.',
      'TLS ends at the proxy in front, or at our own listener (docs/operate/tls-and-proxies.md); in production no issuer but an https one starts the server',
      starting('start in production, http issuer'),
    ),
    must(
      '§2.1',
      'token is required; a hint that does not fit does not stop the search.',
      revocation(400)('POST /token/revoke with …: 400'),
      revocation(200)('token_type_hint=… changes nothing'),
    ),
    must(
      '§2.1',
      'A confidential client authenticates; a public one says who it is.',
      revocation(401)('POST /token/revoke by …: 401', 'a confidential client that only says who it is'),
      revocation(200)('a public client says who it is'),
    ),
    must(
      '§2.1',
      'A token of another client is refused, and the client is told.',
      revocation(400)('a live token of another client'),
      refreshTokens('POST /token/revoke with the refresh token of another client'),
    ),
    must(
      '§2.1',
      'The token is invalid at once, wherever it is asked about.',
      tokenJourneys('oauth4webapi, …: client credentials for a resource'),
    ),
    must(
      '§2.1',
      'Revoking a refresh token ends the access tokens of its grant (SHOULD).',
      refreshTokens('POST /token/revoke with … ends the grant'),
      tokenJourneys('openid-client: refreshes with less scope'),
    ),
    must(
      '§2.2',
      'An invalid token is no error: 200.',
      revocation(200)('a token that was revoked, was never issued'),
    ),
    must('§2.2.1', 'Errors are those of RFC 6749 §5.2.', revocation(400)('POST /token/revoke with …: 400')),
    must(
      '§5',
      'A storage that fails is not answered as a revocation.',
      revocation(500)('POST /token/revoke, …'),
    ),
  ],
};
