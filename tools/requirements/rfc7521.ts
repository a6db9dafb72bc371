import { client, decided, must, type Specification } from './requirement.ts';

export const rfc7521: Specification = {
  title: 'RFC 7521, Assertion Framework for OAuth 2.0 Client Authentication and Authorization Grants',
  scope: 'Assertions as grants (§4.1) and §5, §8; assertions of clients (§4.2) are in the table of RFC 7523.',
  requirements: [
    must('rfc7521-4.1-1', '§4.1', 'grant_type is the absolute URI of the profile, and assertion is there.'),
    must('rfc7521-4.1-2', '§4.1', 'The scope is at most what was authorised, and the answer names it.'),
    must(
      'rfc7521-4.1-3',
      '§4.1',
      'The client is authenticated where it has credentials, and may present a grant.',
    ),
    must('rfc7521-4.1-4', '§4.1', 'No refresh token is issued for an assertion (SHOULD NOT).'),
    must(
      'rfc7521-4.1.1-1',
      '§4.1.1',
      'An assertion that does not hold is invalid_grant, and the reason may be said.',
    ),
    must(
      'rfc7521-5.1-1',
      '§5.1, §5.2',
      'It has an issuer, a subject, an audience and an end, and its issuer is one that is trusted.',
    ),
    must('rfc7521-5.2-1', '§5.2', 'The same assertion is not taken again (MAY), by its identifier.'),
    must(
      'rfc7521-8.1-1',
      '§8.1',
      'Nobody passes for somebody else: an issuer’s keys are good for its own assertions, and its subjects for its own names.',
    ),
    decided(
      'rfc7521-8.2-1',
      '§8.2',
      'An assertion is of use to nobody who did not get it from its issuer.',
      'transport and a single use: the assertions are bearer assertions',
    ),
    client('rfc7521-4.1-5', '§4.1', 'The client sends an assertion that is meant for this server.'),
  ],
};
