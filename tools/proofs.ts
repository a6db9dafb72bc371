// docs/contract says what proves each number: the files of tests that cite it. Everything else in there is written by hand.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { anchorOf, numbersIn } from './citations.ts';
import { ownFiles } from './own-files.ts';

const root = dirname(import.meta.dirname);

/** Tests, and the rows and worlds that they are made of. */
const PROVING = ['src/**/*.test.ts', 'src/testing/**/*.ts', 'test/**/*.ts'];

const NONE = 'no test cites it';

/** The last column of a table that ends in this header, and the line below a heading, that this program fills in. */
const PROVED_TABLE = /\| proved by \|$/;
const PROVED_ROW = /^\|\s*(?:<a id="[^"]*"><\/a>)?([A-Z]-?\d{1,3})\s*\|(.*)\|[^|]*\|$/;
const PROVED_HEADING = /^## (Decision \d+)\b/;
const PROVED_LINE = 'Proved by:';

/** Returns the documents whose proofs `npm run docs` fills in. */
export function documentsWithProofs(): readonly { readonly path: string; readonly make: () => string }[] {
  return globSync(['docs/contract/decisions.md', 'docs/contract/hostile/*.md'], { cwd: root })
    .sort()
    .map((path) => ({
      path,
      make: () => {
        const text = withProofs(path, readFileSync(join(root, path), 'utf8'), proofs());
        return withRows(text, (name) => readFileSync(join(root, dirname(path), name), 'utf8'));
      },
    }));
}

/** A line of the table of files in docs/contract/hostile/README.md; its second cell names the rows of the file. */
const FILE_ROW = /^\| \[([a-z-]+\.md)\]\(\1\) \|[^|]*\| /;

/** Returns a document whose table of files names the rows of each file. `read` returns the text of a file beside the document. */
export function withRows(text: string, read: (name: string) => string): string {
  return text
    .split('\n')
    .map((line) =>
      line.replace(FILE_ROW, (_, name: string) =>
        `| [${name}](${name}) | ${rangesOf(read(name))} | `.replace('|  |', '| |'),
      ),
    )
    .join('\n');
}

/** Returns the numbers of the rows of a document. */
export function rowNumbers(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => PROVED_ROW.exec(line)?.[1])
    .filter((number) => number !== undefined);
}

/** Returns the numbers of the rows of a document in order, with ranges for three and more: `H-001 to H-003, H-007`. */
function rangesOf(text: string): string {
  const ranges: string[][] = [];
  for (const number of rowNumbers(text).toSorted(byNumber)) {
    const range = ranges.at(-1);
    if (range !== undefined && follows(range.at(-1), number)) range.push(number);
    else ranges.push([number]);
  }
  return ranges
    .flatMap((range) => (range.length < 3 ? range : [`${range[0]} to ${range.at(-1)}`]))
    .join(', ');
}

const valueOf = (number: string): number => Number(number.replace(/^[A-Z]-?/, ''));
const byNumber = (one: string, other: string): number =>
  one.charCodeAt(0) - other.charCodeAt(0) || valueOf(one) - valueOf(other);
const follows = (last: string | undefined, next: string): boolean =>
  last?.[0] === next[0] && valueOf(next) === valueOf(last ?? '') + 1;

/** Returns a document with an anchor on each row, and the files that prove each number; the rest stays as it is. */
export function withProofs(
  path: string,
  text: string,
  files: ReadonlyMap<string, readonly string[]>,
): string {
  const links = (number: string): string =>
    (files.get(number) ?? []).map((file) => `[${shortName(file)}](${relative(path, file)})`).join(', ') ||
    NONE;
  let heading = '';
  let inTable = false;
  const filled = (line: string): string => {
    heading = PROVED_HEADING.exec(line)?.[1]?.toLowerCase() ?? heading;
    inTable = PROVED_TABLE.test(line) || (inTable && line.startsWith('|'));
    if (heading !== '' && line.startsWith(PROVED_LINE)) return `${PROVED_LINE} ${links(heading)}.`;
    const [, number, cells] = (inTable && PROVED_ROW.exec(line)) || [];
    if (number === undefined || cells === undefined) return line;
    return `| <a id="${anchorOf(number)}"></a>${number} |${cells}| ${links(number)} |`;
  };
  return text.split('\n').map(filled).join('\n');
}

let known: ReadonlyMap<string, readonly string[]> | undefined;

function proofs(): ReadonlyMap<string, readonly string[]> {
  known ??= proofsIn(
    ownFiles(root, ...PROVING).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  );
  return known;
}

/** Returns the files that cite each number, in their order. */
export function proofsIn(
  sources: readonly { readonly path: string; readonly text: string }[],
): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  for (const { path, text } of sources) {
    for (const number of new Set(numbersIn(text).map((cited) => cited.number))) {
      files.set(number, [...(files.get(number) ?? []), path]);
    }
  }
  return files;
}

function shortName(file: string): string {
  return file.replace(/^(?:src|test)\//, '').replace(/(?:\.program)?(?:\.test)?\.ts$/, '');
}

function relative(document: string, file: string): string {
  return posix.relative(posix.dirname(document), file);
}
