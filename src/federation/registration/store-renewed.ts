import { isDeepStrictEqual } from 'node:util';
import { doneEvent } from '../../clients/audit-trail.ts';
import { storeChange } from '../../clients/change-client.ts';
import { withoutSetSigner } from '../../clients/client-keys/key-source.ts';
import { entityOf } from '../../clients/federated-client.ts';
import { changedMembers } from '../../clients/metadata-document/document-state.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import type { ClientStore, StoredClient } from '../../ports/client-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';

/**
 * Stores a client that was resolved again, with an audit event if its metadata changed. If another request or process was
 * faster, its outcome stays and is returned.
 * @throws OAuthError invalid_client if the client was deleted, or registered anew, meanwhile
 */
export async function storeRenewed(
  { registry, clients }: { readonly registry: RegistryNeeds; readonly clients: ClientStore },
  before: StoredClient,
  renewed: StoredClient,
): Promise<StoredClient> {
  const { client_id, instance } = before;
  const changed = renewedMembers(before, renewed);
  const trail = { actor: `federation:${entityOf(before)}`, client_id, request_id: 'renewal' };
  const event =
    changed.length === 0
      ? undefined
      : doneEvent(registry, { ...trail, action: 'client.update' }, changed.join(' '));
  let seen = before;
  while (true) {
    const next = { ...renewed, version: seen.version + 1 };
    const outcome =
      event === undefined
        ? await clients.replace(next, seen.version)
        : await storeChange({ ...registry, clients }, next, seen.version, event);
    if (outcome === 'done') {
      const { registered_via, expires_at } = renewed;
      registry.log.info({ client_id, registered_via, expires_at }, 'a federated client was resolved again');
      return next;
    }
    const stored = await clients.find(client_id);
    if (stored?.instance !== instance) throw deletedMeanwhile(client_id);
    if (!isOnlyNoted(before, stored)) return stored;
    seen = stored;
  }
}

/** Says whether nothing but a failed attempt was noted: a client that was resolved again must not lose to that. */
function isOnlyNoted(before: StoredClient, stored: StoredClient): boolean {
  const { version, federation, renew_at } = before;
  return isDeepStrictEqual({ ...stored, version, federation, renew_at }, before);
}

export function deletedMeanwhile(client_id: ClientId): OAuthError {
  return new OAuthError('invalid_client', {
    error_description: 'the client was deleted meanwhile',
    client: client_id,
  });
}

/** Returns the members of the shown metadata that a renewal has changed, in alphabetical order. */
export function renewedMembers(before: StoredClient, renewed: StoredClient): readonly string[] {
  return changedMembers(shown(before), shown(renewed));
}

const shown = (client: StoredClient): ReturnType<typeof withoutSetSigner> =>
  withoutSetSigner(metadataOf(client));
