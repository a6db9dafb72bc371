import type { DatabaseSync } from 'node:sqlite';

/**
 * Lets what one callback of the event loop reads through a connection share one snapshot of the database. Each reading
 * by itself takes and releases a lock on the file, which costs as much as a fifth of a look-up; and the journal and the
 * records are of the same moment. The snapshot begins with the first reading, after all that this callback serves was
 * received, and ends before anything that the callback itself brings about.
 * @returns call it before each reading
 */
export function callbackSnapshot(database: DatabaseSync): () => void {
  const begin = database.prepare('BEGIN');
  const commit = database.prepare('COMMIT');
  let open = false;
  const end = (): void => {
    open = false;
    // A fault may have ended the transaction already.
    if (database.isOpen && database.isTransaction) commit.run();
  };
  return () => {
    if (open) return;
    begin.run();
    open = true;
    queueMicrotask(end);
  };
}
