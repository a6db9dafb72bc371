import { client, decided, must, type Specification } from './requirement.ts';

export const rfc6750: Specification = {
  name: 'RFC 6750',
  title: 'The OAuth 2.0 Authorization Framework: Bearer Token Usage',
  scope: 'As it binds the registry and introspection, which take bearer tokens.',
  requirements: [
    must(
      'rfc6750-2.1-1',
      '§2.1',
      'The Authorization header is supported.',
      'parseAuthorization',
      'presentedBearer',
    ),
    must(
      'rfc6750-2.2-1',
      '§2.2, §2.3',
      'The body and query forms need not be supported.',
      'presentedBearer',
      'postedUserinfo',
    ),
    client('rfc6750-2-1', '§2', 'A client uses one of the forms in a request.'),
    must(
      'rfc6750-3-1',
      '§3',
      'Without credentials, or with a token that does not enable access, the answer has WWW-Authenticate with the scheme Bearer.',
      'bearerTokenNeeded',
      'bearerChallenge',
    ),
    decided(
      'rfc6750-3-2',
      '§3',
      'The scheme is followed by one or more auth-params.',
      'interface, Errors, and decision 6: a caller without credentials gets the bare word Bearer',
      'bearerChallenge',
    ),
    must(
      'rfc6750-3-3',
      '§3',
      'No error code where the request has no credentials (SHOULD NOT).',
      'bearerTokenNeeded',
    ),
    decided(
      'rfc6750-3-4',
      '§3',
      'Introspection without any credentials has a challenge too.',
      'decisions 6 and 19: 401 invalid_client without a challenge, since authentication of a client is what is recommended there',
      'callerOf',
    ),
    must(
      'rfc6750-3-5',
      '§3',
      'realm, scope, error and error_description come once each, in the characters that are allowed.',
      'bearerChallenge',
    ),
    must('rfc6750-3.1-1', '§3.1', 'invalid_token is 401.', 'invalidToken'),
    must('rfc6750-3.1-2', '§3.1', 'insufficient_scope is 403, and may name the scope.', 'insufficientScope'),
    must(
      'rfc6750-5.2-1',
      '§5.2',
      'A token is for its audience and lives for a limited time.',
      'audienceFor',
      'mintAccessToken',
    ),
  ],
};
