import type { ClientStore, ClientUse, StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type Caches, SLOT_BYTES } from '../../spec/caches.ts';

export interface ClientUseNeeds {
  readonly clients: Pick<ClientStore, 'recordUses'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly caches: Caches;
}

/** Records when clients were last used. Callers do not wait for it. */
export interface ClientUses {
  /**
   * Notes a use.
   * @param secret the secret that the client authenticated with; undefined for a use without one
   */
  note(client: StoredClient, secret: StoredSecret | undefined): void;
  /** Writes all notes. Resolves when they are stored or the failure is logged. */
  flush(): Promise<void>;
}

/** Seconds between two records for one client and secret: the last use is evidence, not a log. */
const RECORDED_EVERY_SECONDS = 600;

/** Seconds by which the last use of a client may be later than the recorded one. */
export const USE_MARGIN_SECONDS = RECORDED_EVERY_SECONDS;

/** Milliseconds in which uses are collected for one write. */
const FLUSH_DELAY_MS = 1000;

/** Characters of a digest that tell the secrets of one client apart. */
const NAME_DIGEST_LENGTH = 8;

/** A name and a time. An evicted entry only causes an additional record. */
const NOTED_BYTES = SLOT_BYTES + 88;

/** Opens a recorder of client uses that writes in batches. */
export function clientUses(needs: ClientUseNeeds): ClientUses {
  const noted = needs.caches.open<string, number>('client-uses', { weigh: () => NOTED_BYTES });
  let pending: ClientUse[] = [];
  let timer: NodeJS.Timeout | undefined;
  let recorded = Promise.resolve();

  const recordUses = async (uses: readonly ClientUse[]): Promise<void> => {
    try {
      await needs.clients.recordUses(uses);
    } catch (cause) {
      needs.log.error({ cause }, 'client uses could not be recorded');
    }
  };
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const uses = pending;
    pending = [];
    if (uses.length > 0) recorded = Promise.all([recorded, recordUses(uses)]).then(() => undefined);
    await recorded;
  };

  return {
    note(client, secret) {
      const now = needs.clock.now();
      const { client_id, instance } = client;
      const name = secret === undefined ? instance : instance + secret.digest.slice(0, NAME_DIGEST_LENGTH);
      if (now - (noted.get(name) ?? 0) < RECORDED_EVERY_SECONDS) return;
      noted.set(name, now);
      pending.push({ client_id, instance, secret_digest: secret?.digest ?? null, last_used_at: now });
      timer ??= setTimeout(() => void flush(), FLUSH_DELAY_MS).unref();
    },
    flush,
  };
}
