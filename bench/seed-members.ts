import type { StoredClient } from '../src/ports/client-store.ts';
import {
  type ClientId,
  type ClientInstance,
  DEFAULT_TENANT,
  IDENTIFIER_LENGTHS,
} from '../src/spec/identifiers.ts';
import { systemRandom } from '../src/system/random.ts';
import { openProgramStorage } from '../test/program/storage-place.ts';

export interface MemberSeeding {
  readonly folder: string;
  /** The entity whose explicit registration is copied. */
  readonly example: string;
  /** The entities that get such a registration. */
  readonly members: readonly string[];
  /** Returns when the registration of the member with this index is due for its renewal. */
  readonly renewAt: (index: number) => number;
  readonly now: number;
}

/** Registers members of a federation beside the running program, through the storage floor. All are in use. */
export async function seedMembers({ folder, example, members, renewAt, now }: MemberSeeding): Promise<void> {
  const storage = await openProgramStorage(folder);
  const { clients } = storage.forTenant(DEFAULT_TENANT);
  const registered = await clients.findOfEntity(example);
  if (registered === undefined) throw new Error('the example is not registered');
  const event = {
    at: now,
    action: 'client.create',
    outcome: 'done',
    actor: 'bench',
    request_id: 'seed',
    detail: null,
  } as const;
  const copies = members.map((member, index) => ({
    ...copyOf(registered, example, member),
    renew_at: renewAt(index),
  }));
  await Promise.all(
    copies.map(
      async (client) =>
        await clients.create(client, {
          reuseDeletedId: false,
          now,
          event: { ...event, client_id: client.client_id },
        }),
    ),
  );
  await clients.recordUses(
    copies.map(({ client_id, instance }) => ({
      client_id,
      instance,
      secret_digest: null,
      last_used_at: now,
    })),
  );
  await storage.close();
}

function copyOf(registered: StoredClient, example: string, member: string): StoredClient {
  return {
    ...registered,
    client_id: systemRandom.alphanumeric(IDENTIFIER_LENGTHS.client_id) as ClientId,
    instance: systemRandom.alphanumeric(IDENTIFIER_LENGTHS.instance) as ClientInstance,
    registration_token_digest: systemRandom.alphanumeric(43) as StoredClient['registration_token_digest'],
    entity_id: member,
    federation: registered.federation?.replaceAll(JSON.stringify(example), JSON.stringify(member)) ?? null,
  };
}
