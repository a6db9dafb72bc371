import type { ChildProcess } from 'node:child_process';
import { basic, requestHead, requests } from './http-subject.ts';
import { FORM } from './introspection-load.ts';
import { type MixtureTarget, mixedOrders, spread } from './mixture.ts';
import { LOAD_OPTIONS, messageFrom, pinLoad, startScript, stopChild } from './processes/measured-process.ts';
import type { OpenKind, OpenLoad, OpenResult } from './processes/open-load.ts';
import { type SignedInServer, signedInAt } from './signed-in.ts';

/** How many of a hundred requests are of each kind. */
export const SHARES = { introspection: 90, token: 5, registration: 2, revocation: 2, refresh: 1 } as const;
/** Refreshes that may be under way at once. */
const REFRESH_TOKENS = 64;

/** A program that can be sent the mixture, again and again. */
export interface OpenMixture {
  /**
   * Sends the mixture with open arrivals, from a process on a CPU of its own.
   * @param beside what happens meanwhile; it begins with the load
   */
  send(load: Pick<OpenLoad, 'rate' | 'seconds'>, beside?: () => Promise<void>): Promise<OpenResult>;
}

/** Adds a person who is signed in, whose refresh tokens the mixture needs. */
export async function openMixture(target: MixtureTarget): Promise<OpenMixture> {
  const person = await signedInAt(target.program, {}, target.environment);
  let revoked = 0;
  return {
    async send({ rate, seconds }, beside = async () => undefined) {
      const manyTokens = target.manyTokens.slice(revoked);
      const revocations = Math.ceil((rate * seconds * SHARES.revocation) / 100) + 100;
      revoked += revocations;
      const kinds = await openKinds({ ...target, manyTokens }, person, revocations);
      const load: OpenLoad = { port: target.program.port, rate, seconds, turns: spread(SHARES), kinds };
      const child = startScript('open-load.ts', {}, {}, LOAD_OPTIONS);
      pinLoad(child.pid ?? 0);
      try {
        child.send(load);
        const [result] = await Promise.all([resultFrom(child), beside()]);
        return result;
      } finally {
        await stopChild(child);
      }
    },
  };
}

async function resultFrom(child: ChildProcess): Promise<OpenResult> {
  const reply = await messageFrom<{ result: OpenResult } | { failure: string }>(child);
  if ('failure' in reply) throw new Error(reply.failure);
  return reply.result;
}

async function openKinds(
  target: MixtureTarget,
  person: SignedInServer,
  revocations: number,
): Promise<Readonly<Record<string, OpenKind>>> {
  const orders = mixedOrders(target, revocations);
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
        port: target.program.port,
        requests: requests(
          head,
          refreshTokens.map((token) => prefix + token),
        ),
      },
      renews: { member: 'refresh_token', prefix },
    },
  };
}
