import { client, decided, must, type Specification } from './requirement.ts';

export const rfc7521: Specification = {
  name: 'RFC 7521',
  title: 'Assertion Framework for OAuth 2.0 Client Authentication and Authorization Grants',
  scope: 'Assertions as grants (§4.1) and of clients (§4.2), and the rules for both (§5, §8).',
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
      'src/grants/assertion-grant.ts',
    ),
    must(
      'rfc7521-5.2-1',
      '§5.2',
      'The same assertion is not taken again (MAY), by its identifier.',
      'useAssertion',
    ),
    must(
      'rfc7521-8.1-1',
      '§8.1',
      'An issuer cannot speak for another one: its keys verify its own assertions only, and its subjects are names of its own.',
      'src/grants/assertion-grant.ts',
    ),
    decided(
      'rfc7521-8.2-1',
      '§8.2',
      'A stolen assertion is of no use to the thief.',
      'transport and a single use: the assertions are bearer assertions',
      'useAssertion',
    ),
    client('rfc7521-4.1-5', '§4.1', 'The client sends an assertion that is meant for this server.'),
    must('rfc7521-4.2-1', '§4.2', 'client_id in the request is the one of the assertion.', 'clientAssertion'),
  ],
};
