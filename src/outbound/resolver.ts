import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** The addresses of a name, in the order to try them. Rejects where there are none; gives up when `signal` aborts. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 1000;
const TRIES = 2;

/** RFC 8305 §3, "Resolution Delay": what the second family is waited for once the first has answered. */
const RESOLUTION_DELAY_MS = 50;

/**
 * Asks name servers over sockets (c-ares). `dns.lookup` would hold a thread of the pool for as long as a name hangs, and
 * could not be cancelled.
 * @param servers `address:port` each; those of the system where none are named
 */
export function resolveThrough(servers?: readonly string[]): Resolve {
  return async (name, signal) => {
    signal.throwIfAborted();
    // One each, so that `cancel` ends this name's queries only.
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
    // Both families failed; they mostly say the same (ENOTFOUND), and the first is enough for the log.
    throw failure instanceof AggregateError ? failure.errors[0] : failure;
  }
  await Promise.race([settled, sleep(RESOLUTION_DELAY_MS)]);
  return found.flat();
}
