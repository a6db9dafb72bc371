import { client, decided, must, type Specification } from './requirement.ts';

export const rfc6749: Specification = {
  title: 'RFC 6749, The OAuth 2.0 Authorization Framework',
  scope: '§2.3, §3, §4.1 to §4.4, §5, §6 and §10, as far as they bind the server.',
  requirements: [
    must('rfc6749-2.3-1', '§2.3', 'A client uses one method of authentication in a request.'),
    must('rfc6749-2.3.1-1', '§2.3.1', 'HTTP Basic is supported, with identifier and secret form-encoded.'),
    must('rfc6749-2.3.1-2', '§2.3.1', 'Credentials are not in the request URI.'),
    decided(
      'rfc6749-2.3.1-3',
      '§2.3.1, §3.2',
      'TLS protects requests that hold passwords.',
      'TLS ends at the proxy in front (docs/operate/tls-and-proxies.md); in production no issuer but an https one starts the server',
    ),
    decided(
      'rfc6749-2.3.1-4',
      '§2.3.1',
      'Endpoints that take passwords are protected against brute force.',
      'secrets are random and of at least 256 bits, or chosen with a privilege and of at least 32 characters; no number of guesses finds one (docs/deviations.md, H-118). Limits of rate belong to the proxy (decision 39)',
    ),
    client('rfc6749-3.2-1', '§3.2', 'The client uses POST.'),
    must('rfc6749-3.2-2', '§3.2', 'The token endpoint takes POST alone.'),
    must(
      'rfc6749-3.2-3',
      '§3.2',
      'Parameters without a value are as left out, unknown ones are ignored, none comes twice.',
    ),
    must('rfc6749-3.2.1-1', '§3.2.1', 'Confidential clients authenticate at the token endpoint.'),
    must(
      'rfc6749-3.3-1',
      '§3.3',
      'The response has scope where it differs from the request; a scope that is too wide, unknown or malformed is invalid_scope.',
    ),
    must(
      'rfc6749-3.1-1',
      '§3.1',
      'The authorisation endpoint takes GET, and may take POST; parameters without a value are as left out, unknown ones ignored, none comes twice.',
    ),
    must(
      'rfc6749-3.1.2-1',
      '§3.1.2, §3.1.2.3',
      'The redirection URI is compared with the registered ones, character by character.',
    ),
    must(
      'rfc6749-3.1.2-2',
      '§3.1.2, §4.1.2',
      'A query in the redirection URI is kept when parameters are added.',
    ),
    must(
      'rfc6749-3.1.2.4-1',
      '§3.1.2.4, §4.1.2.1',
      'Nobody is redirected to a URI that is not proven; the person is told.',
    ),
    must('rfc6749-4.1.1-1', '§4.1.1, §10.12', 'state comes back exactly as it was sent.'),
    must(
      'rfc6749-4.1.2-1',
      '§4.1.2',
      'A code expires soon, is bound to client and redirection URI, and is used once; a second use is refused and ends what the first gave (SHOULD).',
    ),
    must(
      'rfc6749-4.1.2.1-1',
      '§4.1.2.1',
      'Errors go to the client with their code, and state where it was sent.',
    ),
    must(
      'rfc6749-4.1.3-1',
      '§4.1.3',
      'The client authenticates, or says who it is; redirect_uri is that of the request.',
    ),
    must('rfc6749-4.2.2-1', '§4.2.2', 'The implicit response has no refresh token, and is in the fragment.'),
    must(
      'rfc6749-4.3.2-1',
      '§4.3.2',
      'The password grant authenticates the client, checks the password, and is protected against brute force.',
    ),
    must('rfc6749-10.10-1', '§10.10', 'Codes cannot be guessed.'),
    must(
      'rfc6749-10.12-1',
      '§10.12, §10.13',
      'What the person decides is decided by the person: forms of others and frames do nothing.',
    ),
    must('rfc6749-10.15-1', '§10.15', 'No open redirector.'),
    must('rfc6749-4.4-1', '§4.4', 'The client credentials grant is for confidential clients only.'),
    must('rfc6749-4.4.2-1', '§4.4.2', 'The server authenticates the client.'),
    must(
      'rfc6749-4.4.3-1',
      '§4.4.3',
      'No refresh token comes with the client credentials grant (SHOULD NOT).',
    ),
    must(
      'rfc6749-5.1-1',
      '§5.1',
      'access_token and token_type are in the response, JSON, with no-store and no-cache.',
    ),
    must(
      'rfc6749-5.2-1',
      '§5.2',
      'Errors are 400 with their code; descriptions keep to the characters that are allowed.',
    ),
    decided(
      'rfc6749-5.2-2',
      '§5.2',
      'A client that tried the Authorization header gets 401 and WWW-Authenticate of its scheme.',
      'decision 19: without Basic there is no challenge, although RFC 9110 §15.5.2 wants one with every 401',
    ),
    must(
      'rfc6749-3.2.1-2',
      '§3.2.1, §6',
      'A public client says who it is; a confidential one authenticates.',
    ),
    must('rfc6749-6-1', '§6, §10.4', 'A refresh token is good for the client only that it was issued to.'),
    must(
      'rfc6749-6-2',
      '§6',
      'A refresh request has no scope that was not granted; without one it is what was granted.',
    ),
    must(
      'rfc6749-6-3',
      '§6, §10.4',
      'Where a new refresh token is issued, the old one is of no use, and its use is noticed.',
    ),
    must(
      'rfc6749-5.2-3',
      '§5.2, §6',
      'A refresh token that is invalid, expired or revoked is invalid_grant.',
    ),
    must('rfc6749-10.10-2', '§10.10', 'Tokens cannot be guessed.'),
  ],
};
