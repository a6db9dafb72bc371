import type { ClientStore, ClientUse, StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { BoundedMap } from '../../spec/bounded-map.ts';

export interface ClientUseNeeds {
  readonly clients: Pick<ClientStore, 'recordUses'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Remembers who was seen, without making anyone wait for it. */
export interface ClientUses {
  /** `secret` is the one that the client authenticated with; undefined for a use without one. */
  note(client: StoredClient, secret: StoredSecret | undefined): void;
  /** Resolves when everything noted so far is recorded, or its failure is in the log. */
  flush(): Promise<void>;
}

/** A use is recorded at most so often for each client and secret: evidence, not a log. Seconds. */
const RECORDED_EVERY_SECONDS = 600;

/** Uses that gather before they are written together. */
const FLUSH_DELAY_MS = 1000;

/** Tells the secrets of one client apart. */
const NAME_DIGEST_LENGTH = 8;

/** Bounds what is remembered; beyond it something is recorded once more than it need be. */
const NOTED_MAX = 400_000;

export function clientUses(needs: ClientUseNeeds): ClientUses {
  const noted = new BoundedMap<string, number>(NOTED_MAX);
  let pending: ClientUse[] = [];
  let timer: NodeJS.Timeout | undefined;
  let recorded = Promise.resolve();

  const recordUses = async (uses: readonly ClientUse[]): Promise<void> => {
    try {
      await needs.clients.recordUses(uses);
    } catch (cause) {
      needs.log.error({ cause }, 'uses of clients could not be recorded');
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
