import { askProgramRows } from './program-rows.ts';
import type { Program } from './start.ts';

export interface UseRow {
  /** Empty for a use without a secret. */
  readonly secret_digest: string;
  readonly last_used_at: number;
}

/** When a client and its secrets were last used, as it is in the database of a running program. */
export async function usesOf(
  { folder }: Pick<Program, 'folder'>,
  client_id: string,
): Promise<readonly UseRow[]> {
  const select = 'SELECT secret_digest, last_used_at FROM client_use WHERE client_id = ?';
  return (await askProgramRows(folder, select, client_id)) as unknown as readonly UseRow[];
}
