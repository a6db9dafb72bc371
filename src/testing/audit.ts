import { isSelected } from '../events/audit-selection.ts';
import type { AuditLog, AuditPlace, RecordedAuditEvent } from '../ports/audit-log.ts';

type Reads = Pick<AuditLog, 'search' | 'page' | 'head'>;

const byTime = (one: AuditPlace, other: AuditPlace): number =>
  one.at - other.at || one.sequence - other.sequence;

/** Returns an audit of these events that counts what is read of it. More may be added to the list. */
export function memoryAudit(
  events: readonly RecordedAuditEvent[],
): Reads & { readonly examined: () => number } {
  let read = 0;
  const counted = (page: readonly RecordedAuditEvent[]): readonly RecordedAuditEvent[] => {
    read += page.length;
    return page;
  };
  return {
    examined: () => read,
    head: async () => await Promise.resolve(events.at(-1)?.sequence ?? 0),
    page: async (after, limit) =>
      await Promise.resolve(counted(events.filter(({ sequence }) => sequence > after).slice(0, limit))),
    async search({ filter, after, before, order, limit, examined }) {
      const between = events
        .filter((event) => byTime(event, after) > 0 && byTime(event, before) < 0)
        .toSorted(order === 'newest-first' ? (one, other) => byTime(other, one) : byTime);
      const looked = counted(between.slice(0, examined));
      const edge = looked.length === examined ? looked.at(-1) : undefined;
      const found = looked
        .filter((event) => isSelected({ filter, since: undefined, until: undefined }, event))
        .slice(0, limit);
      const last = found.length === limit ? found.at(-1) : edge;
      const next = last === undefined ? undefined : { at: last.at, sequence: last.sequence };
      return await Promise.resolve({ events: found, next });
    },
  };
}
