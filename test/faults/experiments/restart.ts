import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../../program/start.ts';
import type { Experiment } from '../experiment.ts';

/** 650 bytes each, with their index. */
const TOKENS = 3_000_000;
/** The log has them twice: in the table, and in the index of their ends. */
const TOKENS_BEHIND_A_READER = 600_000;
const ANSWER_MS_MAX = 2000;
const POLL_MS = 20;

/** Milliseconds from the start of the process. */
interface Times {
  readonly live: number;
  readonly answer: number;
  readonly checked: number;
}

/** F43: the first answers after SIGKILL on a file of gigabytes, then behind a log that a foreign reader made large. */
export const restart: Experiment = {
  name: 'restart',
  fault: 'F43 restart after SIGKILL on a file of 2 GB, and behind a large log',
  engines: ['sqlite'],
  // It loses no request: it measures, and checks that the check of the file ran.
  acked_min: () => 0,
  async run(stand, { say }) {
    const path = join(stand.folder, 'chancery.db');
    const broken: string[] = [];
    const figures: Record<string, string> = {};
    for (const what of ['large file', 'large log'] as const) {
      const program = await stand.start();
      say(`growing, ${what}`);
      grow(path, what);
      program.signal('SIGKILL');
      await program.exited;
      figures[`${what}: file, log`] = `${megabytes(path)}, ${megabytes(`${path}-wal`)}`;
      const began = performance.now();
      const again = await stand.launch();
      const { live, answer, checked } = await timesOf(again, began);
      figures[`${what}: liveness, first answer, checked`] = [live, answer, checked].map(seconds).join(', ');
      if (live > ANSWER_MS_MAX) broken.push(`${what}: liveness after ${seconds(live)}`);
      // SQLite reads the log before anything else.
      if (what === 'large file' && answer > ANSWER_MS_MAX)
        broken.push(`first answer after ${seconds(answer)}`);
      again.signal('SIGTERM');
      await again.exited;
    }
    return {
      acked: 0,
      lost: [],
      half_written: [],
      used_twice: [],
      revoked_active: [],
      broken,
      unknown: 0,
      figures,
    };
  },
};

/** Adds tokens to the file; those behind a reader stay in the log. */
function grow(path: string, what: 'large file' | 'large log'): void {
  const reader = new DatabaseSync(path);
  const writer = new DatabaseSync(path);
  if (what === 'large log') reader.exec('BEGIN; SELECT 1 FROM client;');
  const [prefix, count] = what === 'large file' ? ['a', TOKENS] : ['b', TOKENS_BEHIND_A_READER];
  writer.exec(`
    PRAGMA synchronous = OFF;
    INSERT INTO access_token (tenant, key, expires_at, client_id, client_instance, introspection)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      SELECT 'other', printf('${prefix}%010d', i), 4000000000 + i % 1000, 'c', 'i', hex(randomblob(220)) FROM n;`);
  if (what === 'large file')
    writer.exec('PRAGMA wal_checkpoint(TRUNCATE); UPDATE heartbeat SET beats = beats + 1;');
  writer.close();
  reader.close();
}

async function timesOf(program: Program, began: number): Promise<Times> {
  const first = async (act: () => Promise<boolean>): Promise<number> => {
    while (!(await act().catch(() => false))) await sleep(POLL_MS);
    return performance.now() - began;
  };
  const isOk = async (url: string): Promise<boolean> => (await fetch(url)).status === 200;
  const [live, answer] = await Promise.all([
    first(async () => await isOk(`${program.managementUrl}/health/live`)),
    first(async () => await isOk(`${program.url}/jwks.json`)),
  ]);
  const checked = await first(async () => {
    const ready = await fetch(`${program.managementUrl}/health/ready`);
    return (await ready.text()).includes('"state":"passed"');
  });
  return { live, answer, checked };
}

const megabytes = (path: string): string => `${Math.round(statSync(path).size / 1_000_000)} MB`;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
