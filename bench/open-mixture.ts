import { basic, requestHead, requests } from './http-subject.ts';
import { FORM } from './introspection-load.ts';
import { type MixtureTarget, mixedOrders, spread } from './mixture.ts';
import { messageFrom, pin, startScript, stopChild } from './processes/measured-process.ts';
import type { OpenKind, OpenLoad, OpenResult } from './processes/open-load.ts';
import { signedInAt } from './signed-in.ts';

/** How many of a hundred requests are of each kind. */
export const SHARES = { introspection: 90, token: 5, registration: 2, revocation: 2, refresh: 1 } as const;
export const LOAD_CPU = 1;
/** Refreshes that may be under way at once. */
const REFRESH_TOKENS = 64;

/**
 * Sends the mixture with open arrivals, from a process on a CPU of its own.
 * @param beside what happens meanwhile; it begins with the load
 */
export async function openMixture(
  ours: MixtureTarget,
  { rate, seconds }: Pick<OpenLoad, 'rate' | 'seconds'>,
  beside: () => Promise<void> = async () => undefined,
): Promise<OpenResult> {
  const kinds = await openKinds(ours, rate * seconds);
  const load: OpenLoad = { port: ours.program.port, rate, seconds, turns: spread(SHARES), kinds };
  const child = startScript('open-load.ts', {});
  pin(child.pid ?? 0, LOAD_CPU);
  try {
    child.send(load);
    const [reply] = await Promise.all([
      messageFrom<{ result: OpenResult } | { failure: string }>(child),
      beside(),
    ]);
    if ('failure' in reply) throw new Error(reply.failure);
    return reply.result;
  } finally {
    await stopChild(child);
  }
}

async function openKinds(ours: MixtureTarget, count: number): Promise<Readonly<Record<string, OpenKind>>> {
  const revocations = Math.ceil((count * SHARES.revocation) / 100) + 100;
  const orders = mixedOrders(ours, revocations);
  const person = await signedInAt(ours.program, {}, ours.environment);
  const head = requestHead('POST', '/token', {
    ...FORM,
    authorization: basic(person.caller.client_id, person.caller.client_secret),
  });
  const prefix = 'grant_type=refresh_token&refresh_token=';
  const refreshTokens = await person.refreshTokens(REFRESH_TOKENS);
  return {
    introspection: { order: orders.introspection },
    token: { order: orders.token },
    registration: { order: orders.registration },
    revocation: { order: { ...orders.revocation, once: true } },
    refresh: {
      order: {
        port: ours.program.port,
        requests: requests(
          head,
          refreshTokens.map((token) => prefix + token),
        ),
      },
      renews: { member: 'refresh_token', prefix },
    },
  };
}
