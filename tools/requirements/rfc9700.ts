import { must, type Specification } from './requirement.ts';

export const rfc9700: Specification = {
  name: 'RFC 9700',
  title: 'Best Current Practice for OAuth 2.0 Security',
  scope:
    'The rules that the profiles oauth-2.1 and mcp switch on. Other rows of this specification stand where the server keeps them in every profile: at RFC 6749, RFC 7636 and RFC 9207.',
  requirements: [
    must(
      'rfc9700-2.1.1-2',
      '§2.1.1',
      'With authorization.pkce all-clients, each authorisation request for a code needs a challenge.',
      'codeChallenge',
    ),
    must(
      'rfc9700-2.1.2-1',
      '§2.1.2',
      'Without implicit among authorization.grant-types, no response type gives an access token in the browser (SHOULD NOT).',
      'requireOfferedResponseType',
      'responseTypesOf',
    ),
    must(
      'rfc9700-2.4-1',
      '§2.4',
      'Without password among authorization.grant-types, no client uses the password grant (MUST NOT).',
      'offeredGrants',
    ),
  ],
};
