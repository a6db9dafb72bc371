import { createRequire } from 'node:module';
import type { ConnectionOptions } from 'node:tls';
import type * as Pg from 'pg';
import type { Client, Connection as ProtocolConnection, Submittable } from 'pg';
import { StorageUnavailable } from '../../ports/storage.ts';
import { endsConnection, unavailable } from './database-error.ts';
import type { DatabaseHost, DatabaseTls, DatabaseUrl } from './database-url.ts';
import { Pipeline, type Prepared } from './pipeline.ts';
import { type BoundStatement, bound, type StatementResult, statement } from './statement.ts';

/** Sent on every new connection. */
const STATE_OF_SERVER = statement(
  'state_of_server',
  `SELECT pg_is_in_recovery() AS standby,
    CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END AS made_durable`,
);

/** The name of a WAL segment begins with its timeline, in eight hexadecimal digits. Only PostgreSQL has timelines. */
const TIMELINE = statement('timeline', 'SELECT pg_walfile_name(pg_current_wal_lsn()) AS wal_file');
const TIMELINE_DIGITS = 8;

function tlsOptions({ verify, ca, client }: DatabaseTls): ConnectionOptions {
  return {
    rejectUnauthorized: verify !== 'nothing',
    // The default check compares the certificate with the host of the URL.
    ...(verify === 'host' ? {} : { checkServerIdentity: () => undefined }),
    ...(ca === undefined ? {} : { ca }),
    ...client,
  };
}

/** A connection to one server. A failure that makes it unusable sets `broken`, for good. */
export class Connection {
  readonly #client: Client;
  readonly #deadline_ms: number;
  readonly #prepared: Prepared = new Map();
  #answerBy: number | undefined;
  /** Settles when everything that was sent before is answered. */
  #answered: Promise<unknown> | undefined;
  #isOutdated: (() => boolean) | undefined;
  broken = false;

  private constructor(client: Client, deadline_ms: number) {
    this.#client = client;
    this.#deadline_ms = deadline_ms;
    // Without a listener, the loss of an idle connection would end the process.
    const breakDown = (): void => {
      this.broken = true;
    };
    client.on('error', breakDown).on('end', breakDown);
  }

  /**
   * Connects to the server. Rejects with `StorageUnavailable`: also for a standby if `writable` is required, and for a
   * former primary if `promotions` are tracked.
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
    // The package takes about 15 ms to load, and a server on SQLite needs none of it.
    const { Client } = createRequire(import.meta.url)('pg') as typeof Pg;
    const client = new Client({
      ...host,
      database: url.database,
      user: url.user,
      password: url.password ?? '',
      ssl: url.tls !== false && tlsOptions(url.tls),
      connectionTimeoutMillis: remaining(until),
      keepAlive: true,
      application_name: 'chancery',
      // If the client vanishes, the server ends its transaction, so that others do not wait for its locks.
      statement_timeout: deadline_ms,
      idle_in_transaction_session_timeout: deadline_ms,
    });
    const connection = new Connection(client, deadline_ms);
    try {
      await client.connect();
      connection.answerBy(until);
      const [state] = await connection.execute([bound(STATE_OF_SERVER, {})]);
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

  /** Whether another server was promoted since. This server may not know it. */
  get outdated(): boolean {
    return this.#isOutdated?.() === true;
  }

  async #findTimeline(promotions: Promotions, until: number): Promise<void> {
    this.answerBy(until);
    try {
      const [found] = await this.execute([bound(TIMELINE, {})]);
      const timeline = Number.parseInt(String(found?.rows[0]?.['wal_file']).slice(0, TIMELINE_DIGITS), 16);
      if (!Number.isInteger(timeline)) return;
      promotions.see(timeline);
      this.#isOutdated = () => promotions.arePast(timeline);
    } catch (error) {
      // An engine without timelines refuses the statement; the connection stays usable.
      if (this.broken) throw error;
    }
  }

  /** Sets the deadline of the next answer (`performance.now`), because the caller has already waited. */
  answerBy(until: number): void {
    this.#answerBy = until;
  }

  /**
   * Executes the statements in one transaction and one round trip; resolves when they are durable. Rejects with the
   * server's error, or with `StorageUnavailable` after the deadline: then the outcome is unknown.
   */
  async execute(statements: readonly BoundStatement[]): Promise<readonly StatementResult[]> {
    const pipeline = new Pipeline(statements, this.#prepared);
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
      return await Promise.race([this.#inTurn(pipeline), late]);
    } catch (error) {
      if (endsConnection(error)) this.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends a pipeline when those before it are answered: version 9 of the driver takes one query at a time. */
  #inTurn(pipeline: Pipeline): Pipeline['answered'] {
    const send = (): Pipeline['answered'] => {
      this.#client.query(pipeline as unknown as Submittable);
      return pipeline.answered;
    };
    const answered = this.#answered === undefined ? send() : this.#answered.then(send);
    const settled: Promise<void> = answered.catch(() => undefined).then(() => this.#free(settled));
    this.#answered = settled;
    return answered;
  }

  #free(settled: Promise<unknown>): void {
    if (this.#answered === settled) this.#answered = undefined;
  }

  /** Drops the connection at once. */
  destroy(): void {
    this.broken = true;
    const { connection } = this.#client as unknown as { readonly connection: ProtocolConnection };
    connection.stream.destroy();
  }

  /** Ends the session with the server. */
  async close(): Promise<void> {
    if (this.broken) return;
    this.broken = true;
    await this.#client.end();
  }
}

/** Returns milliseconds, at least 1, because 0 would mean no limit. */
const remaining = (until: number): number => Math.max(1, Math.ceil(until - performance.now()));

/**
 * Tracks the newest promotion that this process has seen: each promotion starts a timeline with a higher number (PostgreSQL
 * documentation, "Timelines"). A primary that was suspended during a promotion still believes to be the primary when it
 * resumes, and would answer with old data.
 */
export class Promotions {
  #newest = 0;

  see(timeline: number): void {
    this.#newest = Math.max(this.#newest, timeline);
  }

  /** Whether another server was promoted after this timeline began. */
  arePast(timeline: number): boolean {
    return timeline < this.#newest;
  }
}
