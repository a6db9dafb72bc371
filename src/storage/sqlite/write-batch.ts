import type { DatabaseSync } from 'node:sqlite';
import type { Answer, Write } from '../write.ts';
import { accessTokenWrites } from './access-token-writes.ts';
import { accountWrites } from './account-writes.ts';
import { auditWrites } from './audit-writes.ts';
import { authorizationCodeWrites } from './authorization-code-rows.ts';
import { clientUseWrites } from './client-use-writes.ts';
import { clientWrites } from './client-writes.ts';
import { consentWrites } from './consent-rows.ts';
import { grantWrites } from './grant-writes.ts';
import { interactionWrites } from './interaction-writes.ts';
import { logoutNotificationWrites } from './logout-notification-rows.ts';
import { rateWrites } from './rate-writes.ts';
import { replayWrites } from './replay-writes.ts';
import { serverKeyWrites } from './server-key-writes.ts';
import { sessionWrites } from './session-writes.ts';
import { concernsOneWrite, reasonOf } from './sqlite-error.ts';
import { wholeStorageWrites } from './storage-writes.ts';
import { tenantWrites } from './tenant-writes.ts';
import type { WriteHandlers } from './write-handlers.ts';

/** The transaction could not begin, so nothing was tried: the only failure after which a batch may be repeated. */
export class NotBegun extends Error {
  override readonly name = 'NotBegun';
}

/**
 * Executes batches on one connection, each in one transaction. Answers only after a durable commit. Throws `NotBegun`,
 * or SQLite's error when the batch as a whole is lost or its outcome is unknown; then the connection is not to be used again.
 */
export function batchExecution(database: DatabaseSync): (writes: readonly Write[]) => readonly Answer[] {
  const handlers: WriteHandlers = {
    ...accessTokenWrites(database),
    ...accountWrites(database),
    ...auditWrites(database),
    ...authorizationCodeWrites(database),
    ...clientWrites(database),
    ...clientUseWrites(database),
    ...grantWrites(database),
    ...consentWrites(database),
    ...interactionWrites(database),
    ...logoutNotificationWrites(database),
    ...rateWrites(database),
    ...replayWrites(database),
    ...serverKeyWrites(database),
    ...tenantWrites(database),
    ...sessionWrites(database),
    ...wholeStorageWrites(database),
  };
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const handle = (write: Write): unknown => (handlers[write.name] as (write: Write) => unknown)(write);
  const handleApart = apart(database, handle);

  const transaction = (act: () => readonly Answer[]): readonly Answer[] => {
    try {
      begin.run();
    } catch (cause) {
      throw new NotBegun(reasonOf(cause), { cause });
    }
    try {
      const answers = act();
      commit.run();
      return answers;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };

  return (writes) => {
    try {
      return transaction(() => writes.map((write) => ({ value: handle(write) })));
    } catch (error) {
      if (error instanceof NotBegun || !concernsOneWrite(error)) throw error;
      // Nothing has happened. Savepoints cost every act a copy of each page it changes, so they wait for the rare fault.
      return transaction(() => writes.map(handleApart));
    }
  };
}

/** What fails alone is undone alone. */
function apart(database: DatabaseSync, handle: (write: Write) => unknown): (write: Write) => Answer {
  const savepoint = database.prepare('SAVEPOINT act');
  const release = database.prepare('RELEASE act');
  const undo = database.prepare('ROLLBACK TO act');

  return (write) => {
    savepoint.run();
    try {
      const value = handle(write);
      release.run();
      return { value };
    } catch (error) {
      // A full disk or a failed read has undone the neighbours as well, or soon would.
      if (!concernsOneWrite(error) || !database.isTransaction) throw error;
      undo.run();
      release.run();
      return { refused: reasonOf(error) };
    }
  };
}
