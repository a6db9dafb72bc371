import { client, decided, must, type Specification } from './requirement.ts';
import { authorization, authorizationRequests, codes } from './test-files.ts';

export const rfc7636: Specification = {
  title: 'RFC 7636, Proof Key for Code Exchange',
  scope: 'What binds the server.',
  requirements: [
    client('§4.1, §4.2', 'The client makes verifier and challenge.'),
    decided(
      '§4.3',
      'code_challenge_method is plain where it is left out.',
      'S256 alone is supported, and has to be named (RFC 9700 §2.1.1)',
      authorization(303)('GET /authorize, …: 303 to the client with …'),
    ),
    must('§4.4', 'The challenge is kept with the code.', codes('a code gives an access token')),
    must(
      '§4.4.1',
      'A public client without a challenge is refused with invalid_request.',
      authorizationRequests('public clients, and those that registered for it, need PKCE'),
    ),
    must(
      '§4.6',
      'A verifier that does not match, or is missing, is invalid_grant.',
      codes('…: …, and the code is still good', 'a verifier for a code without a challenge'),
    ),
  ],
};
