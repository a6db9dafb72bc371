import type { ConnectionOptions } from 'node:tls';
import { Client, type Connection as ProtocolConnection, type Submittable } from 'pg';
import { StorageUnavailable } from '../../ports/storage.ts';
import { endsConnection, unavailable } from './database-error.ts';
import type { DatabaseHost, DatabaseTls, DatabaseUrl } from './database-url.ts';
import { Pipeline, type Prepared } from './pipeline.ts';
import type { Promotions } from './promotions.ts';
import { type Outcome, type Question, question, statement } from './statement.ts';

/** Asked on every new connection. */
const STATE_OF_SERVER = statement(
  'state_of_server',
  `SELECT pg_is_in_recovery() AS standby,
    CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END AS made_durable`,
);

/** A WAL segment begins with the number of its timeline, in eight hexadecimal digits. Other engines than PostgreSQL have none. */
const TIMELINE = statement('timeline', 'SELECT pg_walfile_name(pg_current_wal_lsn()) AS wal_file');
const TIMELINE_DIGITS = 8;

function tlsOptions({ verify, ca, client }: DatabaseTls): ConnectionOptions {
  return {
    rejectUnauthorized: verify !== 'nothing',
    // The name that is looked for is the host of the URL.
    ...(verify === 'host' ? {} : { checkServerIdentity: () => undefined }),
    ...(ca === undefined ? {} : { ca }),
    ...client,
  };
}

/** One connection to one server. After a failure that leaves it unusable it is `broken`, and never works again. */
export class Connection {
  readonly #client: Client;
  readonly #deadline_ms: number;
  readonly #prepared: Prepared = new Map();
  #answerBy: number | undefined;
  #isOutdated: (() => boolean) | undefined;
  broken = false;

  private constructor(client: Client, deadline_ms: number) {
    this.#client = client;
    this.#deadline_ms = deadline_ms;
    // Without a listener a connection that is lost while nothing is asked would end the process.
    const breakDown = (): void => {
      this.broken = true;
    };
    client.on('error', breakDown).on('end', breakDown);
  }

  /**
   * Rejects with `StorageUnavailable`; also for a server that is not the primary, where `writable` is asked for, or that is
   * one no more, where `promotions` are known.
   */
  static async open(
    url: DatabaseUrl,
    host: DatabaseHost,
    options: {
      readonly deadline_ms: number;
      readonly writable: boolean;
      readonly until: number;
      readonly promotions?: Promotions | undefined;
    },
  ): Promise<Connection> {
    const { deadline_ms, writable, until, promotions } = options;
    const client = new Client({
      ...host,
      database: url.database,
      user: url.user,
      password: url.password ?? '',
      ssl: url.tls !== false && tlsOptions(url.tls),
      connectionTimeoutMillis: remaining(until),
      keepAlive: true,
      application_name: 'chancery',
      // A transaction whose client has vanished must not keep the others waiting: the server ends it, too.
      statement_timeout: deadline_ms,
      idle_in_transaction_session_timeout: deadline_ms,
    });
    const connection = new Connection(client, deadline_ms);
    try {
      await client.connect();
      connection.answerBy(until);
      const [state] = await connection.ask([question(STATE_OF_SERVER, {})]);
      if (writable && state?.rows[0]?.['standby'] === true) {
        throw new StorageUnavailable(`the database server ${host.host}:${host.port} is a standby`, {
          mayComeBack: true,
        });
      }
      if (promotions !== undefined) await connection.#findTimeline(promotions, until);
      if (connection.outdated) {
        throw new StorageUnavailable(`the database server ${host.host}:${host.port} is a former primary`, {
          mayComeBack: true,
        });
      }
      return connection;
    } catch (error) {
      connection.destroy();
      throw unavailable(error);
    }
  }

  /** Whether another server was promoted since: this one may not know it. */
  get outdated(): boolean {
    return this.#isOutdated?.() === true;
  }

  async #findTimeline(promotions: Promotions, until: number): Promise<void> {
    this.answerBy(until);
    try {
      const [found] = await this.ask([question(TIMELINE, {})]);
      const timeline = Number.parseInt(String(found?.rows[0]?.['wal_file']).slice(0, TIMELINE_DIGITS), 16);
      if (!Number.isInteger(timeline)) return;
      promotions.see(timeline);
      this.#isOutdated = () => promotions.arePast(timeline);
    } catch (error) {
      // An engine that has no timelines refuses the question, and nothing else.
      if (this.broken) throw error;
    }
  }

  /** The next answer is awaited no longer than until then (`performance.now`): whoever asks has waited before. */
  answerBy(until: number): void {
    this.#answerBy = until;
  }

  /**
   * Asks all of them in one transaction and one round trip; durable when it resolves. Rejects with the server's error, or
   * with `StorageUnavailable` when there is no answer within the deadline: then what became of it is not known.
   */
  async ask(questions: readonly Question[]): Promise<readonly Outcome[]> {
    const pipeline = new Pipeline(questions, this.#prepared);
    const patience_ms = this.#answerBy === undefined ? this.#deadline_ms : remaining(this.#answerBy);
    this.#answerBy = undefined;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        this.destroy();
        reject(
          new StorageUnavailable(`the database did not answer within ${this.#deadline_ms} ms`, {
            mayComeBack: true,
          }),
        );
      }, patience_ms);
    });
    try {
      this.#client.query(pipeline as unknown as Submittable);
      return await Promise.race([pipeline.answered, late]);
    } catch (error) {
      if (endsConnection(error)) this.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Gives the connection up without waiting for anything. */
  destroy(): void {
    this.broken = true;
    const { connection } = this.#client as unknown as { readonly connection: ProtocolConnection };
    connection.stream.destroy();
  }

  /** Takes leave of the server. */
  async close(): Promise<void> {
    if (this.broken) return;
    this.broken = true;
    await this.#client.end();
  }
}

/** Milliseconds; never none at all, which would be no limit. */
const remaining = (until: number): number => Math.max(1, Math.ceil(until - performance.now()));
