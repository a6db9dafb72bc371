import { must, type Specification } from './requirement.ts';

export const rpMetadataChoices: Specification = {
  name: 'OpenID Connect Relying Party Metadata Choices 1.0',
  scope:
    'The sentences about the provider. Lists for encryption and for signatures of the client say what it can do and ask for nothing: the server keeps them.',
  requirements: [
    must(
      'rp-metadata-choices-2-1',
      '§2',
      'The provider chooses among the values that the relying party lists, and returns its choice at registration.',
      'chooseValues',
    ),
    must(
      'rp-metadata-choices-2-2',
      '§2',
      'A single value that the relying party gives beside the list is used.',
      'chooseValues',
    ),
    must(
      'rp-metadata-choices-2-3',
      '§2',
      'A provider that has none of the values cannot serve the relying party, and says so.',
      'chooseValues',
    ),
  ],
};
