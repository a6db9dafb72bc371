import { client, decided, must, type Specification } from './requirement.ts';
import {
  introspection,
  refreshTokens,
  revocation,
  starting,
  token,
  tokenJourneys,
  tokens,
} from './test-files.ts';

export const rfc6749: Specification = {
  title: 'RFC 6749, The OAuth 2.0 Authorization Framework',
  scope: '§2.3, §3.2, §3.3, §4.4, §5 and §6, as far as endpoints stand that they bind.',
  requirements: [
    must(
      '§2.3',
      'A client uses one method of authentication in a request.',
      token(400)('two methods of client authentication at once'),
      introspection(400)('two ways of authentication at once'),
    ),
    must(
      '§2.3.1',
      'HTTP Basic is supported, with identifier and secret form-encoded.',
      token(200)('HTTP Basic vector …', 'client_credentials with HTTP Basic'),
    ),
    must(
      '§2.3.1',
      'Credentials are not in the request URI.',
      tokens('client credentials in the request URI are not read'),
    ),
    decided(
      '§2.3.1, §3.2',
      'TLS protects requests that hold passwords.',
      'TLS ends at the proxy in front (docs/operations.md); in production no issuer but an https one starts the server',
      starting('start in production, http issuer'),
    ),
    {
      section: '§2.3.1',
      words: 'Endpoints that take passwords are protected against brute force.',
      tests: [],
      reason:
        'secrets are random and of at least 256 bits, or chosen with a privilege and of at least 32 characters; no number of guesses finds one (docs/deviations.md, H-118). Limits of rate belong to the proxy (decision 39)',
    },
    client('§3.2', 'The client uses POST.'),
    must('§3.2', 'The token endpoint takes POST alone.', tokens('the token endpoint takes POST alone')),
    must(
      '§3.2',
      'Parameters without a value are as left out, unknown ones are ignored, none comes twice.',
      token(200)('unknown parameters are ignored, empty ones are absent'),
      token(400)('POST /token with …: 400 invalid_request'),
    ),
    must(
      '§3.2.1',
      'Confidential clients authenticate at the token endpoint.',
      token(401)('no client authentication at all', 'client_secret_post, unknown client'),
    ),
    must(
      '§3.3',
      'The response has scope where it differs from the request; a scope that is too wide, unknown or malformed is invalid_scope.',
      token(200)('scope … of a client registered for'),
      token(400)('scope=… of a client registered for'),
    ),
    must(
      '§4.4',
      'The client credentials grant is for confidential clients only.',
      tokens('a public client has no client_credentials grant'),
    ),
    must(
      '§4.4.2',
      'The server authenticates the client.',
      token(401)('no client authentication at all', 'HTTP Basic of one client and client_id of another'),
    ),
    must(
      '§4.4.3',
      'No refresh token comes with the client credentials grant (SHOULD NOT).',
      tokens('a token response: 200 JSON'),
    ),
    must(
      '§5.1',
      'access_token and token_type are in the response, JSON, with no-store and no-cache.',
      tokens('a token response: 200 JSON'),
      token(200)('client_credentials with HTTP Basic'),
    ),
    must(
      '§5.2',
      'Errors are 400 with their code; descriptions keep to the characters that are allowed.',
      tokens('errors of the token endpoint have their codes'),
      token(400)('grant_type=…: 400', 'a client that is not registered for the grant'),
    ),
    decided(
      '§5.2',
      'A client that tried the Authorization header gets 401 and WWW-Authenticate of its scheme.',
      'decision 19: without Basic there is no challenge, although RFC 9110 §15.5.2 wants one with every 401',
      tokens('a client that tried the Authorization header'),
      token(401)('HTTP Basic with …: 401', 'client_secret_post, unknown client'),
    ),
    must(
      '§3.2.1, §6',
      'A public client says who it is; a confidential one authenticates.',
      revocation(401)('a confidential client that only says who it is', 'a public client with a secret'),
      refreshTokens('a refresh token … is rotated; used again'),
    ),
    must(
      '§6, §10.4',
      'A refresh token is good for the client only that it was issued to.',
      refreshTokens('the refresh token of another client', 'the grants of a deleted client are gone'),
    ),
    must(
      '§6',
      'A refresh request has no scope that was not granted; without one it is what was granted.',
      refreshTokens('a narrower scope is that of the new', 'a wider or malformed scope'),
    ),
    must(
      '§6, §10.4',
      'Where a new refresh token is issued, the old one is of no use, and its use is noticed.',
      refreshTokens('a refresh token … is rotated; used again', 'of ten uses of a rotated token'),
      tokenJourneys('of fifty uses of one rotated refresh token'),
    ),
    must(
      '§5.2, §6',
      'A refresh token that is invalid, expired or revoked is invalid_grant.',
      refreshTokens('what is no refresh token', 'a refresh token lives as long as was said'),
    ),
    must(
      '§10.10',
      'Tokens cannot be guessed.',
      token(200)('every token is another one'),
      introspection(200)('a forged token is refused'),
    ),
  ],
};
