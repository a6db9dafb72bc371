import type { AuditLog, RecordedAuditEvent } from '../ports/audit-log.ts';
import { isSelected, type Selection } from './audit-selection.ts';

/** Events that are read at once, and looked at before anything else may run. */
const PAGE = 500;

/** A part of the audit, in the order of commits. */
export interface Followed {
  /** Those that match. */
  readonly events: readonly RecordedAuditEvent[];
  /** The sequence up to which everything was looked at. */
  readonly until: number;
  /** How many events before `until` were swept before this reader came to them. */
  readonly missed: number;
}

/**
 * Reads on after a sequence. Sequences grow in commit order and without gaps, so nothing that is committed later has a place
 * before `until`, and a gap means that the lifetime of the audit has ended for the events in it.
 * @param last events after this sequence are left out
 */
export async function readOn(
  audit: Pick<AuditLog, 'page'>,
  selection: Selection,
  after: number,
  last = Number.MAX_SAFE_INTEGER,
): Promise<Followed> {
  const page = (await audit.page(after, PAGE)).filter(({ sequence }) => sequence <= last);
  const until = page.at(-1)?.sequence ?? after;
  return {
    events: page.filter((event) => isSelected(selection, event)),
    until,
    missed: until - after - page.length,
  };
}

export interface Following {
  readonly after: number;
  readonly stop: AbortSignal;
  /** Resolves when to look again, or when `stop` is aborted. */
  readonly wait: () => Promise<void>;
}

/** Yields each part that is recorded after a sequence, and an empty one whenever there was nothing, until `stop` is aborted. */
export async function* followAudit(
  audit: Pick<AuditLog, 'page'>,
  selection: Selection,
  { after, stop, wait }: Following,
): AsyncGenerator<Followed> {
  for (let place = after; !stop.aborted; ) {
    const part = await readOn(audit, selection, place);
    yield part;
    if (part.until === place) await wait();
    place = part.until;
  }
}
