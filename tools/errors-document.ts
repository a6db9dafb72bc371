import { ERROR_WORDS } from '../src/spec/error-words.ts';
import { ERROR_CODES, type ErrorCode } from '../src/spec/errors.ts';
import type { EndpointFolder } from './architecture/endpoint-folders.ts';
import { row, table } from './markdown.ts';

const INTRODUCTION = `# Errors

Made from \`src/spec/errors.ts\` and the contracts of the endpoints by \`npm run docs\`; do not edit.

A JSON error is \`error\`, one of these codes, and \`error_description\`, words for a person: never a cause, a stack, a
path or a secret. 404 and 500 have no body. 405, 408, 413, 414, 417, 429, 431 and 503 may come from the edge, before an
endpoint sees the request. [The pages of the endpoints](endpoints/README.md) have examples, and [refusals.md](refusals.md) has the narrower
reasons of the log.
`;

/** `docs/reference/errors.md`: every code with its status, its section, and the endpoints that answer it otherwise. */
export function errorsMarkdown(folders: readonly EndpointFolder[]): string {
  const contracts = folders.flatMap((folder) => folder.contracts);
  const codes = Object.entries(ERROR_CODES).map(([code, { status, section }]) => {
    const otherwise = contracts.flatMap(({ name, errorStatuses }) => {
      const other = Object.entries(errorStatuses ?? {}).find(([overridden]) => overridden === code);
      return other === undefined ? [] : [`${other[1]} at ${name}`];
    });
    const { means, remedy } = ERROR_WORDS[code as ErrorCode];
    const name = `<a id="${code}"></a>\`${code}\``;
    return row(name, [String(status), ...otherwise].join(', '), means, remedy, section);
  });
  return `${INTRODUCTION}\n${table(['error', 'status', 'cause', 'remedy', 'section'], codes)}`;
}
