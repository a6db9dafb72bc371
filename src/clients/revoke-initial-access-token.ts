import type { InitialAccessToken } from '../ports/access-token-store.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { doneEvent, record } from './audit-trail.ts';
import { storeEnd, untilUncontested } from './change-client.ts';
import type { RegistryNeeds } from './registry-needs.ts';

export interface RevokedToken {
  /** Whether the token could still be used until now. */
  readonly revoked: boolean;
  /** The client it had made, which was ended with it. */
  readonly deleted: ClientId | undefined;
}

interface Revocation {
  /** As an operator names the token. */
  readonly id: string;
  /** Whether the client that the token made is ended as well: that registration only, not a later one of its id. */
  readonly cascade: boolean;
  readonly actor: string;
  readonly request_id: string;
}

/**
 * Ends an initial access token, or what came of it.
 * @param find looks the token up; called again after the revocation, which a registration may have overtaken.
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
  const ended = await endInstance(
    needs,
    { client_id: used_by_client_id, instance: used_by_instance },
    { actor, request_id, id },
  );
  if (!ended) return { revoked, deleted: undefined };
  record(needs, doneEvent(needs, trail, `${id} was used: the client that it had made was ended`));
  return { revoked, deleted: used_by_client_id };
}

async function endInstance(
  needs: RegistryNeeds,
  { client_id, instance }: { readonly client_id: ClientId; readonly instance: string | null },
  { actor, request_id, id }: { readonly actor: string; readonly request_id: string; readonly id: string },
): Promise<boolean> {
  const trail = { action: 'client.delete', actor, request_id, client_id } as const;
  const find = async (): Promise<StoredClient | undefined> => {
    const client = await needs.clients.find(client_id);
    return client?.instance === instance ? client : undefined;
  };
  return await untilUncontested(find, async (client) => {
    if (client === undefined) return { outcome: 'done', result: false };
    const event = doneEvent(needs, trail, `made with the initial access token ${id}`);
    return { outcome: await storeEnd(needs, client, event), result: true };
  });
}
