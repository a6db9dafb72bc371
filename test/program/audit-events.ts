import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from './start.ts';

/** One row of `audit_event`, as it is in the file. */
export interface AuditRow {
  readonly sequence: number;
  readonly at: number;
  readonly action: string;
  readonly outcome: string;
  readonly actor: string;
  readonly client_id: string | null;
  readonly request_id: string;
  readonly detail: string | null;
}

const PATIENCE_MS = 10_000;

/** The events of a running program from `after` on, read from its database. */
export function auditRows({ folder }: Pick<Program, 'folder'>, after = 0): readonly AuditRow[] {
  const database = new DatabaseSync(join(folder, 'chancery.db'), { readOnly: true });
  try {
    const select = 'SELECT * FROM audit_event WHERE sequence > ? ORDER BY sequence';
    return database.prepare(select).all(after) as unknown as readonly AuditRow[];
  } finally {
    database.close();
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
): Promise<readonly AuditRow[]> {
  const deadline = Date.now() + PATIENCE_MS;
  while (auditRows(program, after).length < count && Date.now() < deadline) await sleep(10);
  await sleep(50);
  return auditRows(program, after);
}
