import assert from 'node:assert/strict';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { FormerVersion } from '../../ports/client-history.ts';
import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import { aClient, anEvent, NOW, OPEN } from './stored-examples.ts';

/** The most versions that the changes of these tests keep. */
const MAX = 3;

export const SECRET: StoredSecret = {
  digest: 'digest' as StoredSecret['digest'],
  sealed: 'sealed' as StoredSecret['sealed'],
  created_at: NOW,
  expires_at: 0,
};

export const OPERATOR = anEvent({
  action: 'client.update',
  actor: 'master:ops',
  request_id: 'r1',
  at: NOW + 5,
  reason: 'the "new" shop 🦊',
});

/** Changes a client so that its version is kept; returns it as it is now. */
export async function changed(
  tenant: TenantStorage,
  client: StoredClient,
  values: Partial<StoredClient> = {},
  event: AuditEvent = OPERATOR,
): Promise<StoredClient> {
  const next = { ...client, ...values, version: client.version + 1 };
  assert.equal(await tenant.clients.replace(next, client.version, event, MAX), 'done');
  return next;
}

export async function created(
  tenant: TenantStorage,
  values: Partial<StoredClient> = {},
): Promise<StoredClient> {
  const client = aClient(values);
  assert.equal(await tenant.clients.create(client, { ...OPEN, reuseDeletedId: true }), 'created');
  return client;
}

export async function deleted(tenant: TenantStorage, client: StoredClient, at = NOW + 9): Promise<void> {
  const event = anEvent({ action: 'client.delete', actor: 'cli', request_id: 'r2', at });
  assert.equal(await tenant.clients.delete(client, event, true), 'done');
}

/** The version that a change ends, as it must be kept. */
export function asVersion(
  client: StoredClient,
  { at, action, actor, request_id, reason }: AuditEvent,
): FormerVersion {
  const { registration_token_sealed: _token, resolved_at: _resolved, renew_at: _due, ...kept } = client;
  return { ...kept, ended_at: at, deleted_at: null, action, actor, request_id, reason: reason ?? null };
}

export const versionsOf = async (
  tenant: TenantStorage,
  client: StoredClient,
): Promise<readonly FormerVersion[]> => await tenant.clientHistory.versions(client, undefined, 100);

export const numbersOf = async (tenant: TenantStorage, client: StoredClient): Promise<readonly number[]> =>
  (await versionsOf(tenant, client)).map(({ version }) => version);
