import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '../../test/program/start.ts';
import { httpSubject } from '../http-subject.ts';
import { introspectionWithBasic, verifyActive } from '../introspection-load.ts';
import { type Ours, startAnother, startOurs } from '../ours.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';

const FEW_TOKENS = 10_000;
const nameOf = (tokens: number, more: string): string => `${tokens.toLocaleString('en')} tokens, ${more}`;
const FROM_MEMORY = 'from memory';
const FROM_DISK = 'never from memory';
/** Of the program's own memory: pages of the database stay in that of the system. */
const WITHOUT_MEMORY = { CHANCERY_CACHE_ACCESS_TOKENS: '2' };

/** The same questions to a large table and to a small one, each by a server that remembers tokens and by one that does not. */
export const introspectionSize: Benchmark = {
  name: 'introspection-size',
  title: 'Introspection among many access tokens, Basic authentication',
  unit: 'per second',
  needsTokens: true,
  aims: [{ of: 'p99_ms', against: nameOf(FEW_TOKENS, FROM_MEMORY), atMost: 1 + 1 / 3 }],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const folder = join(bench.folder, 'few-tokens');
    mkdirSync(folder, { recursive: true });
    const few = await startOurs(folder, {
      storedTokens: FEW_TOKENS,
      loadedTokens: FEW_TOKENS,
      manyTokens: 0,
      selfContainedTokens: 0,
    });
    const { storedTokens } = bench.scale;
    return [
      await asked(bench, nameOf(storedTokens, FROM_MEMORY), bench.ours),
      await asked(bench, nameOf(FEW_TOKENS, FROM_MEMORY), few, few.program),
      await another(bench, nameOf(storedTokens, FROM_DISK), bench.ours, bench.folder),
      await another(bench, nameOf(FEW_TOKENS, FROM_DISK), few, folder),
    ];
  },
};

async function another(bench: Bench, name: string, ours: Ours, folder: string): Promise<Subject> {
  const program = await startAnother(folder, WITHOUT_MEMORY);
  return await asked(bench, name, { ...ours, program }, program);
}

/** @param own a program that ends with the subject */
async function asked(bench: Bench, name: string, ours: Ours, own?: Program): Promise<Subject> {
  const { program, caller, tokens } = ours;
  const order = introspectionWithBasic(program.port, caller, tokens.slice(0, FEW_TOKENS));
  const server = { name, pid: program.pid, close: async () => await own?.stop() };
  return (await httpSubject(bench, server, order, verifyActive)).subject;
}
