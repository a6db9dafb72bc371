import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { doneEvent } from '../audit-trail.ts';
import { storeEnd } from '../change-client.ts';
import type { RegistryNeeds } from '../registry-needs.ts';

export interface PruneOptions {
  /** Seconds without registration or use after which a client is idle. */
  readonly idleSeconds: number;
  /**
   * Longest lifetime of an access token in seconds. A live token implies a use within it, so its client is
   * not idle.
   */
  readonly tokenLifetimeMax: number;
  readonly dryRun: boolean;
  readonly actor: string;
  readonly request_id: string;
}

const PAGE = 100;

/** Last uses are recorded coarsely; this margin covers the error. */
const RECORDING_MARGIN_SECONDS = 3600;

/**
 * Deletes idle clients that were registered openly or by their document. Clients with live tokens and clients that a token
 * registered are never deleted.
 * @returns the ids of the deleted clients, or with `dryRun` of those that would be deleted, sorted
 */
export async function pruneIdleClients(
  needs: RegistryNeeds,
  options: PruneOptions,
): Promise<readonly ClientId[]> {
  const idle = Math.max(options.idleSeconds, options.tokenLifetimeMax + RECORDING_MARGIN_SECONDS);
  const before = needs.clock.now() - idle;
  const pruned: ClientId[] = [];
  let after: StoredClient | undefined;
  while (true) {
    const page: readonly StoredClient[] = await needs.clients.idle(before, after, PAGE);
    for (const client of page) {
      if (options.dryRun || (await prune(needs, client, options))) pruned.push(client.client_id);
    }
    after = page.at(-1);
    if (page.length < PAGE) return pruned.sort();
  }
}

/** Deletes one idle client; a client that another request changed meanwhile is not idle and stays. */
async function prune(
  needs: RegistryNeeds,
  client: StoredClient,
  { actor, request_id }: PruneOptions,
): Promise<boolean> {
  const trail = { action: 'client.prune', actor, request_id, client_id: client.client_id } as const;
  return (await storeEnd(needs, client, doneEvent(needs, trail))) === 'done';
}

/**
 * Deletes the clients whose registration has ended for good, with their tokens. A registration that is renewed
 * meanwhile stays.
 * @param renewableFor seconds after its expiry in which a client of a federation can still be renewed
 * @returns the ids, in the order of deletion
 */
export async function endExpiredClients(
  needs: Pick<RegistryNeeds, 'clients' | 'audit' | 'clock' | 'log'>,
  renewableFor: number,
): Promise<readonly ClientId[]> {
  const ended: ClientId[] = [];
  while (true) {
    const before = ended.length;
    const now = needs.clock.now();
    const page = await needs.clients.expired({ now, renewableBefore: now - renewableFor }, PAGE);
    for (const client of page) {
      const { client_id } = client;
      const trail = { action: 'client.expire', actor: 'server', request_id: 'sweep', client_id } as const;
      if ((await storeEnd(needs, client, doneEvent(needs, trail))) === 'done') ended.push(client_id);
    }
    // Another process may be deleting this page; leave the rest to it.
    if (page.length < PAGE || ended.length === before) return ended;
  }
}
