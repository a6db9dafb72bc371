import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Schema, SchemaStep } from '../schema.ts';
import { openWriteConnection } from './connection.ts';
import { createWhereAbsent, inspect, unavailable } from './database-file.ts';
import {
  MIGRATIONS,
  type Migration,
  migrate,
  NEWEST,
  pendingMigrations,
  refuseNewerSchema,
  stateOf,
} from './migrations.ts';

const LOCK_WAIT_MS_MAX = 5000;

/** Opens the schema of the database file at `path`. A missing file has version 0, and `up` creates it. */
export function openSqliteSchema(path: string): Schema {
  const on = async <T>(act: (database: DatabaseSync) => T): Promise<T> => {
    try {
      createWhereAbsent(path, Math.floor(Date.now() / 1000), true);
      inspect(path);
      const database = openWriteConnection(path, LOCK_WAIT_MS_MAX);
      try {
        refuseNewerSchema(database, path);
        return await Promise.resolve(act(database));
      } finally {
        database.close();
      }
    } catch (error) {
      throw unavailable(path, error);
    }
  };
  const steps = (database: DatabaseSync): readonly SchemaStep[] => pendingMigrations(database).map(asStep);
  return {
    newest: NEWEST,
    state: async () => (existsSync(path) ? await on(stateOf) : { version: 0, compatibleFrom: 0 }),
    pending: async () => (existsSync(path) ? await on(steps) : MIGRATIONS.map(asStep)),
    async up(now) {
      const isNew = !existsSync(path);
      return await on((database) => {
        const done = isNew ? MIGRATIONS.map(asStep) : steps(database);
        migrate(database, now);
        return done;
      });
    },
    close: () => Promise.resolve(),
  };
}

const asStep = ({ sql, ...step }: Migration): SchemaStep => ({ ...step, statements: [sql.trim()] });
