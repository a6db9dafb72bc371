import { decided, must, type Specification } from './requirement.ts';

export const rfc9728: Specification = {
  name: 'RFC 9728',
  title: 'OAuth 2.0 Protected Resource Metadata',
  scope:
    'The sentences that bind the resources of this server: the UserInfo endpoint, and the administration API on the main listener. Other resource servers publish their own metadata.',
  requirements: [
    must(
      'rfc9728-2-1',
      '§2',
      'The metadata has the resource identifier, an https URL without fragment.',
      'protectedResources',
    ),
    must(
      'rfc9728-3.1-1',
      '§3.1',
      'The well-known string stands between host and path of the resource.',
      'protectedResourceUrl',
    ),
    must(
      'rfc9728-3.2-1',
      '§3.2',
      'The answer is 200 with JSON; members without values are left out.',
      'protectedResources',
    ),
    must(
      'rfc9728-3.3-1',
      '§3.3',
      '`resource` is the identifier that the address was made of.',
      'protectedResources',
    ),
    decided(
      'rfc9728-2.2-1',
      '§2.2',
      'Metadata may be signed.',
      'left out: TLS protects it as it protects the metadata of the server, and no client was found that asks for it',
    ),
    must(
      'rfc9728-5.1-1',
      '§5.1',
      'A challenge may name the metadata with `resource_metadata`.',
      'accessTokenNeeded',
    ),
  ],
};
