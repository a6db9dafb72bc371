import { digestOf } from '../keys/digest.ts';
import type { Restoration } from '../ports/storage.ts';
import type { TenantId } from '../spec/identifiers.ts';

/** The places in the audit or the journal of one tenant, as texts for other parties. */
export interface EventCursors {
  /** Returns the text of a sequence, which also identifies an event. */
  textOf(sequence: number): string;
  /** Returns the sequence; undefined for a text of another tenant, of the time before a restoration, or of nothing. */
  sequenceOf(text: string): number | undefined;
}

const TAG_LENGTH = 8;
const CURSOR = /^(0|[1-9]\d{0,14})-([A-Za-z0-9_-]{8})$/u;

/**
 * Makes the cursors of a tenant. Those of the audit and of the journal cannot be taken for each other. After a restoration sequences are given again, to other events: cursors of both times must not
 * be taken for each other. They protect nothing: a caller who may read the audit may read all of it.
 */
export function eventCursors(
  source: 'audit' | 'journal',
  tenant: TenantId,
  restoration: Restoration | undefined,
): EventCursors {
  const tag = digestOf(`${source} ${tenant} ${restoration?.restored_at ?? 0}`).slice(0, TAG_LENGTH);
  return {
    textOf: (sequence) => `${sequence}-${tag}`,
    sequenceOf(text) {
      const [, sequence, of] = CURSOR.exec(text) ?? [];
      return of === tag ? Number(sequence) : undefined;
    },
  };
}
