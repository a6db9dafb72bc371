import { client, decided, must, type Specification } from './requirement.ts';

export const rfc9701: Specification = {
  name: 'RFC 9701',
  title: 'JSON Web Token (JWT) Response for OAuth Token Introspection',
  scope: 'The sentences that bind the authorisation server.',
  requirements: [
    must(
      'rfc9701-4-1',
      '§4',
      'Accept: application/token-introspection+jwt asks for a JWT; without it the answer is JSON.',
      'preferredMediaType',
      'jwtAnswer',
    ),
    decided(
      'rfc9701-5-1',
      '§5',
      'A caller that does not authenticate is refused with 400.',
      'interface and decision 22: 401 invalid_client, as for every other answer of this endpoint',
      'callerOf',
    ),
    must(
      'rfc9701-5-2',
      '§5',
      'The JWT has typ token-introspection+jwt, iss, aud of the resource server that asks, and iat.',
    ),
    must('rfc9701-5-3', '§5', 'token_introspection holds the members of the introspection response.'),
    must(
      'rfc9701-5-4',
      '§5',
      'A token that is not active is active false in token_introspection, and nothing more.',
    ),
    must('rfc9701-5-5', '§5', 'The JWT has no sub and no exp beside token_introspection (SHOULD NOT).'),
    must(
      'rfc9701-5-6',
      '§5',
      'The JWT is signed; where it is encrypted too, it is signed first and then encrypted.',
    ),
    must('rfc9701-5-7', '§5', 'A token that the caller may not use is inactive.'),
    must(
      'rfc9701-6-1',
      '§6',
      'introspection_signed_response_alg is honoured, by default RS256; the others name encryption, whose enc is A128CBC-HS256 by default.',
    ),
    must('rfc9701-7-1', '§7', 'Metadata name the algorithms that there are.', 'authorizationMetadata'),
    decided(
      'rfc9701-8.2-1',
      '§8.2',
      'The endpoint is protected by TLS 1.2 or later.',
      'TLS ends at the proxy in front (docs/operate/tls-and-proxies.md)',
      'issuerProblem',
    ),
    client(
      'rfc9701-8.1-1',
      '§8.1',
      'A resource server takes no introspection response for an access token: typ tells them apart.',
    ),
  ],
};
