import { type Ended, packaged, runFile } from './child.ts';

export interface Check {
  readonly name: string;
  readonly run: () => Promise<Ended>;
}

const LINTED = ['src', 'test', 'tools', 'bench', 'bin', 'examples'];

/** Checks that need no running program. They are independent of each other. */
export const STATIC_CHECKS: readonly Check[] = [
  { name: 'types', run: () => runFile(packaged('typescript/bin/tsc'), '-p', '.') },
  // The console runs in browsers, with other global names.
  {
    name: 'types of the console',
    run: () => runFile(packaged('typescript/bin/tsc'), '-p', 'src/console'),
  },
  {
    name: 'lint',
    run: () => runFile(packaged('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings', ...LINTED),
  },
  { name: 'format', run: () => runFile(packaged('@biomejs/biome/bin/biome'), 'check', '.') },
  { name: 'unused code', run: () => runFile(packaged('knip/bin/knip.js'), '--no-progress') },
];

/** Checks that are tests as well: `npm test` meets them there. */
export const TESTED_CHECKS: readonly Check[] = [
  {
    name: 'architecture',
    run: () => runFile('tools/test-group.ts', 'none', 'tools/architecture/architecture.test.ts'),
  },
  { name: 'prose', run: () => runFile('tools/test-group.ts', 'none', 'tools/prose/prose.test.ts') },
  { name: 'mutants', run: () => runFile('tools/test-group.ts', 'none', 'tools/mutants/mutants.test.ts') },
  { name: 'documents', run: () => runFile('tools/docs.ts', '--check') },
];

/** Rewrites the sources as the formatter would have them. */
export async function format(): Promise<boolean> {
  const { how, output } = await runFile(packaged('@biomejs/biome/bin/biome'), 'check', '--write', '.');
  process.stdout.write(output);
  return how === 0;
}

/** Runs them side by side; one line each, and the whole output of those that fail. */
export async function runChecks(checks: readonly Check[]): Promise<{ passed: number; failed: number }> {
  const results = await Promise.all(checks.map(runCheck));
  const passed = results.filter(Boolean).length;
  return { passed, failed: results.length - passed };
}

async function runCheck({ name, run }: Check): Promise<boolean> {
  const start = performance.now();
  const { how, output } = await run();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (how === 0) process.stdout.write(`✔ ${name} (${seconds} s)\n`);
  else process.stdout.write(`✖ ${name} (${seconds} s, ended with ${how})\n${output.trimEnd()}\n`);
  return how === 0;
}
