import { dirname } from 'node:path';
import type { EndpointFolder } from './architecture/endpoint-folders.ts';
import { row, table } from './markdown.ts';
import { requirementsMarkdown } from './requirements/requirements-document.ts';

const root = dirname(import.meta.dirname);
const INTRODUCTION = `# Specification map

\`npm run docs\` makes this page from the contracts of the endpoints, the tables in \`tools/requirements\` and the
names of the tests. Do not edit it.
`;

/** Returns `docs/spec-map.md`: the specifications of each endpoint, and the tests that prove each requirement. */
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
