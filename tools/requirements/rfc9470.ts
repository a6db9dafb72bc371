import { client, decided, must, type Specification } from './requirement.ts';

export const rfc9470: Specification = {
  name: 'RFC 9470',
  title: 'OAuth 2.0 Step Up Authentication Challenge Protocol',
  scope:
    'The sentences about the authorisation server. §3 and §4 bind resource servers and clients; a journey plays both (test/journeys/step-up.test.ts).',
  requirements: [
    client('rfc9470-3-1', '§3', 'The resource server challenges with insufficient_user_authentication.'),
    must(
      'rfc9470-4-1',
      '§4',
      'acr_values and max_age of an authorisation request are understood, pushed ones too.',
      'readAuthorizationRequest',
    ),
    must(
      'rfc9470-5-1',
      '§5',
      'The server tries to authenticate with a requested acr, and puts the acr that there is into the tokens.',
      'stepForAcr',
    ),
    decided(
      'rfc9470-5-2',
      '§5',
      'A requested acr that is not met is unmet_authentication_requirements (SHOULD).',
      'by sign-in.acr-required, which is off: OpenID Connect Core 1.0 §3.1.2.1 calls acr_values a voluntary request (ADR 57)',
      'requestedAcr',
    ),
    must('rfc9470-6.1-1', '§6.1', 'acr and auth_time are claims of a JWT access token.', 'authenticationOf'),
    must(
      'rfc9470-6.2-1',
      '§6.2',
      'acr and auth_time are members of the introspection response.',
      'authenticationOf',
    ),
    must(
      'rfc9470-7-1',
      '§7',
      'acr_values_supported is in the metadata of the server (SHOULD).',
      'supportedAcrValues',
    ),
  ],
};
