import { CLIENT_SCHEMAS } from '../spec/client-metadata-schema.ts';
import { closed, said, TEXT } from '../spec/json-schema.ts';
import { OWNER_NAME } from '../spec/owner-name.ts';
import { DECLARATIONS_VERSION } from './declarations.ts';

/** Members of a registration that a declaration states in another way: by its key, or by a reference. */
const STATED_OTHERWISE: ReadonlySet<string> = new Set(['preferred_client_id', 'preferred_client_secret']);

/** Returns the JSON Schema of files of declarations, which editors use to check and complete them. */
export function declarationSchema(): object {
  const { properties, patternProperties } = CLIENT_SCHEMAS.ClientMetadata;
  const members = Object.entries(properties).filter(([name]) => !STATED_OTHERWISE.has(name));
  const client_secret = said(
    'Where the secret is. A relative file name begins at the folder of this file. Without the member, the client keeps its secret.',
    { anyOf: [closed({ file: TEXT }, ['file']), closed({ env: TEXT }, ['env'])] },
  );
  const metadata = { ...closed({ ...Object.fromEntries(members), client_secret }, []), patternProperties };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Declarations for chancery plan and chancery apply',
    ...closed(
      {
        $schema: TEXT,
        chancery: said('The version of the format.', { const: DECLARATIONS_VERSION }),
        owner: said('Names the declarer of the clients of this document.', {
          type: 'string',
          pattern: OWNER_NAME.source,
        }),
        tenant: said(
          'The tenant of the clients. Without it, the one of --tenant, or the default tenant.',
          TEXT,
        ),
        defaults: said('Members that each client of this document has, unless it has them itself.', {
          $ref: '#/$defs/metadata',
        }),
        clients: said('Clients by their client_id.', {
          type: 'object',
          additionalProperties: { anyOf: [{ $ref: '#/$defs/metadata' }, { type: 'null' }] },
        }),
      },
      ['chancery'],
    ),
    $defs: { metadata },
  };
}
