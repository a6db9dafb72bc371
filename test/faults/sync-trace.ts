import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '../program/start.ts';
import { attached } from './io-injection.ts';

/** The calls of fsync and fdatasync that a running server makes. */
export interface SyncTrace {
  /** Counts the calls that have succeeded so far for files whose path ends so. */
  ofFile(ending: string): number;
  end(): Promise<void>;
}

/** Watches a server with strace, which writes down each call before the server goes on. */
export async function traceSyncs(node: Pick<Program, 'pid'>, folder: string): Promise<SyncTrace> {
  const record = join(folder, 'syncs');
  const calls = '--trace=fsync,fdatasync';
  const tracer = spawn(
    'strace',
    ['-f', '-y', `--attach=${node.pid}`, `--output=${record}`, calls, '--signal=none'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await attached(tracer);
  return {
    ofFile: (ending) => succeeded(readFileSync(record, 'latin1'), ending),
    async end() {
      if (tracer.exitCode !== null) return;
      const exited = once(tracer, 'exit');
      tracer.kill('SIGINT');
      await exited;
    },
  };
}

const CALL = /^(\d+) +f(?:data)?sync\(\d+<([^>]*)>(.*)$/u;
const RESUMED = /^(\d+) +<\.\.\. f(?:data)?sync resumed>(.*)$/u;

/** Other threads may be traced between the beginning and the end of a call, which then takes two lines. */
function succeeded(record: string, ending: string): number {
  const begun = new Map<string, string>();
  let count = 0;
  for (const line of record.split('\n')) {
    const [, thread, path, rest] = CALL.exec(line) ?? [];
    if (thread !== undefined && path !== undefined) begun.set(thread, path);
    const [, resumedThread, end] = RESUMED.exec(line) ?? [];
    const outcome = rest ?? end;
    const file = begun.get(thread ?? resumedThread ?? '') ?? '';
    if (outcome !== undefined && /\) += 0$/u.test(outcome) && file.endsWith(ending)) count += 1;
  }
  return count;
}
