import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { StoredClient } from '../../ports/client-store.ts';
import type { StoredStream } from '../../ports/event-stream-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { StreamId } from '../../spec/identifiers.ts';
import { aClient, EVENT, NOW, OPEN } from './stored-examples.ts';

const MANY = 100;

/** Facts of an event, as the storage writes them. */
export type Told = Readonly<Record<string, unknown>>;

export function aStream(client: StoredClient, values: Partial<StoredStream> = {}): StoredStream {
  return {
    id: randomBytes(12).toString('hex') as StreamId,
    client_id: client.client_id,
    instance: client.instance,
    issuer: 'https://op.example',
    version: 1,
    configuration: '{}',
    sealed: null,
    method: 'push',
    events: 'session-revoked credential-change',
    status: 'enabled',
    status_reason: null,
    held_max: MANY,
    created_at: NOW,
    updated_at: NOW,
    verified_at: null,
    sequence: 0,
    drains_to: 0,
    held: 0,
    delivered: 0,
    delivered_at: null,
    attempts: 0,
    attempted_at: null,
    due_at: null,
    problem: null,
    ...values,
  };
}

/** Registers a client that has a stream. */
export async function addStream(
  tenant: TenantStorage,
  values: Partial<StoredStream> = {},
): Promise<{ readonly client: StoredClient; readonly stream: StoredStream }> {
  const client = aClient();
  await tenant.clients.create(client, OPEN);
  const stream = aStream(client, values);
  assert.equal(await tenant.eventStreams.create(stream, MANY, EVENT), true);
  return { client, stream };
}

/** Appends `count` events by verification, which waits for nothing here. */
export async function fill(tenant: TenantStorage, { id }: StoredStream, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const event = { kind: 'verification', content: `{"state":"${index}"}`, at: NOW } as const;
    assert.equal(await tenant.eventStreams.verify(id, event, NOW + 1), 'queued');
  }
}

export async function waiting(tenant: TenantStorage, { id }: StoredStream) {
  const events = await tenant.eventStreams.events(id, 'waiting', 0, MANY);
  return events.map(({ kind, content, at }) => ({ kind, at, ...(JSON.parse(content) as Told) }));
}

export async function found(tenant: TenantStorage, { id }: StoredStream): Promise<StoredStream> {
  return (await tenant.eventStreams.find(id)) ?? assert.fail('the stream is gone');
}
