import type { Source } from '../architecture/source.ts';
import { citedSections } from '../sections.ts';
import type { Requirement, Specification } from './requirement.ts';

/** Where the program implements a requirement. */
export interface CodePlace {
  /** Below the repository's root. */
  readonly path: string;
  /** The function or constant, if the table names one. */
  readonly symbol?: string;
}

export interface ProgramIndex {
  /** Files by `RFC 7662 §2.1`. */
  readonly citing: ReadonlyMap<string, readonly string[]>;
  /** Files by the name of a function, class or constant of their own. */
  readonly declaring: ReadonlyMap<string, readonly string[]>;
  readonly paths: ReadonlySet<string>;
}

/** Files here speak of one specification, and cite its sections without its name. */
const HOME = [{ folder: 'src/federation/', specification: 'OpenID Federation 1.0' }];
const DECLARATION = /^(?:export )?(?:async )?(?:function|const|class) (\w+)/gm;

export function indexProgram(program: readonly Source[]): ProgramIndex {
  return {
    citing: filesBy(program, ({ path, text }) => {
      const home = HOME.find(({ folder }) => path.startsWith(folder))?.specification;
      return citedSections(text, home).map(({ specification, section }) => `${specification} §${section}`);
    }),
    declaring: filesBy(program, ({ text }) => [...text.matchAll(DECLARATION)].map(([, name = '']) => name)),
    paths: new Set(program.map(({ path }) => path)),
  };
}

function filesBy(
  program: readonly Source[],
  keysOf: (source: Source) => readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const pairs = program.flatMap((source) =>
    [...new Set(keysOf(source))].map((key) => ({ key, path: source.path })),
  );
  const groups = Map.groupBy(pairs, ({ key }) => key);
  return new Map([...groups].map(([key, found]) => [key, found.map(({ path }) => path).sort()]));
}

/** Returns where a requirement is implemented: as its row says, otherwise the files that cite one of its sections. */
export function codeOf(
  { name }: Specification,
  { section, code, binds }: Requirement,
  index: ProgramIndex,
): readonly CodePlace[] {
  if (binds === 'client') return [];
  if (code.length > 0) return code.flatMap((entry) => placesOf(entry, index));
  const sections = citedSections(section, name).map((cited) => `${name} §${cited.section}`);
  const paths = new Set(sections.flatMap((cited) => index.citing.get(cited) ?? []));
  return [...paths].sort().map((path) => ({ path }));
}

function placesOf(entry: string, { declaring, paths }: ProgramIndex): readonly CodePlace[] {
  if (entry.includes('/')) return paths.has(entry) ? [{ path: entry }] : [];
  return (declaring.get(entry) ?? []).map((path) => ({ path, symbol: entry }));
}

/** Returns the code of rows that leads to no file, or to several, one sentence each. */
export function codeFaults(specifications: readonly Specification[], index: ProgramIndex): readonly string[] {
  return specifications.flatMap(({ requirements }) =>
    requirements.flatMap(({ id, code }) =>
      code
        .map((entry) => ({ entry, found: placesOf(entry, index).length }))
        .filter(({ found }) => found !== 1)
        .map(({ entry, found }) => `${id}: ${found} files of the program are or declare ${entry}`),
    ),
  );
}
