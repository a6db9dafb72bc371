import type { FormerVersion, RestoreOutcome } from '../../ports/client-history.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { NotFound, OAuthError, quotedValue } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { Problem } from '../../spec/problems.ts';
import { type AuditTrail, doneEvent } from '../audit-trail.ts';
import { newInstance } from '../client-instance.ts';
import { entityOf, isFederated } from '../federated-client.ts';
import { documentOf } from '../metadata-document/document-state.ts';
import { metadataOf } from '../registered-client.ts';
import { requireFreeOfOurNames } from '../registration/register-client.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { isLive, makeRegistrationToken, secretsFor } from '../secrets/client-secrets.ts';
import {
  admitVersion,
  fittingSecrets,
  type Restorer,
  restoredEvent,
  restoredPrivileges,
} from './restore-version.ts';

/** Returns when a deleted client is deleted for good. */
export const endOfGrace = (
  { settings }: Pick<RegistryNeeds, 'settings'>,
  { deleted_at }: Pick<FormerVersion, 'deleted_at'>,
): number => (deleted_at ?? 0) + settings['history.deleted-lifetime'];

/**
 * Returns a deleted client that can be restored.
 * @throws NotFound, also after its grace period, swept or not
 */
export async function deletedClient(
  needs: Pick<RegistryNeeds, 'clientHistory' | 'clock' | 'settings'>,
  client_id: string,
): Promise<FormerVersion> {
  const found = await needs.clientHistory.deleted(client_id as ClientId);
  if (found !== undefined && needs.clock.now() < endOfGrace(needs, found)) return found;
  throw new NotFound(`no deleted client ${JSON.stringify(client_id)} is kept`);
}

/**
 * Restores a deleted client as another instance: its tokens, grants and consents stay ended, and its registration token is new.
 * @throws NotFound; OAuthError invalid_request if another client took its place, or its registration has ended; MetadataRefused
 * for what is no longer allowed
 */
export async function restoreDeleted(
  needs: RegistryNeeds,
  client_id: string,
  restorer: Restorer,
  trail: AuditTrail,
): Promise<StoredClient> {
  const deleted = await deletedClient(needs, client_id);
  const restored = await continuedClient(needs, deleted, restorer);
  const event = restoredEvent(needs, trail, deleted, restorer);
  const attempt = async (client: StoredClient): Promise<RestoreOutcome> =>
    await needs.clientHistory.restore(client, deleted, event);
  let stored = restored;
  let outcome = await attempt(stored);
  if (outcome === 'identical_exists') {
    // Registrants share the client that took its place; this one goes on alone.
    stored = { ...restored, shared_digest: null };
    outcome = await attempt(stored);
  }
  if (outcome !== 'restored') throw refusal(outcome, deleted);
  needs.log.info({ ...event }, 'audit');
  return stored;
}

/** Returns a deleted client as it would be after its restoration; stores nothing. */
export async function continuedClient(
  needs: RegistryNeeds,
  deleted: FormerVersion,
  restorer: Restorer,
): Promise<StoredClient> {
  const now = needs.clock.now();
  requireLiving(deleted, now);
  requireFreeOfOurNames(needs, deleted.client_id);
  const { client_id } = deleted;
  const owner = {
    client_id,
    instance: newInstance(needs),
  };
  const { ended_at: _at, deleted_at: _deleted, action: _action, ...rest } = deleted;
  const { actor: _actor, request_id: _request, reason: _reason, ...kept } = rest;
  const client: StoredClient = {
    ...kept,
    ...owner,
    version: deleted.version + 1,
    ...makeRegistrationToken(needs, owner),
    ...renewedSoon(deleted, now),
  };
  const metadata = stated(client)
    ? metadataOf(client)
    : (await admitVersion(needs, deleted, restorer)).metadata;
  const live = { ...deleted, secrets: deleted.secrets.filter((secret) => isLive(secret, now)) };
  const secrets = restorer.withSecrets ? secretsFor(needs.sealer, live, owner) : [];
  return {
    ...client,
    metadata: JSON.stringify(metadata),
    secrets: fittingSecrets(needs, client, metadata, secrets),
    privileges: restoredPrivileges(deleted, metadata),
  };
}

/** Says whether a federation or a document states the metadata. It is checked again by the renewal, which is due at once. */
const stated = (client: StoredClient): boolean => client.document !== null || isFederated(client);

function renewedSoon(
  deleted: FormerVersion,
  now: number,
): Pick<StoredClient, 'document' | 'resolved_at' | 'renew_at'> {
  const state = documentOf(deleted);
  const document = state === undefined ? null : JSON.stringify({ ...state, fresh_until: now });
  if (!isFederated(deleted) || deleted.expires_at === null)
    return { document, resolved_at: null, renew_at: null };
  return { document, resolved_at: deleted.issued_at, renew_at: now };
}

function requireLiving(deleted: FormerVersion, now: number): void {
  if (deleted.expires_at === null || now < deleted.expires_at) return;
  throw new OAuthError('invalid_request', {
    error_description: `the registration of the entity ${quotedValue(entityOf(deleted))} has ended; the entity registers again`,
  });
}

function refusal(outcome: Exclude<RestoreOutcome, 'restored'>, deleted: FormerVersion): Error {
  const { client_id } = deleted;
  switch (outcome) {
    case 'absent':
      return new NotFound(`no deleted client ${JSON.stringify(client_id)} is kept`);
    case 'client_id_taken':
      return taken(`the client_id ${quotedValue(client_id)} is registered again`);
    case 'entity_exists':
      return taken(`the entity ${quotedValue(entityOf(deleted))} has registered another client`);
    case 'identical_exists':
      return new Error('a client without a shared digest cannot have an identical one');
  }
}

const taken = (words: string): Problem => new Problem('conflict', `${words}; delete that client first`);

/**
 * Deletes a deleted client and every former version of its identifier before their time.
 * @throws NotFound if nothing is kept
 */
export async function purgeDeleted(
  needs: RegistryNeeds,
  client_id: string,
  trail: AuditTrail,
): Promise<void> {
  await deletedClient(needs, client_id);
  const event = doneEvent(needs, trail);
  if ((await needs.clientHistory.purge(client_id as ClientId, event)) === 0)
    throw new NotFound(`no deleted client ${JSON.stringify(client_id)} is kept`);
  needs.log.info({ ...event }, 'audit');
}
