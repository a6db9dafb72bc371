import { client, must, type Specification } from './requirement.ts';
import { codes, directGrants, refreshTokens, resources, tokenJourneys } from './test-files.ts';

export const rfc8707: Specification = {
  title: 'RFC 8707, Resource Indicators for OAuth 2.0',
  scope: 'Authorisation requests and token requests.',
  requirements: [
    must(
      '§2',
      'resource is an absolute URI without fragment; anything else is invalid_target.',
      resources('resource=…: 400 invalid_target'),
    ),
    must(
      '§2.1',
      'A code is for the resources that were asked for, and for what it gives no others may be asked for.',
      codes('the audience is what was asked for, or less of it', '…: …, and the code is still good'),
    ),
    client('§2', 'The client should use the most specific URI it can, and avoid queries.'),
    must(
      '§2',
      'resource may be repeated.',
      resources('resource is the audience of the token'),
      tokenJourneys('oauth4webapi, …: client credentials for a resource'),
    ),
    must(
      '§2',
      'A resource that the server does not know, or will not issue for, is invalid_target.',
      resources('the server may issue tokens for some resources only', 'chancery_access_token_audience is'),
    ),
    must(
      '§2',
      'The access token is restricted to the resources (SHOULD).',
      resources('resource is the audience of the token'),
      directGrants('resources are the audience'),
    ),
    must(
      '§2.2',
      'A refresh request may ask for one of the granted resources, and for no other.',
      refreshTokens('resource: one of those granted'),
    ),
  ],
};
