import { must, type Specification } from './requirement.ts';

export const rfc9126: Specification = {
  name: 'RFC 9126',
  title: 'OAuth 2.0 Pushed Authorization Requests',
  scope: 'The sentences that bind the server.',
  requirements: [
    must(
      'rfc9126-2-1',
      '§2',
      'The client authenticates as at the token endpoint; a public one says who it is.',
      'pushedAuthorizationRequest',
      'identifyClient',
    ),
    must(
      'rfc9126-2-2',
      '§2',
      'A client assertion may name the issuer, the token endpoint or this endpoint as its audience. As decision 18 has it: the endpoints with assertion-audience legacy only.',
      'assertionAudience',
    ),
    must(
      'rfc9126-2.1-1',
      '§2.1',
      'request_uri cannot be pushed; the request is checked as at the authorisation endpoint.',
    ),
    must(
      'rfc9126-2.2-1',
      '§2.2',
      '201 with a reference that cannot be guessed, is bound to the client and expires.',
    ),
    must('rfc9126-2.3-1', '§2.3', 'Errors are JSON.'),
    must('rfc9126-4-1', '§4', 'Only what was pushed counts.', 'receivePushedRequest'),
    must(
      'rfc9126-6-1',
      '§6',
      'A client that registered to push its requests is held to it.',
      'receiveAuthorizationRequest',
    ),
    must('rfc9126-7.3-1', '§7.3', 'A reference is used once (SHOULD).'),
  ],
};
