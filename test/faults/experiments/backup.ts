import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chancery } from '../../journeys/command.ts';
import { ENCRYPTION_KEY } from '../../program/start.ts';
import { type Experiment, milliseconds } from '../experiment.ts';
import { integrityOf } from '../integrity.ts';
import { startMixedLoad } from '../mixed-load.ts';
import { type BackupSpan, compareRestored } from '../restored-registry.ts';
import type { Stand } from '../stand.ts';
import { outcomeOf } from '../under-fault.ts';
import { noFindings } from '../verify-registry.ts';

/** Backups that one run makes, of which each is restored. */
const BACKUPS_MAX = 10;
/** So many entries lie in the ledger between one backup and the next. */
const ENTRIES_BETWEEN = 150;

interface Backup extends BackupSpan {
  readonly file: string;
  readonly took_ms: number;
}

export const backup: Experiment = {
  name: 'backup',
  fault: 'F31 backups beside a loaded server, each restored',
  engines: ['sqlite'],
  async run(stand, { rounds, say }) {
    const count = Math.min(rounds, BACKUPS_MAX);
    const node = await stand.start();
    const inspector = await stand.inspector(node);
    const load = startMixedLoad({ nodes: [node], ledger: stand.ledger, inspector });
    load.figures.begin();
    load.figures.phase = 'during';
    const backups: Backup[] = [];
    for (let made = 0; made < count; made += 1) {
      await moreEntries(stand);
      backups.push(await makeBackup(stand, join(stand.folder, `backup-${made}.db`)));
    }
    await moreEntries(stand);
    await load.stop();
    await node.stop();

    const findings = noFindings();
    const damaged: string[] = [];
    let [slowest_ms, meanwhile] = [0, 0];
    const output = [node.output()];
    for (const [index, made] of backups.entries()) {
      const started = performance.now();
      stand.url = await restore(stand, made, index);
      const program = await stand.start();
      const restored_ms = performance.now() - started;
      slowest_ms = Math.max(slowest_ms, restored_ms);
      meanwhile += made.ended - made.begun;
      const seen = await compareRestored(stand, { program, inspector }, made, findings);
      await program.stop();
      output.push(program.output());
      const integrity = await integrityOf(stand.url);
      if (integrity !== 'ok') damaged.push(integrity);
      say(
        `backup ${index + 1}: made in ${milliseconds(made.took_ms)}, serving again after ${milliseconds(restored_ms)}, ${seen.clients} clients and ${seen.tokens} tokens looked for`,
      );
    }
    return await outcomeOf(stand, {
      findings,
      loads: [load],
      broken: damaged,
      output: output.join(''),
      figures: {
        backups: String(count),
        'slowest backup': milliseconds(Math.max(...backups.map(({ took_ms }) => took_ms))),
        'ledger entries while backups were made': String(meanwhile),
        'slowest restore and start': milliseconds(slowest_ms),
      },
    });
  },
};

async function moreEntries({ ledger }: Stand): Promise<void> {
  const from = ledger.entries().length;
  while (ledger.entries().length < from + ENTRIES_BETWEEN) await sleep(20);
}

async function makeBackup({ ledger, url }: Stand, file: string): Promise<Backup> {
  const begun = ledger.entries().length;
  const started = performance.now();
  await command(url, 'backup', 'create', '--out', file);
  return { file, took_ms: performance.now() - started, begun, ended: ledger.entries().length };
}

/** @returns the `storage.url` of the restored registry. */
async function restore({ folder }: Stand, { file }: Backup, index: number): Promise<string> {
  const url = `sqlite:${join(folder, `restored-${index}`, 'chancery.db')}`;
  await command(url, 'backup', 'restore', file);
  return url;
}

async function command(url: string, ...words: readonly string[]): Promise<void> {
  const { how, stderr } = await chancery(words, {
    CHANCERY_ISSUER: 'https://op.example.com',
    CHANCERY_STORAGE_URL: url,
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  });
  if (how !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
}
