import { client, decided, must, type Specification } from './requirement.ts';

export const clientIdMetadataDocument: Specification = {
  name: 'draft-ietf-oauth-client-id-metadata-document-02',
  title: 'OAuth Client ID Metadata Document',
  scope:
    'Draft 02 of 6 July 2026: the sentences that bind the server, and those SHOULDs that protect the end-user. `registration.client-id-metadata-documents` switches it on.',
  requirements: [
    must(
      'client-id-metadata-document-3-1',
      '§3',
      'A Client Identifier URL has https, a path, and neither userinfo, dot segments nor a fragment.',
      'clientIdUrlProblem',
    ),
    must(
      'client-id-metadata-document-3-2',
      '§3',
      'URLs are compared as strings.',
      'src/clients/metadata-document/fetch-document.ts',
    ),
    must(
      'client-id-metadata-document-4-1',
      '§4',
      'The metadata are those of RFC 7591, and go through the table of all registrations.',
      'admitDocument',
    ),
    must(
      'client-id-metadata-document-4-2',
      '§4',
      'client_id of the document is the URL that was fetched.',
      'requireOwnUrl',
    ),
    must(
      'client-id-metadata-document-4.1-1',
      '§4.1',
      'No shared secret, no method that needs one, no private key.',
      'requireNoSecrets',
    ),
    must(
      'client-id-metadata-document-4.2-1',
      '§4.2',
      'The redirection URI of a request is one of the document, letter by letter (RFC 8252 §7.3 for loopback ports).',
      'responseTarget',
    ),
    must(
      'client-id-metadata-document-5-1',
      '§5',
      'The server fetches the document (SHOULD).',
      'DocumentClients',
    ),
    must(
      'client-id-metadata-document-5-2',
      '§5',
      'Only 200 is a document, and redirects are not followed.',
      'src/outbound/http-requests.ts',
    ),
    must(
      'client-id-metadata-document-5.1-1',
      '§5.1',
      'Without a document the authorisation request ends (SHOULD).',
      'DocumentClients',
    ),
    must(
      'client-id-metadata-document-5.2-1',
      '§5.2',
      'HTTP cache headers count, within bounds of the server (SHOULD).',
      'freshFor',
    ),
    decided(
      'client-id-metadata-document-5.2-2',
      '§5.2',
      'Error responses and invalid documents are not cached.',
      'A failed fetch is not repeated for `outbound.negative-cache`, so that requests of strangers do not become requests to other servers; afterwards it is fetched anew (docs/deviations.md).',
      'DocumentClients',
    ),
    must(
      'client-id-metadata-document-6-1',
      '§6',
      'Metadata of the server have client_id_metadata_document_supported.',
      'providerMetadata',
    ),
    must(
      'client-id-metadata-document-7.2-1',
      '§7.2',
      'The operator may register a URL beforehand (MAY).',
      'src/clients/registration/register-client.ts',
    ),
    must(
      'client-id-metadata-document-8.2-1',
      '§8.2',
      'A client with private_key_jwt authenticates with the keys of its document.',
      'src/clients/client-authentication/client-assertion.ts',
    ),
    must(
      'client-id-metadata-document-8.3-1',
      '§8.3',
      'Changed redirection URIs, keys and names ask the end-user again, and end requests that have begun (may).',
      'clientKeysOf',
      'changesIdentity',
    ),
    must(
      'client-id-metadata-document-8.4-1',
      '§8.4',
      'The consent page shows the host of client_id (SHOULD).',
      'pageClient',
    ),
    must(
      'client-id-metadata-document-8.6-1',
      '§8.6',
      'Nothing is fetched from special-use addresses; in development from loopback.',
      'src/outbound/url-policy.ts',
    ),
    must(
      'client-id-metadata-document-8.7-1',
      '§8.7',
      'The size of a document is limited (SHOULD).',
      'src/clients/metadata-document/fetch-document.ts',
    ),
    client(
      'client-id-metadata-document-8.2-2',
      '§8.2',
      'A client that can keep a private key authenticates with it (SHOULD).',
    ),
  ],
};
