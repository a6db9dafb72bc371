import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresSchema } from '../../src/storage/postgres/migrations.ts';
import { startTestServer, type TestServer } from '../../src/testing/postgres/server.ts';
import { masterToken as randomMasterToken } from '../program/master-token.ts';
import { launchProgram, type Program, type StartOptions, sha256, startProgram } from '../program/start.ts';
import { storageUrl } from '../program/storage-place.ts';
import type { EngineName } from './experiment.ts';
import { Ledger, type Registration } from './ledger.ts';
import { perform } from './registry-calls.ts';

/** A database, the clients' record of it, and the servers of one experiment. */
export interface Stand {
  readonly engine: EngineName;
  readonly folder: string;
  readonly ledger: Ledger;
  /** The URL of the database, for the servers and for checks beside them. An experiment may move it. */
  url: string;
  /** The database server, where it belongs to this experiment alone. */
  readonly postgres: TestServer | undefined;
  /** Starts a server on the database; all of them take the same tokens of an administrator. */
  start(options?: StartOptions): Promise<Program>;
  /** Starts a server without waiting for it. */
  launch(options?: StartOptions): Promise<Program>;
  /** Returns a client that may introspect and that no load changes; the same one each time. */
  inspector(program: Program): Promise<Registration>;
  /** Ends every server that is left. */
  end(): Promise<void>;
  /** The same, and removes the data. */
  close(): Promise<void>;
}

export interface StandOptions {
  /** The PostgreSQL of the test run may do: this experiment does nothing to the database server. */
  readonly shared?: boolean;
  /** An SQLite file in there is used; made and removed by the caller. */
  readonly folder?: string;
}

export async function openStand(engine: EngineName, options: StandOptions = {}): Promise<Stand> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'chancery-faults-'));
  const own = mkdtempSync(join(tmpdir(), 'chancery-ledger-'));
  const ledger = new Ledger(join(own, 'ledger.jsonl'));
  const shared = options.shared === true && engine === 'postgres';
  const postgres = engine === 'postgres' && !shared ? await startTestServer() : undefined;
  const url = shared ? await storageUrl(folder) : await databaseUrl(folder, postgres);
  const tokens = {
    masterToken: randomMasterToken(),
    directToken: randomMasterToken(),
  };
  const programs: Program[] = [];
  let inspector: Registration | undefined;
  const begin = async (how: typeof startProgram, given: StartOptions = {}): Promise<Program> => {
    const environment = {
      CHANCERY_STORAGE_URL: stand.url,
      CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: sha256(tokens.masterToken),
      CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: sha256(tokens.directToken),
      ...given.environment,
    };
    const started = await how({ folder, ...given, environment });
    programs.push(started);
    return { ...started, ...tokens };
  };
  const stand: Stand = {
    engine,
    folder,
    ledger,
    url,
    postgres,
    start: async (given) => await begin(startProgram, given),
    launch: async (given) => await begin(launchProgram, given),
    async inspector(program) {
      inspector ??= await makeInspector(program, ledger);
      return inspector;
    },
    async end() {
      await reportDead(programs);
      for (const program of programs.splice(0)) {
        program.signal('SIGCONT');
        program.signal('SIGKILL');
        await program.exited;
      }
    },
    async close() {
      await stand.end();
      ledger.close();
      await postgres?.stop();
      rmSync(own, { recursive: true, force: true });
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
  return stand;
}

/** Reports the output of servers that ended without a request to end. */
async function reportDead(programs: readonly Program[]): Promise<void> {
  for (const program of programs) {
    const how = await Promise.race([program.exited, Promise.resolve(undefined)]);
    if (how !== undefined && how !== 0 && how !== 'SIGKILL')
      console.error(`a server ended with ${how}:\n${program.output().slice(-4000)}`);
  }
}

async function databaseUrl(folder: string, postgres: TestServer | undefined): Promise<string> {
  if (postgres === undefined) return `sqlite:${join(folder, 'chancery.db')}`;
  const url = await postgres.createDatabase();
  const schema = openPostgresSchema(url, 5000);
  await schema.up(0);
  await schema.close();
  return url;
}

async function makeInspector(program: Program, ledger: Ledger): Promise<Registration> {
  const { status, body } = await perform(program, ledger, { kind: 'create', mark: 'inspector' });
  if (status !== 200) throw new Error(`the inspector was answered ${status}`);
  return body as Registration;
}
