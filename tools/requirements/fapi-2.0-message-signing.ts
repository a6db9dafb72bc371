import { client, must, type Specification } from './requirement.ts';

export const fapi20MessageSigning: Specification = {
  name: 'FAPI 2.0 Message Signing',
  title: 'FAPI 2.0 Message Signing, Final of September 2025',
  scope:
    'The sentences with "shall" that bind the authorisation server, with `profile: fapi-2.0-message-signing` (ADR 95). ID tokens are always signed (§5.6).',
  requirements: [
    must(
      'fapi2-ms-5.3.1-1',
      '§5.3.1 no. 1',
      'Pushed requests are signed request objects, and others are refused.',
      'requireProtection',
      'openRequestObject',
    ),
    must(
      'fapi2-ms-5.3.1-2',
      '§5.3.1 no. 2',
      'The aud of a request object is the issuer, or a list with it.',
      'src/grants/authorization/request-object.ts',
    ),
    must('fapi2-ms-5.3.1-3', '§5.3.1 no. 3', 'nbf is present, and 60 minutes ago at most.', 'lifeProblem'),
    must(
      'fapi2-ms-5.3.1-4',
      '§5.3.1 no. 4',
      'exp is present, and 60 minutes after nbf at most.',
      'lifeProblem',
    ),
    must(
      'fapi2-ms-5.3.1-5',
      '§5.3.1 no. 5',
      'The typ oauth-authz-req+jwt is accepted.',
      'src/grants/authorization/request-object.ts',
    ),
    must(
      'fapi2-ms-5.3.3-1',
      '§5.3.3',
      'response_modes of the registration limits the response modes of the client.',
      'requireOfferedMode',
    ),
    must(
      'fapi2-ms-5.4.1-1',
      '§5.4.1',
      'Responses are signed (JARM), with iss inside; a request for another response is refused.',
      'requireOfferedMode',
      'authorizationResponse',
    ),
    must('fapi2-ms-5.5.1-1', '§5.5.1', 'Introspection answers as JWT are signed (RFC 9701).', 'jwtAnswer'),
    client('fapi2-ms-5.4.2-1', '§5.4.2', 'The client verifies the signed response.'),
  ],
};
