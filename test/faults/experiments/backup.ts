import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chancery } from '../../journeys/command.ts';
import { ENCRYPTION_KEY } from '../../program/start.ts';
import { BOTH_ENGINES, type Experiment, milliseconds, type Outcome } from '../experiment.ts';
import { integrityOf } from '../integrity.ts';
import { startMixedLoad } from '../mixed-load.ts';
import { noPackagedPostgres, type PackagedPostgres, startPackagedPostgres } from '../packaged-postgres.ts';
import { type BackupSpan, compareRestored } from '../restored-registry.ts';
import type { Stand } from '../stand.ts';
import { outcomeOf } from '../under-fault.ts';
import { noFindings } from '../verify-registry.ts';

/** Backups of one run. The run restores each. */
const BACKUPS_MAX = 10;
/** Entries in the ledger between one backup and the next. */
const ENTRIES_BETWEEN = 150;

interface Backup extends BackupSpan {
  readonly took_ms: number;
  /** Answers the `storage.url` of the registry that was restored from it. */
  readonly restore: () => Promise<string>;
}

/** Makes the backup of this number; answers how it is restored. */
type Make = (index: number) => Promise<Backup['restore']>;

export const backup: Experiment = {
  name: 'backup',
  fault: 'F31 backups beside a loaded server, each restored',
  engines: BOTH_ENGINES,
  acked_min: (rounds) => 50 * Math.min(rounds, BACKUPS_MAX),
  async run(stand, { rounds, say }) {
    const count = Math.min(rounds, BACKUPS_MAX);
    if (stand.engine === 'sqlite') return await backUpAndRestore(stand, count, say, ofSqlite(stand));
    const reason = noPackagedPostgres();
    if (reason !== undefined) return { skipped: reason };
    const postgres = await startPackagedPostgres();
    try {
      stand.url = postgres.url;
      return await backUpAndRestore(stand, count, say, ofPostgres(postgres));
    } finally {
      await postgres.stop();
    }
  },
};

function ofSqlite({ folder, url }: Stand): Make {
  return async (index) => {
    const file = join(folder, `backup-${index}.db`);
    await command(url, 'backup', 'create', '--out', file);
    return async () => {
      const restored = `sqlite:${join(folder, `restored-${index}`, 'chancery.db')}`;
      await command(restored, 'backup', 'restore', file);
      return restored;
    };
  };
}

/** Both ways of docs/operate/backup.md, in turn. */
function ofPostgres(postgres: PackagedPostgres): Make {
  return async (index) => {
    const taken = new Date().toISOString();
    let restore: () => Promise<string>;
    if (index % 2 === 0) {
      const file = `backup-${index}.dump`;
      await postgres.dump(file);
      restore = () => postgres.restoreDump(file);
    } else {
      const copy = await postgres.baseBackup(`backup-${index}`);
      restore = () => postgres.startOn(copy);
    }
    return async () => {
      const restored = await restore();
      await command(restored, 'backup', 'restored', '--taken-at', taken);
      return restored;
    };
  };
}

async function backUpAndRestore(
  stand: Stand,
  count: number,
  say: (line: string) => void,
  make: Make,
): Promise<Outcome> {
  const node = await stand.start();
  const inspector = await stand.inspector(node);
  const load = startMixedLoad({ nodes: [node], ledger: stand.ledger, inspector });
  load.figures.begin();
  load.figures.phase = 'during';
  const backups: Backup[] = [];
  try {
    for (let index = 0; index < count; index += 1) {
      await moreEntries(stand);
      backups.push(await timed(stand, () => make(index)));
    }
    await moreEntries(stand);
  } finally {
    await load.stop();
  }
  await node.stop();

  const findings = noFindings();
  const damaged: string[] = [];
  const output = [node.output()];
  let slowest_ms = 0;
  for (const [index, made] of backups.entries()) {
    const started = performance.now();
    stand.url = await made.restore();
    const program = await stand.start();
    const restored_ms = performance.now() - started;
    slowest_ms = Math.max(slowest_ms, restored_ms);
    const seen = await compareRestored(stand, { program, inspector }, made, findings);
    await program.stop();
    output.push(program.output());
    const integrity = await integrityOf(stand.url);
    if (integrity !== 'ok') damaged.push(integrity);
    if (seen.clients === 0 || seen.tokens === 0)
      damaged.push(`nothing was promised before backup ${index + 1}`);
    say(
      `backup ${index + 1}: made in ${milliseconds(made.took_ms)}, serving again after ${milliseconds(restored_ms)}, ${seen.clients} clients and ${seen.tokens} tokens looked for`,
    );
  }
  const meanwhile = backups.reduce((sum, { begun, ended }) => sum + ended - begun, 0);
  if (meanwhile === 0) damaged.push('no backup was made beside a request');
  return await outcomeOf(stand, {
    findings,
    loads: [load],
    broken: damaged,
    output: output.join(''),
    figures: {
      backups: String(count),
      'slowest backup': milliseconds(Math.max(...backups.map(({ took_ms }) => took_ms))),
      'entries meanwhile': String(meanwhile),
      'slowest restore and start': milliseconds(slowest_ms),
    },
  });
}

async function moreEntries({ ledger }: Stand): Promise<void> {
  const from = ledger.entries().length;
  while (ledger.entries().length < from + ENTRIES_BETWEEN) await sleep(20);
}

async function timed({ ledger }: Stand, make: () => Promise<Backup['restore']>): Promise<Backup> {
  const begun = ledger.entries().length;
  const started = performance.now();
  const restore = await make();
  return { restore, took_ms: performance.now() - started, begun, ended: ledger.entries().length };
}

async function command(url: string, ...words: readonly string[]): Promise<void> {
  const { how, stderr } = await chancery(words, {
    CHANCERY_ISSUER: 'https://op.example.com',
    CHANCERY_STORAGE_URL: url,
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  });
  if (how !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
}
