import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EndpointFolder } from './architecture/endpoint-folders.ts';
import { type CitedTest, citedTests } from './cited-tests.ts';
import { row, table } from './markdown.ts';
import { requirementsMarkdown } from './requirements/requirements-document.ts';

const root = dirname(import.meta.dirname);
const TESTS = [
  'src/**/*.test.ts',
  'src/endpoints/test-*.ts',
  'src/**/*.contract.ts',
  'test/**/*.ts',
  'tools/**/*.test.ts',
];

const INTRODUCTION = `# Specification map

Made from the contracts of the endpoints, the tables in \`tools/requirements\` and the names of the tests
by \`npm run docs\`; do not edit.
`;

/** `docs/spec-map.md`: from an endpoint to its specifications, and from a section to the tests that hold us to it. */
export function specMapMarkdown(folders: readonly EndpointFolder[]): string {
  const endpoints = table(
    ['endpoint', 'address', 'specifications', 'statuses', 'tests beside it'],
    folders.flatMap(endpointRows),
  );
  return [
    INTRODUCTION,
    '## Endpoints\n',
    endpoints,
    '## Requirements and the tests that prove them\n',
    requirementsMarkdown(root),
    '## Tests by section\n',
    testsBySection(readTests()),
  ].join('\n');
}

function endpointRows({ name: folder, files, contracts }: EndpointFolder): readonly string[] {
  const tests = files.filter((file) => file.endsWith('.test.ts')).map((file) => file.replace('.test.ts', ''));
  return contracts.map(({ name, method, path, specifications, statuses }) =>
    row(
      `[${name}](../src/endpoints/${folder}/endpoint.ts)`,
      `\`${method} ${path}\``,
      specifications.join('; '),
      statuses.join(', '),
      tests.join(', '),
    ),
  );
}

function readTests(): readonly CitedTest[] {
  const files = TESTS.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();
  return files.flatMap((file) => citedTests(file, readFileSync(join(root, file), 'utf8')));
}

function testsBySection(tests: readonly CitedTest[]): string {
  const bySpecification = Map.groupBy(tests, (cited) => cited.specification);
  return sortedByName(bySpecification)
    .map(([specification, cited]) => {
      const bySection = Map.groupBy(cited, ({ section }) => section);
      return `### ${specification}\n\n${sortedByName(bySection).map(sectionLines).join('')}`;
    })
    .join('\n');
}

function sectionLines([section, cited]: readonly [string, readonly CitedTest[]]): string {
  return `- ${section}\n${cited.map(({ name, file }) => `  - ${name} (\`${file}\`)\n`).join('')}`;
}

/** `RFC 792` before `RFC 7591`, `§4.2` before `§4.10`, the same in every locale. */
function sortedByName<Value>(groups: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
  const order = new Intl.Collator('en', { numeric: true });
  return [...groups].sort(([one], [other]) => order.compare(one, other));
}
