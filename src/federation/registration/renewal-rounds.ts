import { setImmediate as nextTurn } from 'node:timers/promises';
import { federationOf, type RenewalFailure } from '../../clients/federated-client.ts';
import { USE_MARGIN_SECONDS } from '../../clients/upkeep/client-uses.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import { fraction } from './chain-terms.ts';
import type { FederatedClientNeeds } from './register-automatically.ts';
import { renewClient } from './renew-client.ts';

export interface RenewalRoundOptions {
  /** The maximum number of renewals at once. */
  readonly parallel: number;
  /** Says that the server stops: no renewal begins any more. */
  readonly stopped: () => boolean;
}

/** Seconds for which a claim holds. If the process ends meanwhile, another one claims the client after that. */
const CLAIM_SECONDS = 300;

/** Clients of one claim for each renewal at once: the last one of them must begin long before the claim ends. */
const CLAIMED_EACH = 4;

/**
 * Renews the clients of a federation that are due and in use, a few at once. A failure leaves the client as it is, until its
 * registration ends, and the next attempt comes a while later.
 * @returns how many clients were renewed, and for how many that failed
 */
export async function renewDueClients(
  needs: FederatedClientNeeds,
  { parallel, stopped }: RenewalRoundOptions,
): Promise<{ readonly renewed: number; readonly failed: number }> {
  const { clients, registry } = needs;
  const limit = parallel * CLAIMED_EACH;
  let renewed = 0;
  let failed = 0;
  let from: number | undefined = 0;
  while (from !== undefined && !stopped()) {
    const now = registry.clock.now();
    const claim = { now, until: now + CLAIM_SECONDS, from, useMargin: USE_MARGIN_SECONDS, limit };
    const found = await clients.claimRenewals(claim);
    const claimed = [...found.clients];
    from = found.next;
    const work = async (): Promise<void> => {
      for (let client = claimed.pop(); client !== undefined && !stopped(); client = claimed.pop()) {
        if (await isRenewed(needs, client)) renewed += 1;
        else failed += 1;
        // Requests come in between.
        await nextTurn();
      }
    };
    await Promise.all(Array.from({ length: Math.min(parallel, claimed.length) }, work));
  }
  return { renewed, failed };
}

async function isRenewed(needs: FederatedClientNeeds, client: StoredClient): Promise<boolean> {
  const { registry } = needs;
  const { client_id } = client;
  try {
    await renewClient(needs, client, { purpose: 'renewals', look: true });
    return true;
  } catch (cause) {
    if (!(cause instanceof OAuthError)) {
      registry.log.error({ client_id, cause }, 'a federated client could not be renewed');
      return false;
    }
    const [reason = cause.code] = /^[a-z_-]+(?=: )/u.exec(cause.error_description) ?? [];
    return await noteFailure(needs, client, {
      at: registry.clock.now(),
      reason,
      words: cause.error_description,
    });
  }
}

/**
 * Keeps the client, says why it was not renewed, and when the next attempt is due.
 * @returns whether a look renewed it meanwhile, so that there is nothing to note
 */
async function noteFailure(
  { clients, registry: { log, random } }: FederatedClientNeeds,
  client: StoredClient,
  failure: RenewalFailure,
): Promise<boolean> {
  const { client_id, version, expires_at, instance, resolved_at } = client;
  const state = federationOf(client);
  const renew_at = failure.at + pauseBefore((expires_at ?? failure.at) - failure.at, fraction(random));
  const { reason, words } = failure;
  const federation = state === undefined ? client.federation : JSON.stringify({ ...state, failure });
  const noted = await clients.replace({ ...client, version: version + 1, federation, renew_at }, version);
  if (noted !== 'done') {
    const stored = await clients.find(client_id);
    if (stored?.instance === instance && (stored.resolved_at ?? 0) > (resolved_at ?? 0)) return true;
  }
  log.warn(
    { client_id, reason, words, expires_at, renew_at },
    'a federated client cannot be renewed; it stays until its registration ends',
  );
  return false;
}

const PAUSE_MIN = 10;
const PAUSE_MAX = 900;
/** The share of the rest of a registration that passes before the next attempt. */
const PAUSE_SHARE = 0.125;

/** Returns the seconds until the next attempt: sooner if the registration ends soon, and not the same for all clients. */
function pauseBefore(left: number, random: number): number {
  const pause = Math.min(PAUSE_MAX, Math.max(PAUSE_MIN, left * PAUSE_SHARE));
  return Math.ceil(pause * (0.75 + random / 2));
}
