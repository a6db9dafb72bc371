import { client, decided, must, type Specification } from './requirement.ts';

export const idJag: Specification = {
  name: 'draft-ietf-oauth-identity-assertion-authz-grant-01',
  title: 'Identity Assertion JWT Authorization Grant',
  scope:
    'Both roles of a server: the identity provider that issues the grant, and the authorisation server of the resource that takes it. MCP calls it enterprise-managed authorisation.',
  requirements: [
    must(
      'id-jag-3-1',
      '§3',
      'The JWT has typ oauth-id-jag+jwt, and iss, sub, aud, client_id, jti, exp and iat.',
      'issueIdJag',
    ),
    client('id-jag-4.2-1', '§4.2', 'The client lets the end-user sign in, and keeps the ID token.'),
    must(
      'id-jag-4.3-1',
      '§4.3',
      'The exchange names the type of the grant, the audience, and an ID token as its subject.',
      'issueIdJag',
    ),
    must(
      'id-jag-4.3.1-1',
      '§4.3.1',
      'The ID token is valid, and its audience is the client that authenticates.',
      'issueIdJag',
    ),
    decided(
      'id-jag-4.3.1-2',
      '§4.3.1',
      'The identity provider evaluates the policy of its administrators.',
      'It is in the settings or in the registration of the client, and empty by default (ADR 91).',
      'requirePolicy',
    ),
    must(
      'id-jag-4.3.2-1',
      '§4.3.2',
      'The answer has issued_token_type, access_token with the grant, and token_type N_A.',
      'issueIdJag',
    ),
    must(
      'id-jag-4.4-1',
      '§4.4',
      'The grant is an assertion of RFC 7523, and the client authenticates.',
      'src/grants/jwt-bearer.ts',
    ),
    must(
      'id-jag-4.4.1-1',
      '§4.4.1',
      'The server checks the type, and follows the scope that the grant has.',
      'src/grants/jwt-bearer.ts',
    ),
    must(
      'id-jag-4.4.1-2',
      '§4.4.1',
      'aud is the issuer of the server, and client_id is the client that authenticates.',
      'src/grants/jwt-bearer.ts',
    ),
    decided(
      'id-jag-5-1',
      '§5',
      'The identity provider knows the client by its identifier at the other server.',
      'The policy has it; without one it is the same identifier.',
      'issueIdJag',
    ),
    must(
      'id-jag-6-1',
      '§6',
      'Metadata list the type in identity_chaining_requested_token_types_supported.',
      'providerMetadata',
    ),
    must('id-jag-7.1-1', '§7.1', 'Only confidential clients use the grant.', 'src/grants/jwt-bearer.ts'),
    must(
      'id-jag-7.3-1',
      '§7.3',
      'A server issues no access token for a grant that it issued itself.',
      'src/grants/jwt-bearer.ts',
    ),
  ],
};
