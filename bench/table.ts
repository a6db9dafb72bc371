import type { AimResult, BenchmarkResult, SubjectResult } from './result.ts';

export type Cells = readonly string[];

/** The title of each column, and what a row has there. */
const COLUMNS: readonly (readonly [title: string, cell: (subject: SubjectResult, unit: string) => string])[] =
  [
    ['', ({ name }) => name],
    ['median', ({ median }, unit) => amount(unit, median)],
    ['lowest – highest', ({ lowest, highest }, unit) => `${amount(unit, lowest)} – ${amount(unit, highest)}`],
    ['ours / this', ({ ours_by_this }) => ratio(ours_by_this)],
    ['per CPU second', ({ ours_by_this_per_cpu_second }) => ratio(ours_by_this_per_cpu_second)],
    ['p99', ({ p99_ms }) => measure(p99_ms, 1, 'ms')],
    ['server, load busy', busy],
    ['PostgreSQL busy', ({ postgres_busy }) => percent(postgres_busy)],
    ['CPU of an answer', costOfAnAnswer],
    ['memory at its peak', ({ peak_memory_mib }) => measure(peak_memory_mib, 0, 'MiB', '+')],
    ['resident', ({ resident_mib }) => measure(resident_mib, 0, 'MiB')],
  ];

/** Returns the titles, and a row for each subject. Columns that no subject fills are left out. */
export function tableOf({ unit, subjects }: BenchmarkResult): readonly Cells[] {
  const filled = COLUMNS.map(([title, cell]) => [
    title,
    ...subjects.map((subject) => cell(subject, unit)),
  ]).filter(([title, ...cells]) => title === '' || cells.some((cell) => cell !== ''));
  return Array.from({ length: subjects.length + 1 }, (_, line) => filled.map((column) => column[line] ?? ''));
}

/** Returns one line for each aim: reached or not, and by how much. */
export function verdictsOn({ name, unit, aims }: BenchmarkResult): readonly string[] {
  return aims.map((aim) => {
    const { found, limit } = wordsOf(aim, unit);
    return `${name}: ${found}; aim ${limit}: ${aim.reached ? 'reached' : 'NOT reached'}`;
  });
}

function wordsOf(
  { what, found, at_least, at_most }: AimResult,
  unit: string,
): { readonly found: string; readonly limit: string } {
  const limit = at_least ?? at_most ?? Number.NaN;
  const side = at_least === undefined ? 'at most' : 'at least';
  if (what.startsWith('×'))
    return { found: `${found.toFixed(2)} ${what}`, limit: `${side} ${limit.toFixed(2)}` };
  if (what.startsWith('MiB')) return { found: `${found.toFixed(0)} ${what}`, limit: `${side} ${limit} MiB` };
  if (what.startsWith('µs')) return { found: `${found.toFixed(0)} ${what}`, limit: `${side} ${limit} µs` };
  return { found: amount(unit, found), limit: `${side} ${amount(unit, limit)}` };
}

function amount(unit: string, value: number): string {
  return unit === 'per second' ? `${Math.round(value)}/s` : `${Math.round(value)} ms`;
}

const ratio = (value: number | undefined): string => value?.toFixed(2) ?? '';

function measure(value: number | undefined, digits: number, unit: string, sign = ''): string {
  return value === undefined ? '' : `${sign}${value.toFixed(digits)} ${unit}`;
}

const percent = (share: number | undefined): string =>
  share === undefined ? '' : `${Math.round(share * 100)} %`;

function busy({ server_busy, load_busy }: SubjectResult): string {
  if (server_busy === undefined && load_busy === undefined) return '';
  return `${percent(server_busy) || '–'} ${percent(load_busy) || '–'}`;
}

/** The server's, and behind the + the database server's. */
function costOfAnAnswer({ server_us_an_answer, postgres_us_an_answer }: SubjectResult): string {
  if (server_us_an_answer === undefined) return '';
  const database = postgres_us_an_answer === undefined ? '' : ` + ${postgres_us_an_answer.toFixed(1)}`;
  return `${server_us_an_answer.toFixed(1)}${database} µs`;
}

/** Returns lines whose columns stand under each other. */
export function terminalTable(lines: readonly Cells[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return lines.map((line) => line.map(pad).join('  ')).join('\n');
}

export function markdownTable(lines: readonly Cells[]): string {
  const [head = '', ...rest] = lines.map((line) => `| ${line.join(' | ')} |`);
  return [head, `|---|${'---:|'.repeat((lines[0]?.length ?? 1) - 1)}`, ...rest].join('\n');
}
