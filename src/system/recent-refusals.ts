import type { DevelopmentFacts, RecentRefusal } from '../ports/development.ts';
import type { Log } from '../ports/log.ts';

const KEPT = 20;

/** Returns a log that also keeps its latest refusals. */
export function rememberingRefusals(
  log: Log,
  now: () => number,
): { readonly log: Log } & Pick<DevelopmentFacts, 'refusals'> {
  const kept: RecentRefusal[] = [];
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
      });
      kept.length = Math.min(kept.length, KEPT);
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
