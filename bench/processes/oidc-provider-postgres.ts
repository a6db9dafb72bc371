import { Pool } from 'pg';

const CONNECTIONS = 10;
const CREATE = `CREATE TABLE record (model text, id text, payload text NOT NULL, grant_id text, PRIMARY KEY (model, id))`;
const UPSERT = `INSERT INTO record (model, id, payload, grant_id) VALUES ($1, $2, $3, $4)
  ON CONFLICT (model, id) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id`;

type Payload = Readonly<Record<string, unknown>>;

export interface PeerDatabase {
  /** The least work of an adapter on PostgreSQL: one table, one statement for each call. */
  readonly adapter: new (
    model: string,
  ) => object;
  /** Makes each later commit durable, which is the server's default. */
  beginDurable(): Promise<void>;
}

/** @param url names an empty database */
export async function openPeerDatabase(url: string): Promise<PeerDatabase> {
  const open = (options?: string): Pool =>
    new Pool({ connectionString: url, max: CONNECTIONS, ...(options === undefined ? {} : { options }) });
  let pool = open('-c synchronous_commit=off');
  await pool.query(CREATE);
  return {
    adapter: adapterOn(() => pool),
    async beginDurable() {
      await pool.end();
      pool = open();
      await pool.query('VACUUM ANALYZE record');
    },
  };
}

function adapterOn(pool: () => Pool): PeerDatabase['adapter'] {
  return class {
    readonly model: string;

    constructor(model: string) {
      this.model = model;
    }

    async upsert(id: string, payload: Payload): Promise<void> {
      const values = [this.model, id, JSON.stringify(payload), payload['grantId'] ?? null];
      await pool().query({ name: 'upsert', text: UPSERT, values });
    }

    async find(id: string): Promise<Payload | undefined> {
      const text = 'SELECT payload FROM record WHERE model = $1 AND id = $2';
      const { rows } = await pool().query<{ payload: string }>({
        name: 'find',
        text,
        values: [this.model, id],
      });
      return rows[0] === undefined ? undefined : (JSON.parse(rows[0].payload) as Payload);
    }

    async consume(id: string): Promise<void> {
      const found = await this.find(id);
      if (found !== undefined) await this.upsert(id, { ...found, consumed: Math.floor(Date.now() / 1000) });
    }

    async destroy(id: string): Promise<void> {
      const text = 'DELETE FROM record WHERE model = $1 AND id = $2';
      await pool().query({ name: 'destroy', text, values: [this.model, id] });
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      await pool().query('DELETE FROM record WHERE grant_id = $1', [grantId]);
    }
  };
}
