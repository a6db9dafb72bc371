import type { AuditEvent } from '../ports/audit-log.ts';
import { type Restoration, StorageUnavailable } from '../ports/storage.ts';
import type { DumpKey, DumpRow, DumpSection, TableWriter } from '../ports/table-dump.ts';
import { deletedTenants } from './copy-table.ts';
import { DUMPED_TABLES } from './dumped-tables.ts';

/** The mark of a database that is the target of a copy. Times are seconds since the epoch. */
export interface CopyMark {
  /** Identifies the source: SHA-256 of the sealed canary that each registry makes at its first start. */
  readonly source: string;
  readonly started_at: number;
  /** Null while the copy is incomplete. */
  readonly finished_at: number | null;
}

export function parseCopyMark(content: string | undefined): CopyMark | undefined {
  return content === undefined ? undefined : (JSON.parse(content) as CopyMark);
}

/** Throws `StorageUnavailable` for an unfinished copy, which would answer as if the missing rows never existed. */
export function refuseUnfinishedCopy(content: string | undefined): void {
  if (content === undefined || parseCopyMark(content)?.finished_at !== null) return;
  throw new StorageUnavailable(
    'the database is an unfinished copy of another one: finish it with chancery storage copy --final',
  );
}

/**
 * Skips numbers of the journal and the audit log, because those given between the backup and its restoration are unknown.
 * The gap ensures that no number is given twice. A process that follows the journal notices it and drops its cache.
 */
const NUMBERS_SKIPPED = 1_000_000_000;

const PAGE = 1000;

/** Marks a database as restored from a backup, in its marks and in each tenant's journal and audit log. No server may use it. */
export async function markRestored(
  writer: TableWriter,
  restoration: Restoration,
  event: AuditEvent,
): Promise<void> {
  const deleted = await deletedTenants(writer);
  for (const tenant of await writer.tenants()) {
    // A deleted tenant gets no rows, and nothing reads its numbers.
    if (deleted.has(tenant)) continue;
    const counters = section('counters', tenant);
    const [found] = await writer.page(counters, undefined, 1);
    const journal = Number(found?.[1] ?? 0) + NUMBERS_SKIPPED;
    const audit = Number(found?.[2] ?? 0) + NUMBERS_SKIPPED;
    const changes = section('change_journal', tenant);
    await removeAll(writer, changes);
    await writer.change(
      changes,
      [],
      [[tenant, journal, 'server-keys-changed', '', null, null, null, null, null]],
    );
    const { at, action, outcome, actor, client_id, request_id, detail } = event;
    const { sub = null, address = null, user_agent = null, reason = null } = event;
    const about = [actor, client_id, request_id, detail, sub, address, user_agent, reason];
    const recorded = [tenant, audit, at, action, outcome, ...about];
    await writer.change(section('audit_event', tenant), [], [recorded]);
    await writer.change(counters, found === undefined ? [] : [[tenant]], [[tenant, journal, audit]]);
  }
  await writer.putMark('restored', JSON.stringify(restoration));
  await writer.putMark('backup', undefined);
}

async function removeAll(writer: TableWriter, from: DumpSection): Promise<void> {
  const { keyLength } = from.table;
  while (true) {
    const rows: readonly DumpRow[] = await writer.page(from, undefined, PAGE);
    if (rows.length === 0) return;
    await writer.change(
      from,
      rows.map((row): DumpKey => row.slice(0, keyLength)),
      [],
    );
  }
}

function section(name: string, tenant: string): DumpSection {
  const table = DUMPED_TABLES.find((each) => each.name === name);
  if (table === undefined) throw new Error(`there is no table ${name}`);
  return { table, tenant };
}

export function parseRestoration(content: string | undefined): Restoration | undefined {
  return content === undefined ? undefined : (JSON.parse(content) as Restoration);
}
