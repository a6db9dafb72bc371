import { dirname } from 'node:path';
import type { EndpointFolder } from './architecture/endpoint-folders.ts';
import { programOf, readSources } from './architecture/source.ts';
import { row, table } from './markdown.ts';
import { type CodePlace, codeOf, indexProgram, type ProgramIndex } from './requirements/code.ts';
import { type Proof, readProofs } from './requirements/proofs.ts';
import type { Requirement, Specification } from './requirements/requirement.ts';
import { SPECIFICATIONS } from './requirements/specifications.ts';

const root = dirname(import.meta.dirname);
const FOLDER = 'docs/spec-map';
/** From a page to the repository's root. */
const UP = '../..';

const INTRODUCTION = `<!-- Made from the contracts of the endpoints and tools/requirements by \`npm run docs\`. Do not edit. -->

# Specification map

Each page lists the requirements of one specification, sentence by sentence, in our own words. A row has the requirement's
id, its section, the code that implements it, and the tests that prove it. A test carries the ids of the requirements that
it proves in a comment directly above it (\`// proves rfc7662-2.1-3\`), so a search for the id finds the row and its tests.
Where the server deviates, or no test proves the sentence, the reason comes first.

[conformance.md](conformance.md) has the modules of the OpenID Foundation's conformance suite with their results.
`;

interface Evidence {
  readonly program: ProgramIndex;
  readonly proofs: ReadonlyMap<string, readonly Proof[]>;
}

interface Page {
  readonly name: string;
  readonly path: string;
  readonly tables: readonly Specification[];
}

let evidence: Evidence | undefined;

/** Reads the sources once, at the first page that is made. */
function readEvidence(): Evidence {
  evidence ??= {
    program: indexProgram(programOf(readSources('src/**/*.ts'), 'src/cli/chancery.ts')),
    proofs: Map.groupBy(readProofs(root), ({ id }) => id),
  };
  return evidence;
}

const PAGES: readonly Page[] = [...Map.groupBy(SPECIFICATIONS, ({ name }) => name)].map(([name, tables]) => ({
  name,
  path: `${FOLDER}/${fileName(name)}`,
  tables,
}));

/** `RFC 7662` is on `rfc7662.md`, `OpenID Connect Core 1.0` on `openid-connect-core.md`. */
function fileName(name: string): string {
  const words = name.replace(/ 1\.0$/, '').replace(/^RFC /, 'RFC');
  return `${words.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-')}.md`;
}

/** Returns the index of `docs/spec-map/` and a page for each specification. */
export function specMapDocuments(
  folders: readonly EndpointFolder[],
): readonly { readonly path: string; readonly make: () => string }[] {
  return [
    { path: `${FOLDER}/README.md`, make: () => indexMarkdown(folders) },
    ...PAGES.map((page) => ({ path: page.path, make: () => pageMarkdown(page) })),
  ];
}

function indexMarkdown(folders: readonly EndpointFolder[]): string {
  const pages = PAGES.map((page) => {
    const { rows, coded, proven } = counts(page);
    const title = page.tables.length === 1 ? (page.tables[0]?.title ?? '') : '';
    const link = `[${page.name}](${page.path.replace(`${FOLDER}/`, '')})`;
    return row(link, title, String(rows), String(coded), String(proven));
  });
  return [
    INTRODUCTION,
    '## Specifications\n',
    table(['specification', 'title', 'requirements', 'with code', 'with tests'], pages),
    '## Endpoints\n',
    table(['endpoint', 'address', 'specifications', 'statuses', 'tests'], folders.flatMap(endpointRows)),
  ].join('\n');
}

function counts({ tables }: Page): {
  readonly rows: number;
  readonly coded: number;
  readonly proven: number;
} {
  const { program, proofs } = readEvidence();
  const rows = tables.flatMap((each) => each.requirements.map((requirement) => ({ each, requirement })));
  return {
    rows: rows.length,
    coded: rows.filter(({ each, requirement }) => codeOf(each, requirement, program).length > 0).length,
    proven: rows.filter(({ requirement }) => proofs.has(requirement.id)).length,
  };
}

function endpointRows({ folder, files, contracts }: EndpointFolder): readonly string[] {
  const at = `${UP}/src/endpoints/${folder}`;
  const tests = files
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `[${file.replace('.test.ts', '')}](${at}/${file})`);
  return contracts.map(({ name, method, path, specifications, statuses }) =>
    row(
      `[${name}](${at}/endpoint.ts)`,
      `\`${method} ${path}\``,
      specifications.join('; '),
      statuses.join(', '),
      tests.join(', '),
    ),
  );
}

function pageMarkdown({ name, tables }: Page): string {
  return [
    `<!-- Made from tools/requirements by \`npm run docs\`. Do not edit. -->\n`,
    `# ${name}\n`,
    ...tables.map((each) => tableMarkdown(each)),
  ].join('\n');
}

function tableMarkdown(specification: Specification): string {
  const { title, scope, requirements } = specification;
  const { program, proofs } = readEvidence();
  const rows = requirements.map((requirement) =>
    row(
      `\`${requirement.id}\``,
      requirement.section,
      requirement.words,
      codeOf(specification, requirement, program).map(codeLink).join('<br>'),
      provedBy(requirement, proofs.get(requirement.id) ?? []),
    ),
  );
  return [
    ...(title === undefined ? [] : [`${upperFirst(title)}.\n`]),
    `Scope: ${scope}\n`,
    table(['id', 'section', 'requirement', 'code', 'tests'], rows),
  ].join('\n');
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function codeLink({ path, symbol }: CodePlace): string {
  const short = path.replace(/^src\//, '').replace(/\.ts$/, '');
  return `[${symbol === undefined ? short : `\`${symbol}\``}](${UP}/${path})`;
}

function provedBy({ reason }: Requirement, proofs: readonly Proof[]): string {
  const reasons = reason === undefined ? [] : [`_${reason}_`];
  return [...reasons, ...proofs.map(testLink)].join('<br>');
}

function testLink({ file, name }: Proof): string {
  const short = file.replace(/^(?:src\/endpoints|src|test)\//, '').replace(/(?:\.program)?\.test\.ts$/, '');
  return `${name} ([${short}](${UP}/${file}))`;
}
