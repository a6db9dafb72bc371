import type { Schema } from '../schema.ts';
import type { Connection } from './connection.ts';
import { unavailable } from './database-error.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { migrate, NEWEST, pending, schemaState } from './migrations.ts';
import { Pool } from './pool.ts';

/** Steps may take longer than a request may. */
const DEADLINE_FACTOR = 30;

export function openPostgresSchema(url: string, deadline_ms: number): Schema {
  const pool = new Pool(parseDatabaseUrl(url), {
    connections_max: 1,
    deadline_ms: deadline_ms * DEADLINE_FACTOR,
    writable: true,
  });
  const on = async <T>(act: (connection: Connection) => Promise<T>): Promise<T> => {
    try {
      return await pool.with(act);
    } catch (error) {
      throw unavailable(error);
    }
  };
  return {
    newest: NEWEST,
    state: () => on(schemaState),
    pending: () => on(async (connection) => pending(await schemaState(connection))),
    up: (now) => on((connection) => migrate(connection, now)),
    close: () => pool.close(),
  };
}
