import { openPostgresSchema } from '../../src/storage/postgres/migrations.ts';
import { emptyDatabase } from '../../src/testing/postgres/database.ts';

const SCHEMA_DEADLINE_MS = 2000;

/** Returns the URL of an empty PostgreSQL database with a schema, as an operator would have made it. */
export async function migratedDatabase(): Promise<string> {
  const url = await emptyDatabase();
  const schema = openPostgresSchema(url, SCHEMA_DEADLINE_MS);
  await schema.up(0);
  await schema.close();
  return url;
}
