import type { InitialAccessToken } from '../ports/access-token-store.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { doneEvent, record } from './audit-trail.ts';
import { storeEnd, untilUncontested } from './change-client.ts';
import { isKeptAfterDeletion } from './history/history-limits.ts';
import type { RegistryNeeds } from './registry-needs.ts';

export interface RevokedToken {
  /** Whether the token was unused and is now revoked. */
  readonly revoked: boolean;
  /** The client that the token registered, if it was deleted too. */
  readonly deleted: ClientId | undefined;
}

interface Revocation {
  /** The identifier of the token, as operators see it. */
  readonly id: string;
  /**
   * Whether to delete the client that the token registered. A later client with the same identifier is left
   * alone.
   */
  readonly cascade: boolean;
  readonly actor: string;
  readonly request_id: string;
}

/**
 * Revokes an initial access token. If it was used already and `cascade` is set, deletes the client that it
 * registered.
 * @param find looks up the token; called again after the revocation, because a registration may have used the
 * token meanwhile
 * @throws what `find` throws
 */
export async function revokeInitialAccessToken(
  needs: RegistryNeeds,
  find: () => Promise<InitialAccessToken>,
  { id, cascade, actor, request_id }: Revocation,
): Promise<RevokedToken> {
  const { key } = await find();
  const trail = { actor, request_id, client_id: null, action: 'initial-access-token.revoke' } as const;
  const revoked = await needs.accessTokens.store.revokeInitial(key, doneEvent(needs, trail, id));
  if (revoked || !cascade) return { revoked, deleted: undefined };
  const { used_by_client_id, used_by_instance } = await find();
  if (used_by_client_id === null) return { revoked, deleted: undefined };
  const wasDeleted = await deleteInstance(
    needs,
    { client_id: used_by_client_id, instance: used_by_instance },
    { actor, request_id, id },
  );
  if (!wasDeleted) return { revoked, deleted: undefined };
  record(needs, doneEvent(needs, trail, `${id} was already used: deleted the client that it registered`));
  return { revoked, deleted: used_by_client_id };
}

async function deleteInstance(
  needs: RegistryNeeds,
  { client_id, instance }: { readonly client_id: ClientId; readonly instance: string | null },
  { actor, request_id, id }: { readonly actor: string; readonly request_id: string; readonly id: string },
): Promise<boolean> {
  const trail = { action: 'client.delete', actor, request_id, client_id } as const;
  const find = async (): Promise<StoredClient | undefined> => {
    const client = await needs.clients.find(client_id);
    return client?.instance === instance ? client : undefined;
  };
  return await untilUncontested(needs, {
    find,
    clientOf: () => client_id,
    act: async (client) => {
      if (client === undefined) return { outcome: 'done', result: false };
      const event = doneEvent(needs, trail, `registered with the initial access token ${id}`);
      const isKept = isKeptAfterDeletion(needs.settings, { kind: 'master', client });
      return { outcome: await storeEnd(needs, client, event, isKept), result: true };
    },
  });
}
