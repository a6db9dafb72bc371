import { client, decided, must, type Specification } from './requirement.ts';
import { authorizationModules, authorizationRequests, requestObjects, signIn } from './test-files.ts';

export const rfc9101: Specification = {
  title: 'RFC 9101, JWT-Secured Authorization Request',
  scope: 'Request objects by value; by reference only where they were pushed (RFC 9126).',
  requirements: [
    client(
      '§4',
      'The client signs, or signs and encrypts, and leaves request and request_uri out of the object.',
    ),
    must(
      '§4',
      'Numbers and objects stand in it as JSON.',
      requestObjects('claims and resources stand in it as JSON'),
    ),
    must(
      '§5, §6.3',
      'client_id in and beside the object is the same; only what is in the object counts.',
      requestObjects('what is sent beside it counts for nothing'),
      authorizationModules('a request object by value, signed with RS256'),
    ),
    must(
      '§6.1',
      'An encrypted object is decrypted with a key of the server, and is signed within.',
      requestObjects('an encrypted request object is decrypted'),
      signIn('openid-client: signed request objects'),
    ),
    must(
      '§6.2',
      'The signature is checked with a key of the client, and fails as invalid_request_object.',
      requestObjects('a request object …: invalid_request_object', 'only the registered algorithm signs'),
    ),
    decided(
      '§5.2',
      'request_uri of the client’s, where it is supported.',
      'it is not: nothing is fetched because a browser says so',
      authorizationModules('oidcc-request-uri-unsigned-supported'),
    ),
    must(
      '§10.5',
      'A client that registered require_signed_request_object is held to it.',
      authorizationRequests('a client that registered to push its requests'),
    ),
    must(
      '§10.8',
      'typ oauth-authz-req+jwt is taken, as is none.',
      requestObjects('a request object with typ …'),
    ),
  ],
};
