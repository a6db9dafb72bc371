import type { Log } from '../ports/log.ts';
import type { NotedRefusal, ServerFacts } from '../ports/server-facts.ts';

const KEPT = 20;

/** Returns a log that also keeps its latest refusals. */
export function rememberingRefusals(
  log: Log,
  now: () => number,
  max: number = KEPT,
): { readonly log: Log } & Pick<ServerFacts, 'refusals'> {
  const kept: NotedRefusal[] = [];
  const noted =
    (level: 'info' | 'warn'): Log['info'] =>
    (members, message) => {
      log[level](members, message);
      if (message !== 'refused') return;
      const text = (name: string): string => {
        const value = members[name];
        return typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
      };
      kept.unshift({
        at: now(),
        endpoint: text('endpoint'),
        status: text('status'),
        reason: text('reason'),
        detail: text('detail'),
        client: text('client'),
        error: text('error'),
        request_id: text('request_id'),
        tenant: text('tenant'),
      });
      kept.length = Math.min(kept.length, max);
    };
  return {
    log: {
      info: noted('info'),
      warn: noted('warn'),
      error: (members, message) => log.error(members, message),
    },
    refusals: () => kept,
  };
}
