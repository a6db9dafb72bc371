import { tablesAt } from '../../src/process/storage.ts';
import { pages } from '../../src/storage/copy-table.ts';
import { DUMPED_TABLES } from '../../src/storage/dumped-tables.ts';
import { testSettings } from '../../src/testing/settings.ts';
import type { Stand } from './stand.ts';
import type { Findings } from './verify-registry.ts';

type Rows = readonly Readonly<Record<string, string | number | null>>[];

/**
 * Checks that no change lost its former version, and no former version its change: each is kept in the transaction of the
 * change (ADR 81). Call it after a load whose changes all have an audit event.
 */
export async function verifyHistory({ url }: Pick<Stand, 'url'>, findings: Findings): Promise<void> {
  const max = testSettings()['history.versions-per-client'];
  const kept = new Map<string, number[]>();
  const deleted = new Set<string>();
  for (const { instance, version, deleted_at } of await rowsOf(url, 'client_version')) {
    kept.set(String(instance), [...(kept.get(String(instance)) ?? []), Number(version)]);
    if (deleted_at !== null) deleted.add(String(instance));
  }
  for (const { client_id, instance, version } of await rowsOf(url, 'client')) {
    const former = kept.get(String(instance)) ?? [];
    const last = Number(version) - 1;
    const expected = Array.from({ length: Math.min(last, max) }, (_, index) => last - index).toReversed();
    if (former.join() !== expected.join())
      findings.half_written.push(`client ${client_id} is version ${version}, and keeps ${former.join()}`);
  }
  for (const { client_id, instance } of await rowsOf(url, 'deleted_client'))
    if (!deleted.has(String(instance)))
      findings.half_written.push(`the deleted client ${client_id} is not kept`);
}

async function rowsOf(url: string, name: string): Promise<Rows> {
  const table = DUMPED_TABLES.find((each) => each.name === name);
  if (table === undefined) throw new Error(`there is no table ${name}`);
  const reader = await (await tablesAt(url)).snapshot();
  try {
    const found: Record<string, string | number | null>[] = [];
    for await (const page of pages(reader, { table, tenant: 'default' }))
      for (const row of page)
        found.push(
          Object.fromEntries(table.columns.map((column, index) => [column.name, row[index] ?? null])),
        );
    return found;
  } finally {
    await reader.close();
  }
}
