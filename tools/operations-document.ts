import { ALL_NOUNS } from '../src/cli/dispatch.ts';
import { REMOTE } from '../src/cli/remote/operations.ts';
import { operationsOf, type RemoteRow } from '../src/cli/remote/row.ts';
import english from '../src/console/messages/en.json' with { type: 'json' };
import type { EndpointFolder } from './architecture/endpoint-folders.ts';
import { CONSOLE_PLACES, type ConsolePlace } from './console-places.ts';
import { row, table } from './markdown.ts';
import { ON_THE_MACHINE, WITHOUT_COMMAND } from './without-operation.ts';

const INTRODUCTION = `# Commands, operations and pages

Made from tables of the sources by \`npm run docs\`; do not edit. A test holds each row: the operation exists, and the page of the console calls it.

Each command on a registry, the operation of the [administration API](../operate/administration.md) that does the same, and the page of the [console](../operate/console.md) where a person does it. With \`--server\` the command sends
that operation itself.
`;

const ORDER = (await Promise.all(ALL_NOUNS.map(async ({ load }) => await load()))).flat();

/** Returns `docs/reference/operations.md`: what a command, the API and the console have in common. */
export function operationsMarkdown(folders: readonly EndpointFolder[]): string {
  const links = linksOf(folders);
  const names = ORDER.map(({ words }) => words.join(' '));
  const shared = names.flatMap((name) => {
    const [remote, place] = [REMOTE[name], CONSOLE_PLACES[name]];
    if (remote === undefined || place === undefined) return [];
    return [row(commandOf(name), operationText(remote, links), placeText(place))];
  });
  const local = names.flatMap((name) => {
    const reason = ON_THE_MACHINE[name];
    return reason === undefined ? [] : [row(commandOf(name), reason)];
  });
  const alone = Object.entries(WITHOUT_COMMAND).map(([name, reason]) => row(links.get(name) ?? name, reason));
  return [
    INTRODUCTION,
    table(['command', 'operation', 'console'], shared),
    '## Commands on the machine alone',
    '',
    'No server executes these commands.',
    '',
    table(['command', 'reason'], local),
    '## Operations without a command',
    '',
    table(['operation', 'reason'], alone),
  ].join('\n');
}

/** Returns a link to the page of each operation, by its name. */
function linksOf(folders: readonly EndpointFolder[]): ReadonlyMap<string, string> {
  return new Map(
    folders.flatMap(({ name: page, contracts }) =>
      contracts.map(({ name, method, path }) => [name, `[\`${method} ${path}\`](endpoints/${page}.md)`]),
    ),
  );
}

const commandOf = (name: string): string =>
  `[\`chancery ${name}\`](commands.md#chancery-${name.replaceAll(' ', '-')})`;

function operationText(remote: RemoteRow, links: ReadonlyMap<string, string>): string {
  if ('reason' in remote) return `none: ${remote.reason}`;
  const operations = operationsOf(remote).map((name) => links.get(name) ?? name);
  const only = 'only' in remote && remote.only !== undefined ? `. Not by the command: ${remote.only}` : '';
  return `${operations.join(', ')}${only}`;
}

/** The heading of each page below `src/console/pages`, in English. */
const HEADINGS: Readonly<Record<string, string>> = { ...english, 'initial-tokens': english.iat };

const placeText = (place: ConsolePlace): string =>
  'reason' in place ? `none: ${place.reason}` : (place.heading ?? HEADINGS[place.page] ?? place.page);
