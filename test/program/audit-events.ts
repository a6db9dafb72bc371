import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedAuditEvent } from '../../src/ports/audit-log.ts';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import type { Program } from './start.ts';
import { openProgramStorage } from './storage-place.ts';

const PATIENCE_MS = 60_000;
const EVENTS_MAX = 100_000;

/** The events of a running program from `after` on, read from its database. */
export async function auditRows(
  { folder }: Pick<Program, 'folder'>,
  after = 0,
): Promise<readonly RecordedAuditEvent[]> {
  const storage = await openProgramStorage(folder);
  try {
    return await storage.forTenant(DEFAULT_TENANT).audit.page(after, EVENTS_MAX);
  } finally {
    await storage.close();
  }
}

/**
 * The same once there are `count` of them. A refusal is recorded beside its answer and may come later; what would come
 * after the last one that is expected is waited for as well, a little.
 */
export async function auditRowsOnceThere(
  program: Pick<Program, 'folder'>,
  after: number,
  count: number,
): Promise<readonly RecordedAuditEvent[]> {
  const deadline = Date.now() + PATIENCE_MS;
  while ((await auditRows(program, after)).length < count && Date.now() < deadline) await sleep(10);
  await sleep(50);
  return await auditRows(program, after);
}
