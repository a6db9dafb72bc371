import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { doneEvent } from '../audit-trail.ts';
import { storeEnd } from '../change-client.ts';
import type { RegistryNeeds } from '../registry-needs.ts';

export interface PruneOptions {
  /** Clients that were neither issued nor used for so long are idle. Seconds. */
  readonly idleSeconds: number;
  /** The longest life of an access token. A live token means a use within it, so such a client is not idle. Seconds. */
  readonly tokenLifetimeMax: number;
  readonly dryRun: boolean;
  readonly actor: string;
  readonly request_id: string;
}

const PAGE = 100;

/** Uses are recorded coarsely; a client is idle only when it has been so for longer than that can hide. */
const RECORDING_MARGIN_SECONDS = 3600;

/**
 * Ends clients that were registered openly and are not used, and never another: not one with live tokens, nor one that
 * a token registered. @returns the ids, in their order.
 */
export async function pruneIdleClients(
  needs: RegistryNeeds,
  options: PruneOptions,
): Promise<readonly ClientId[]> {
  const idle = Math.max(options.idleSeconds, options.tokenLifetimeMax + RECORDING_MARGIN_SECONDS);
  const before = needs.clock.now() - idle;
  const pruned: ClientId[] = [];
  let after: ClientId | undefined;
  while (true) {
    const page: readonly StoredClient[] = await needs.clients.idle(before, after, PAGE);
    for (const client of page) {
      if (options.dryRun || (await prune(needs, client, options))) pruned.push(client.client_id);
    }
    after = page.at(-1)?.client_id;
    if (page.length < PAGE) return pruned;
  }
}

/** A client that somebody changed meanwhile is not idle, and stays. */
async function prune(
  needs: RegistryNeeds,
  client: StoredClient,
  { actor, request_id }: PruneOptions,
): Promise<boolean> {
  const trail = { action: 'client.prune', actor, request_id, client_id: client.client_id } as const;
  return (await storeEnd(needs, client, doneEvent(needs, trail))) === 'done';
}

/**
 * Ends the clients whose registration has expired, with their tokens. One that was renewed meanwhile stays.
 * @returns the ids, in the order of their end
 */
export async function endExpiredClients(
  needs: Pick<RegistryNeeds, 'clients' | 'audit' | 'clock' | 'log'>,
): Promise<readonly ClientId[]> {
  const ended: ClientId[] = [];
  while (true) {
    const before = ended.length;
    const page = await needs.clients.expired(needs.clock.now(), PAGE);
    for (const client of page) {
      const { client_id } = client;
      const trail = { action: 'client.expire', actor: 'server', request_id: 'sweep', client_id } as const;
      if ((await storeEnd(needs, client, doneEvent(needs, trail))) === 'done') ended.push(client_id);
    }
    // Of a page that others are ending at the same time the rest is theirs.
    if (page.length < PAGE || ended.length === before) return ended;
  }
}
