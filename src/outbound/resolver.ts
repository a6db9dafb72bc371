import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves a name to its addresses, in the order to try them. Rejects if there are none or when `signal` aborts. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 1000;
const TRIES = 2;

/** RFC 8305 §3, "Resolution Delay": the wait for the second address family after the first has answered. */
const RESOLUTION_DELAY_MS = 50;

/**
 * Returns a resolver that asks name servers over sockets (c-ares). `dns.lookup` cannot be cancelled, and it would block a
 * thread of the pool while a name server does not answer.
 * @param servers `address:port` each; default: those of the system
 */
export function resolveThrough(servers?: readonly string[]): Resolve {
  return async (name, signal) => {
    signal.throwIfAborted();
    // A resolver per name, so that `cancel` ends only its queries.
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await firstAnswers([resolver.resolve4(name), resolver.resolve6(name)]);
    } finally {
      signal.removeEventListener('abort', cancel);
      cancel();
    }
  };
}

async function firstAnswers(families: readonly Promise<readonly string[]>[]): Promise<readonly string[]> {
  const found: (readonly string[])[] = [];
  const asked = families.map(async (family, index) => {
    found[index] = await family;
  });
  const settled = Promise.allSettled(asked);
  try {
    await Promise.any(asked);
  } catch (failure) {
    // Both families failed, mostly with the same ENOTFOUND. The first error is enough for the log.
    throw failure instanceof AggregateError ? failure.errors[0] : failure;
  }
  await Promise.race([settled, sleep(RESOLUTION_DELAY_MS)]);
  return found.flat();
}
