import { client, decided, must, type Specification } from './requirement.ts';
import {
  clientJwts,
  hostileTokens,
  introspection,
  introspectionAudience,
  introspectionJwts,
  oauth4webapi,
  starting,
} from './test-files.ts';

export const rfc9701: Specification = {
  title: 'RFC 9701, JSON Web Token (JWT) Response for OAuth Token Introspection',
  scope: 'What binds the authorisation server.',
  requirements: [
    must(
      '§4',
      'Accept: application/token-introspection+jwt asks for a JWT; without it the answer is JSON.',
      introspectionJwts('a live token as a JWT', 'Accept: …: JSON', 'Accept by weight'),
      oauth4webapi('oauth4webapi, introspection as a JWT'),
    ),
    decided(
      '§5',
      'Who does not authenticate is refused; the answer is 400.',
      'interface and decision 22: 401 invalid_client, as for every other answer of this endpoint',
      introspection(401)('no credentials: 401'),
      introspectionJwts('errors stay JSON'),
    ),
    must(
      '§5',
      'The JWT has typ token-introspection+jwt, iss, aud of the resource server that asks, and iat.',
      introspectionJwts('a live token as a JWT', 'a bearer caller is the client of its token'),
    ),
    must(
      '§5',
      'token_introspection holds the members of the introspection response.',
      introspectionJwts('a live token as a JWT', 'dat is letter for letter'),
    ),
    must(
      '§5',
      'A token that is not active is active false in token_introspection, and nothing more.',
      introspectionJwts('every inactive reason says the same'),
      hostileTokens('a hostile token is inactive in a JWT too'),
    ),
    must(
      '§5',
      'The JWT has no sub and no exp beside token_introspection (SHOULD NOT).',
      introspectionJwts('a live token as a JWT'),
    ),
    must(
      '§5',
      'The JWT is signed; where it is encrypted too, it is signed first and then encrypted.',
      introspectionJwts('introspection_encrypted_response_alg …, enc'),
      oauth4webapi('oauth4webapi, introspection as a JWT'),
    ),
    must(
      '§5',
      'A token that the caller may not use is inactive.',
      introspectionAudience('introspection.audience match'),
    ),
    must(
      '§6',
      'introspection_signed_response_alg is honoured, by default RS256; the others name encryption, whose enc is A128CBC-HS256 by default.',
      introspectionJwts('introspection_signed_response_alg …', 'introspection_encrypted_response_alg …, enc'),
      clientJwts('an ID token is signed with RS256'),
    ),
    must(
      '§7',
      'Metadata name the algorithms that there are.',
      oauth4webapi('oauth4webapi, introspection as a JWT'),
    ),
    decided(
      '§8.2',
      'The endpoint is protected by TLS 1.2 or later.',
      'TLS ends at the proxy in front (docs/operate/tls-and-proxies.md)',
      starting('start in production, http issuer'),
    ),
    client(
      '§8.1',
      'A resource server takes no introspection response for an access token: typ tells them apart.',
    ),
  ],
};
