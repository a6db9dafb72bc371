import type { ClientStore, StoredClient } from '../ports/client-store.ts';
import type { Clock } from '../ports/clock.ts';
import { isAdminScope } from '../spec/admin-scopes.ts';
import { whenKnown } from '../spec/awaitable.ts';
import { looksLikeClientIdUrl } from '../spec/client-id-url.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import { defaultScope } from '../spec/default-scope.ts';
import type { ClientId } from '../spec/identifiers.ts';
import type { RegistrationPrivileges } from '../spec/registration-privileges.ts';
import { parseScope } from '../spec/scope.ts';

/** Stored records are immutable, so their parsed form is cached with the record. */
const parsed = new WeakMap<Pick<StoredClient, 'metadata'>, ClientMetadata>();
const scopes = new WeakMap<StoredClient, readonly string[]>();

/** Returns the parsed metadata of a stored client, or of a former version. */
export function metadataOf(client: Pick<StoredClient, 'metadata'>): ClientMetadata {
  let metadata = parsed.get(client);
  if (metadata === undefined) {
    metadata = JSON.parse(client.metadata) as ClientMetadata;
    parsed.set(client, metadata);
  }
  return metadata;
}

/** Returns the scope values that a client is registered for: those of its `scope`, or its default scope without one. */
export function registeredScope(client: StoredClient): readonly string[] {
  let scope = scopes.get(client);
  if (scope === undefined) {
    const registered = metadataOf(client).scope;
    scope = registered === undefined ? defaultScope(client) : givenScope(client, registered);
    scopes.set(client, scope);
  }
  return scope;
}

/** Returns the values of a registered `scope`, and those of the administration only if the operator gave them. */
function givenScope({ privileges }: StoredClient, registered: string): readonly string[] {
  const values = parseScope(registered) ?? [];
  if (!values.some(isAdminScope)) return values;
  const { admin_scope = [] } = JSON.parse(privileges) as Partial<RegistrationPrivileges>;
  return values.filter(
    (value) => !isAdminScope(value) || admin_scope === 'any' || admin_scope.includes(value),
  );
}

/**
 * Wraps a store so that `find` also asks `more` for a client that is not stored, if its identifier could be a URL: no other
 * identifier waits for that.
 */
export function withMoreClients(
  clients: ClientStore,
  more: (client_id: ClientId) => Promise<StoredClient | undefined>,
): ClientStore {
  return {
    ...clients,
    find: (client_id) =>
      whenKnown(clients.find(client_id), (client) =>
        client === undefined && looksLikeClientIdUrl(client_id) ? more(client_id) : client,
      ),
  };
}

/**
 * Wraps a store so that `find` returns no expired client, swept or not. A registration through a federation
 * "MUST NOT" outlive its trust chain (OpenID Federation 1.0 §12.3).
 */
export function liveClients(clients: ClientStore, clock: Pick<Clock, 'now'>): ClientStore {
  return {
    ...clients,
    find: (client_id) =>
      whenKnown(clients.find(client_id), (client) =>
        client === undefined || client.expires_at === null || clock.now() < client.expires_at
          ? client
          : undefined,
      ),
  };
}
