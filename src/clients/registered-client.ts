import type { StoredClient } from '../ports/client-store.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import { parseScope } from '../spec/scope.ts';

/** The provisioned metadata of a stored registration. */
export function metadataOf(client: StoredClient): ClientMetadata {
  return JSON.parse(client.metadata) as ClientMetadata;
}

/** The scope values a client is registered for. */
export function registeredScope(metadata: ClientMetadata): readonly string[] {
  return parseScope(metadata.scope ?? '') ?? [];
}
