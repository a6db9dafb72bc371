import type { ClientMetadata } from '../spec/client-metadata.ts';
import type { ClientId } from '../spec/identifiers.ts';

/**
 * Says whether an audience names a client, or a resource that it registered.
 * @param metadata undefined for a caller that is not registered
 */
export function namesClient(
  audience: readonly string[],
  client_id: ClientId,
  metadata: ClientMetadata | undefined,
): boolean {
  if (audience.includes(client_id)) return true;
  const resources = (metadata?.['resource_identifiers'] ?? []) as readonly string[];
  return resources.some((resource) => audience.includes(resource));
}
