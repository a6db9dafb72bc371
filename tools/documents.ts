import { configurationMarkdown } from '../src/config/configuration-document.ts';
import { configurationSchema } from '../src/config/configuration-schema.ts';
import { openApiDocument } from '../src/endpoints/open-api/open-api-document.ts';
import { STORIES } from '../test/reference/stories.ts';
import { auditEventsMarkdown } from './audit-events-document.ts';
import { clientSoftwareMarkdown } from './client-software-document.ts';
import { clientAdminSchemas, clientOperations, clientSchemas } from './client-sources.ts';
import { commandsMarkdown } from './commands-document.ts';
import { conformanceMarkdown } from './conformance-document.ts';
import { describedServers, readEndpointFolders } from './contracts.ts';
import { endpointPages } from './endpoints-document.ts';
import { errorsMarkdown } from './errors-document.ts';
import { metricsMarkdown } from './metrics-document.ts';
import { operationsMarkdown } from './operations-document.ts';
import { documentsWithProofs } from './proofs.ts';
import { refusalsMarkdown } from './refusals-document.ts';
import { specMapDocuments } from './spec-map.ts';

/** A document that is made from the tables of the sources. */
export interface MadeDocument {
  /** Below the repository's root. */
  readonly path: string;
  /** Its whole text, the same on every machine. */
  readonly make: () => string;
}

const folders = await readEndpointFolders();
const description = openApiDocument(describedServers(folders));

export const DOCUMENTS: readonly MadeDocument[] = [
  { path: 'docs/reference/configuration.md', make: configurationMarkdown },
  {
    path: 'docs/reference/configuration.schema.json',
    make: () => jsonText(configurationSchema()),
  },
  { path: 'docs/reference/audit-events.md', make: auditEventsMarkdown },
  { path: 'docs/reference/openapi.json', make: () => jsonText(description) },
  { path: 'src/client/schemas.ts', make: () => clientSchemas(description) },
  { path: 'src/client/admin-schemas.ts', make: () => clientAdminSchemas(description) },
  { path: 'src/client/operations.ts', make: () => clientOperations(description) },
  { path: 'docs/reference/metrics.md', make: metricsMarkdown },
  { path: 'docs/reference/commands.md', make: commandsMarkdown },
  { path: 'docs/reference/operations.md', make: () => operationsMarkdown(folders) },
  { path: 'docs/reference/client-software.md', make: clientSoftwareMarkdown },
  { path: 'docs/reference/errors.md', make: () => errorsMarkdown(folders) },
  { path: 'docs/spec-map/conformance.md', make: conformanceMarkdown },
  { path: 'docs/reference/refusals.md', make: refusalsMarkdown },
  ...(await endpointPages(folders, STORIES)),
  ...documentsWithProofs(),
  ...specMapDocuments(folders),
];

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
