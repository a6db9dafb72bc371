import type { AuditEvent } from '../ports/audit-log.ts';
import type { Restoration } from '../ports/storage.ts';
import type { DumpKey, DumpRow, DumpSection, TableWriter } from '../ports/table-dump.ts';
import { DUMPED_TABLES } from './dumped-tables.ts';

/**
 * The numbers of the journal and of the audit that were given between a backup and its restoring are not known any more.
 * They go on so much further that none is given twice: whoever followed the journal notices, and forgets what it knew.
 */
const NUMBERS_SKIPPED = 1_000_000_000;

const PAGE = 1000;

/** Says in a database that it was a backup: in its marks, and in each tenant's journal and audit. No server may be on it. */
export async function markRestored(
  writer: TableWriter,
  restoration: Restoration,
  event: AuditEvent,
): Promise<void> {
  for (const tenant of await writer.tenants()) {
    const counters = section('counters', tenant);
    const [found] = await writer.page(counters, undefined, 1);
    const journal = Number(found?.[1] ?? 0) + NUMBERS_SKIPPED;
    const audit = Number(found?.[2] ?? 0) + NUMBERS_SKIPPED;
    const changes = section('change_journal', tenant);
    await removeAll(writer, changes);
    await writer.change(changes, [], [[tenant, journal, 'server-keys-changed', '', null]]);
    const { at, action, outcome, actor, client_id, request_id, detail } = event;
    const recorded = [tenant, audit, at, action, outcome, actor, client_id, request_id, detail];
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
