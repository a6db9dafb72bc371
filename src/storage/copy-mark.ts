import { StorageUnavailable } from '../ports/storage.ts';

/** What a database that is the target of a copy says of itself. Times are seconds since the epoch. */
export interface CopyMark {
  /** Tells registries apart: SHA-256 of the sealed text that each makes at its first start. */
  readonly source: string;
  readonly started_at: number;
  /** Null while something may be missing. */
  readonly finished_at: number | null;
}

export function parseCopyMark(content: string | undefined): CopyMark | undefined {
  return content === undefined ? undefined : (JSON.parse(content) as CopyMark);
}

/** A registry of which a part is missing answers as if that had never been. */
export function refuseUnfinishedCopy(content: string | undefined): void {
  if (content === undefined || parseCopyMark(content)?.finished_at !== null) return;
  throw new StorageUnavailable(
    'the database is an unfinished copy of another one: finish it with chancery storage copy --final',
  );
}
