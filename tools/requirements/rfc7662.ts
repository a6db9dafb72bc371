import { client, decided, must, type Specification } from './requirement.ts';
import {
  deletion,
  hostileIntrospection,
  hostileTokens,
  introspection,
  introspectionAudience,
  starting,
  tokens,
} from './test-files.ts';

export const rfc7662: Specification = {
  title: 'RFC 7662, OAuth 2.0 Token Introspection',
  scope: 'Every sentence that binds the authorisation server.',
  requirements: [
    decided(
      '§2, §4',
      'The endpoint is protected by TLS 1.2 or later.',
      'TLS ends at the proxy in front (docs/operate/tls-and-proxies.md); in production no issuer but an https one starts the server',
      starting('start in production, http issuer'),
    ),
    must(
      '§2.1',
      'The endpoint takes POST with a form.',
      tokens('introspection: 200 JSON', 'introspection takes POST alone'),
      introspection(400)('POST /token/introspect with Content-Type'),
    ),
    must(
      '§2.1',
      'token is required.',
      tokens('introspection: 200 JSON'),
      introspection(400)('POST /token/introspect with …: 400'),
    ),
    must(
      '§2.1',
      'A hint that does not fit does not stop the search.',
      tokens('what is no live access token is active false'),
      introspection(200)('token_type_hint=… changes nothing'),
    ),
    must(
      '§2.1',
      'The endpoint requires authorisation, of a client or by a bearer token.',
      introspection(401)('no credentials: 401', 'unknown client, wrong secret'),
      introspection(200)('a bearer token that carries the introspection scope'),
      hostileIntrospection('H-128 whoever is not registered', 'H-129 a bearer token opens introspection'),
    ),
    must(
      '§2.2',
      'The answer is application/json with a boolean active.',
      tokens('introspection: 200 JSON'),
      introspection(200)('a live token: every member that is always there'),
    ),
    must(
      '§2.2',
      'A token that is not active is active false, without further members (SHOULD NOT).',
      tokens('what is no live access token is active false'),
      introspection(200)('every inactive reason gives the same bytes'),
    ),
    must(
      '§2.3',
      'Bad client credentials are 401 as RFC 6749 §5.2 says, a bad bearer token 401 as RFC 6750 says.',
      introspection(401)('unknown client, wrong secret', 'an unknown, malformed, expired or revoked bearer'),
      tokens('a bearer token that is not valid'),
    ),
    must(
      '§2.3',
      'A query for a token that is not active is no error.',
      tokens('what is no live access token is active false'),
    ),
    must(
      '§4',
      'An expired token is not active.',
      introspection(200)('the same token gets the same bytes until it expires'),
    ),
    must(
      '§4',
      'A revoked token is not active.',
      deletion(204)('DELETE ends the client’s tokens'),
      hostileIntrospection('H-144, H-145 a token is inactive from the moment'),
    ),
    must(
      '§4',
      'A token that was not issued here, or was changed, is not active.',
      introspection(200)('a forged token is refused', 'a token made with another MAC key'),
      hostileIntrospection('H-138 a live token that is changed anywhere'),
      hostileTokens('H-139, H-141 headers', 'H-140, H-142 claims that no token', '4,500 mutations'),
    ),
    decided(
      '§4',
      'A token is not active where the caller may not use it.',
      'decision 26: introspection.audience is any by default, and match where it is set; never across tenants, and the caller has to be registered for introspection at all',
      introspection(403)('a client registered with scope'),
      introspectionAudience('introspection.audience match', 'introspection.audience any'),
    ),
    decided(
      '§4',
      'A token whose not-before time is not reached is not active.',
      'no token that this server issues has one; one that was signed with its key is refused all the same',
      hostileTokens('H-140, H-142 claims that no token'),
    ),
    client('§4', 'A resource server caches an answer no longer than the token’s exp.'),
  ],
};
