import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openSchemaAt, tablesAt } from '../../process/storage.ts';
import { type CopyProgress, type CopyReport, copyRegistry } from '../../storage/copy-registry.ts';
import { CommandFailure, calledWrongly } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { CommandContext, Run } from '../commands.ts';
import { type StatusLine, statusLine } from '../status-line.ts';
import { table } from '../table.ts';

/** Copies a registry to another database; the source may be in use until the last call. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      from: { type: 'string' },
      to: { type: 'string' },
      final: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  operands(positionals, []);
  const { final, json } = values;
  const from = addressOf('from', values.from);
  const to = addressOf('to', values.to);
  if (from === to) throw calledWrongly('--from and --to name the same database');
  await requireSource(from);
  const schema = openSchemaAt(to);
  try {
    await schema.up(Math.floor(Date.now() / 1000));
  } finally {
    await schema.close();
  }
  const started = performance.now();
  const status = statusLine({
    isTerminal: process.stderr.isTTY,
    write: (text) => process.stderr.write(text),
    now: () => performance.now(),
  });
  const report = await copyRegistry(tablesAt(from), tablesAt(to), {
    final,
    now: Math.floor(Date.now() / 1000),
    progress: progressOn(status),
  });
  const seconds = (performance.now() - started) / 1000;
  status.settle(`${report.rows} rows compared in ${seconds.toFixed(1)} s`);
  if (json)
    context.print(JSON.stringify({ ...report, seconds: Number(seconds.toFixed(3)), finished: final }));
  else printReport(report, final, context);
  return 0;
};

function addressOf(option: 'from' | 'to', given: string | undefined): string {
  if (given === undefined) throw calledWrongly(`--${option} is missing`);
  // What stands on the command line is seen by everybody on the machine, and an address may hold a password.
  const address = given.startsWith('@') ? readFileSync(given.slice(1), 'utf8').trim() : given;
  if (/^(?:sqlite:.|postgres(?:ql)?:\/\/)/u.test(address)) return address;
  throw calledWrongly(`--${option} must be sqlite:PATH or postgres://…, or @FILE with such an address in it`);
}

/** Before the target is touched; what else there is to say about the source, the copy itself says. */
async function requireSource(from: string): Promise<void> {
  const schema = openSchemaAt(from);
  try {
    if ((await schema.state()).version === 0) throw new CommandFailure('there is no registry at --from');
  } finally {
    await schema.close();
  }
}

function progressOn(status: StatusLine): (progress: CopyProgress) => void {
  const verbs = { copy: 'copying', verify: 'reading back', check: 'reading the source again' };
  let begun = { what: '', at: 0 };
  return ({ phase, table: name, rows, total }) => {
    const what = `${verbs[phase]} ${name}`;
    if (what !== begun.what) begun = { what, at: performance.now() };
    const seconds = (performance.now() - begun.at) / 1000;
    const rate = seconds < 0.1 ? '' : `, ${Math.round(rows / seconds)} rows/s`;
    status.show(`${what}: ${rows} of ${total} rows${rate}`);
  };
}

function printReport(report: CopyReport, final: boolean, { print }: CommandContext): void {
  const columns = table(print, ['TABLE', 'ROWS', 'PUT', 'REMOVED', 'SHA-256']);
  const rows = report.tables.filter(({ rows: count, removed }) => count > 0 || removed > 0);
  columns.print(
    rows.map(({ table: name, rows: count, put, removed, digest }) => [
      name,
      String(count),
      String(put),
      String(removed),
      digest.slice(0, 16),
    ]),
  );
  print(
    final
      ? 'finished: the target holds what the source holds, and servers may start on it; start none on the source again'
      : 'not finished: what was written to the source since this began is missing. Stop every server on it, then run this again with --final',
  );
}
