import { must, type Specification } from './requirement.ts';
import { authorizationRequests, pushedRequests, signIn } from './test-files.ts';

export const rfc9126: Specification = {
  title: 'RFC 9126, OAuth 2.0 Pushed Authorization Requests',
  scope: 'What binds the server.',
  requirements: [
    must(
      '§2',
      'The client authenticates as at the token endpoint; a public one says who it is.',
      pushedRequests(401)(
        'POST /par without authentication',
        'POST /par with a wrong secret',
        'POST /par for another client',
      ),
      pushedRequests(201)('a public client pushes by saying who it is'),
    ),
    must(
      '§2.1',
      'request_uri cannot be pushed; the request is checked as at the authorisation endpoint.',
      pushedRequests(400)('POST /par, …: 400 … as JSON'),
      authorizationRequests('a pushed request must be one that would hold'),
    ),
    must(
      '§2.2',
      '201 with a reference that cannot be guessed, is bound to the client and expires.',
      pushedRequests(201)(
        'a pushed request: 201 with a reference',
        'a request_uri of another client',
        'a reference that has expired',
      ),
    ),
    must('§2.3', 'Errors are JSON.', pushedRequests(400)('POST /par, …: 400 … as JSON')),
    must(
      '§4',
      'Only what was pushed counts.',
      pushedRequests(201)('what is in the address beside the reference does not count'),
      signIn('openid-client: pushed requests'),
    ),
    must(
      '§6',
      'A client that registered to push its requests is held to it.',
      pushedRequests(201)('a client that registered to push its requests cannot ask otherwise'),
    ),
    must(
      '§7.3',
      'A reference is used once (SHOULD).',
      pushedRequests(201)('a pushed request: 201 with a reference'),
      authorizationRequests('a pushed request is used once'),
    ),
  ],
};
