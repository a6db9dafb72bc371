import { client, decided, must, type Specification } from './requirement.ts';

export const rfc7636: Specification = {
  title: 'RFC 7636, Proof Key for Code Exchange',
  scope: 'What binds the server.',
  requirements: [
    client('rfc7636-4.1-1', '§4.1, §4.2', 'The client makes verifier and challenge.'),
    decided(
      'rfc7636-4.3-1',
      '§4.3',
      'code_challenge_method is plain where it is left out.',
      'S256 alone is supported, and has to be named (RFC 9700 §2.1.1)',
    ),
    must('rfc7636-4.4-1', '§4.4', 'The challenge is kept with the code.'),
    must('rfc7636-4.4.1-1', '§4.4.1', 'A public client without a challenge is refused with invalid_request.'),
    must('rfc7636-4.6-1', '§4.6', 'A verifier that does not match, or is missing, is invalid_grant.'),
  ],
};
