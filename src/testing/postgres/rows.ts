import { Client } from 'pg';
import type { Row } from '../../storage/postgres/statement.ts';

/** The rows of a database as they are: past the storage, and past row security. */
export interface TestRows {
  /** `?` stands for a value. */
  ask(sql: string, ...values: readonly (string | number)[]): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Opens the database at a URL of `createDatabase` as the superuser of its server. */
export async function openTestRows(url: string): Promise<TestRows> {
  const { port, pathname } = new URL(url.replace('postgres:', 'http:'));
  const client = new Client({
    host: '127.0.0.1',
    port: Number(port),
    user: 'postgres',
    database: pathname.slice(1),
  });
  // The test server may stop before this connection closes.
  client.on('error', () => undefined);
  await client.connect();
  let last: Promise<unknown> = Promise.resolve();
  return {
    ask(sql, ...values) {
      let number = 0;
      const numbered = sql.replaceAll('?', () => `$${(number += 1)}`);
      const ask = async (): Promise<readonly Row[]> => (await client.query<Row>(numbered, [...values])).rows;
      const asked = last.then(ask, ask);
      last = asked;
      return asked;
    },
    close: () => client.end(),
  };
}
