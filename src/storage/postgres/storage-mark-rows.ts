import type { StorageMark } from '../../ports/table-dump.ts';
import type { Connection } from './connection.ts';
import { question, statement } from './statement.ts';

const MARK = statement('mark', 'SELECT content FROM storage_mark WHERE name = :name');

/** What the database says of itself; undefined where it says nothing. */
export async function markOf(connection: Connection, name: StorageMark): Promise<string | undefined> {
  const [outcome] = await connection.ask([question(MARK, { name })]);
  const content = outcome?.rows[0]?.['content'];
  return typeof content === 'string' ? content : undefined;
}
