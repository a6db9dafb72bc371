// npm run figures: the table of figures that the style asks for, measured. Prints only; the laws are elsewhere.
import { programOf, readSources, type Source } from './architecture/source.ts';

const sources = readSources('src/**/*.ts');
const program = programOf(sources, 'src/cli/chancery.ts');
const tests = [
  ...sources.filter(({ path }) => /\.(test|contract)\.ts$/.test(path)),
  ...readSources('test/**/*.ts'),
];

const programLines = sum(program.map(lines));
const citations = sum(program.map(({ text }) => [...text.matchAll(/§/g)].length));
const depths = program.map(({ path }) => path.split('/').length - 1);

print('files of the program', `${program.length} with ${programLines} lines`);
print('file lines: median, P90, max', quantiles(program.map(lines)));
print('function lines: median, P90, max', quantiles(program.flatMap(functionLines)));
print('depth under src, at most', String(Math.max(...depths)));
print('sections cited per 1,000 lines', ((citations * 1000) / programLines).toFixed(1));
print('test lines per source line', (sum(tests.map(lines)) / programLines).toFixed(2));

function lines({ text }: Source): number {
  return text.split('\n').length - 1;
}

/**
 * Lines of each function that the formatter spreads over several: from a line that opens a body to the next line that
 * closes one at the same indentation.
 */
function functionLines({ text }: Source): readonly number[] {
  const all = text.split('\n');
  return all.flatMap((line, start) => {
    const indentation = /^ */.exec(line)?.[0] ?? '';
    if (!opensFunction(line)) return [];
    const closing = all.findIndex((other, index) => index > start && other.startsWith(`${indentation}}`));
    return closing === -1 ? [] : [bodyEnd(all, closing, indentation) - start + 1];
  });
}

/** The parameters may close at the same indentation as the body: `}: Needs): Promise<void> {`. */
function bodyEnd(all: readonly string[], closing: number, indentation: string): number {
  if (all[closing]?.endsWith('{') !== true) return closing;
  const next = all.findIndex((line, index) => index > closing && line.startsWith(`${indentation}}`));
  return next === -1 ? closing : next;
}

function opensFunction(line: string): boolean {
  if (/^\s*(if|for|while|switch|catch|\} )/.test(line)) return false;
  return /\bfunction\b.*[({]$|=> \{$|^\s+(async |static |get |set )*[#\w]+\(.*\)(: [^=]+)? \{$/.test(line);
}

function quantiles(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return `${at(0.5)}, ${at(0.9)}, ${at(1)}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function print(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(36)}${value}\n`);
}
