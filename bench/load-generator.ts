import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LoadOrder, LoadResult, LoadRun } from './load.ts';
import { LOAD_CPU, messageFrom, pin, stopChild } from './processes/measured-process.ts';

type Reply = { readonly prepared: number } | { readonly result: LoadResult } | { readonly failure: string };

export interface LoadGenerator {
  /** Prepares the requests. @returns the number of the order, for `run` */
  prepare(order: LoadOrder): Promise<number>;
  /** Runs a load. Rejects if a connection breaks or an answer is unreadable. */
  run(run: LoadRun): Promise<LoadResult>;
  close(): Promise<void>;
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)));
  pin(child.pid ?? 0, LOAD_CPU);
  return {
    async prepare(order) {
      const reply = await ask(child, order);
      if (!('prepared' in reply)) throw new Error('the load generator did not take the order');
      return reply.prepared;
    },
    async run(run) {
      const reply = await ask(child, run);
      if ('failure' in reply) throw new Error(reply.failure);
      if (!('result' in reply)) throw new Error('the load generator did not run');
      return reply.result;
    },
    close: async () => await stopChild(child),
  };
}

async function ask(child: ChildProcess, message: LoadOrder | LoadRun): Promise<Reply> {
  child.send(message);
  return await messageFrom<Reply>(child);
}
