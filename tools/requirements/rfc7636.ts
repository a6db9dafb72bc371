import { client, decided, must, type Specification } from './requirement.ts';

export const rfc7636: Specification = {
  name: 'RFC 7636',
  title: 'Proof Key for Code Exchange by OAuth Public Clients',
  scope: 'The sentences that bind the server.',
  requirements: [
    client('rfc7636-4.1-1', '§4.1, §4.2', 'The client makes verifier and challenge.'),
    decided(
      'rfc7636-4.3-1',
      '§4.3',
      'code_challenge_method is plain where it is left out.',
      'S256 alone is supported, and has to be named (RFC 9700 §2.1.1)',
      'readAuthorizationRequest',
    ),
    must('rfc7636-4.4-1', '§4.4', 'The challenge is kept with the code.', 'codeContent'),
    must(
      'rfc7636-4.4.1-1',
      '§4.4.1',
      'A public client without a challenge is refused with invalid_request.',
      'readAuthorizationRequest',
    ),
    must('rfc7636-4.6-1', '§4.6', 'A verifier that does not match, or is missing, is invalid_grant.'),
  ],
};
