import { writeChange } from '../../../clients/change-client.ts';
import { requireAdminScopeOf } from '../../../clients/registration/admin-scope.ts';
import type { RegistryNeeds } from '../../../clients/registry-needs.ts';
import type { AuditEvent } from '../../../ports/audit-log.ts';
import type { ClientLists, ListedClient } from '../../../ports/client-lists.ts';
import type { StoredClient } from '../../../ports/client-store.ts';
import type { ClientId } from '../../../spec/identifiers.ts';
import { type JsonObject, type JsonValue, parseJsonObject } from '../../../spec/json.ts';
import { notFound } from '../../../spec/problems.ts';
import type { AdminCall, Done, Plan, WriteCall } from '../operation.ts';
import type { Precondition } from '../version.ts';
import { clientItem, versionOfClient } from './client-item.ts';

export interface AdminClientNeeds {
  readonly registry: RegistryNeeds;
  readonly storage: { readonly clientLists: ClientLists };
}

/** Returns the client of the path as it is stored, an expired one too. @throws Problem not_found */
export async function clientAt(
  { storage }: AdminClientNeeds,
  { segments }: Pick<AdminCall, 'segments'>,
): Promise<ListedClient> {
  const [found] = await storage.clientLists.read([(segments['client_id'] ?? '') as ClientId]);
  if (found === undefined) throw notFound('client');
  return found;
}

/** A change of one client. */
export interface ClientChange {
  /** Returns the client after the change. Called again after a lost race. */
  readonly change: (client: StoredClient) => StoredClient | Promise<StoredClient>;
  /** Renders the answer of the change that happened. */
  readonly done: (changed: ListedClient) => Done;
  readonly warnings?: (changed: StoredClient) => readonly string[];
  readonly detail?: string;
}

/** Writes that may lose a race one after the other. */
const ATTEMPTS_MAX = 10;

/**
 * Plans a change of the client of the path. The caller must hold what the client holds: otherwise it could take the rights of
 * another client.
 * @throws Problem not_found, precondition_failed; OAuthError insufficient_scope; what `change` throws
 */
export async function plannedChange(
  needs: AdminClientNeeds,
  call: WriteCall & { readonly ifMatch?: Precondition },
  { change, done, warnings, detail }: ClientChange,
): Promise<Plan> {
  const now = needs.registry.clock.now();
  const checked = async (): Promise<{ readonly before: ListedClient; readonly after: ListedClient }> => {
    const before = await clientAt(needs, call);
    call.ifMatch?.require(versionOfClient(before.client));
    requireAdminScopeOf(before.client, call.caller.scope);
    return { before, after: { ...before, client: await change(before.client) } };
  };
  const first = await checked();
  return {
    before: clientItem(first.before, now),
    after: clientItem(first.after, now),
    warnings: warnings?.(first.after.client) ?? [],
    commit: async () => {
      const { client_id } = first.before.client;
      const event = call.event({ client_id, ...(detail === undefined ? {} : { detail }) });
      return done(await written(needs, first, checked, event));
    },
  };
}

interface Changed {
  readonly before: ListedClient;
  readonly after: ListedClient;
}

async function written(
  { registry }: AdminClientNeeds,
  first: Changed,
  again: () => Promise<Changed>,
  event: AuditEvent,
): Promise<ListedClient> {
  let planned = first;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const { before, after } = planned;
    if ((await writeChange(registry, after.client, before.client.version, event)) === 'done') return after;
    planned = await again();
  }
  throw new Error(`other requests changed the client during each of ${ATTEMPTS_MAX} attempts`);
}

/** Returns the registration request that a body stands for. */
export function requestOf(needs: RegistryNeeds, metadata: JsonValue, beside: object = {}): JsonObject {
  const members = { ...(metadata as object), ...beside };
  const limits = { ...needs.json, members: needs.json.members + Object.keys(beside).length };
  return parseJsonObject(Buffer.from(JSON.stringify(members)), limits);
}
