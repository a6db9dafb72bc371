import { client, must, type Specification } from './requirement.ts';

export const rfc8707: Specification = {
  name: 'RFC 8707',
  title: 'Resource Indicators for OAuth 2.0',
  scope: 'Authorisation requests and token requests.',
  requirements: [
    must(
      'rfc8707-2-1',
      '§2',
      'resource is an absolute URI without fragment; anything else is invalid_target.',
      'requestedResources',
      'audienceFor',
    ),
    must(
      'rfc8707-2.1-1',
      '§2.1',
      'A code is for the resources that were asked for, and for what it gives no others may be asked for.',
    ),
    must(
      'rfc8707-2-6',
      '§2',
      'With access-token.require-resource, a request for scope of another server without resource is invalid_target.',
      'requestedAudience',
    ),
    client('rfc8707-2-2', '§2', 'The client should use the most specific URI it can, and avoid queries.'),
    must('rfc8707-2-3', '§2', 'resource may be repeated.', 'REPEATABLE_PARAMETERS', 'parseParameters'),
    must(
      'rfc8707-2-4',
      '§2',
      'A resource that the server does not know, or will not issue for, is invalid_target.',
      'audienceFor',
      'requestedResources',
    ),
    must(
      'rfc8707-2-5',
      '§2',
      'The access token is restricted to the resources (SHOULD).',
      'audienceFor',
      'narrowedAudience',
    ),
    must(
      'rfc8707-2.2-1',
      '§2.2',
      'A refresh request may ask for one of the granted resources, and for no other.',
    ),
  ],
};
