import type { Command, Noun, Option } from '../src/cli/command.ts';
import { ALL_NOUNS } from '../src/cli/dispatch.ts';
import { HELP_OPTION, optionName, optionWords, synopsis, USUAL_EXITS } from '../src/cli/help.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from '../src/cli/settings.ts';
import { row, table } from './markdown.ts';

const INTRODUCTION = `# Commands

Made from the declarations in \`src/cli\` by \`npm run docs\`; do not edit. \`chancery COMMAND --help\` prints the same.

In a checkout, \`npm run -s chancery -- COMMAND\` or \`node bin/chancery.mjs COMMAND\` stands for \`chancery COMMAND\`. A value that begins with \`-\` is written \`--option=-value\`. Behind \`--\`, all words are operands.
`;

interface Group {
  readonly noun: Noun;
  readonly commands: readonly Command[];
}

const groups: readonly Group[] = await Promise.all(
  ALL_NOUNS.map(async (noun) => ({ noun, commands: await noun.load() })),
);

/** Returns `docs/reference/commands.md`: every command with its operands, options, output and exit codes. */
export function commandsMarkdown(): string {
  const contents = groups.flatMap(({ commands }) =>
    commands.map((one) => row(`[\`${nameOf(one)}\`](#${anchorOf(one)})`, one.summary)),
  );
  return [
    INTRODUCTION,
    table(['command', 'summary'], contents),
    ...sharedSection(),
    ...groups.flatMap(groupSection),
  ].join('\n');
}

const optionRow = (name: string, option: Option): string =>
  row(`\`${optionName(name, option)}\``, optionWords(option));

/** Returns what many commands have in common, so that no section repeats it. */
function sharedSection(): readonly string[] {
  const options = Object.entries<Option>(REGISTRY_OPTIONS).map(([name, option]) => optionRow(name, option));
  const variables = SETTINGS_VARIABLES.map(({ name, words }) => row(`\`${name}\``, words));
  return [
    '## All commands',
    '',
    'Many commands have these options. The first line of a command names those that it has.',
    '',
    table(['option', 'meaning'], [...options, row(`\`${HELP_OPTION.name}\``, HELP_OPTION.words)]),
    'Each command with `--config` reads these environment variables. Other commands read none.',
    '',
    table(['variable', 'meaning'], variables),
    'A command ends with one of these exit codes. The section of a command names a code with another meaning.',
    '',
    table(
      ['exit code', 'meaning'],
      Object.entries(USUAL_EXITS).map(([code, words]) => row(code, words)),
    ),
  ];
}

/** Returns whether the section of all commands explains the option. */
function isShared(name: string, option: Option): boolean {
  return Object.entries<Option>(REGISTRY_OPTIONS).some(
    ([other, shared]) => other === name && shared === option,
  );
}

const nameOf = ({ words }: Command): string => `chancery ${words.join(' ')}`;
const anchorOf = (one: Command): string => nameOf(one).replaceAll(' ', '-');

function groupSection({ noun, commands }: Group): readonly string[] {
  return [`## ${noun.name}`, '', `${noun.summary}.`, '', ...commands.flatMap(commandSection)];
}

function commandSection(one: Command): readonly string[] {
  const operands = Object.entries(one.operands).map(([name, { words }]) =>
    row(`\`${name.toUpperCase()}\``, words),
  );
  const options = Object.entries(one.options)
    .filter(([name, option]) => !isShared(name, option))
    .map(([name, option]) => optionRow(name, option));
  const exits = Object.entries(one.exits ?? {}).map(([code, words]) => row(code, words));
  return [
    `### ${nameOf(one)}`,
    '',
    '```text',
    synopsis(one),
    '```',
    '',
    ...[
      `${one.summary}.`,
      ...one.description,
      `**Servers.** ${one.servers}`,
      `**Output.** ${one.output}`,
    ].flatMap((text) => [text, '']),
    ...(operands.length === 0 ? [] : [table(['operand', 'meaning'], operands)]),
    ...(options.length === 0 ? [] : [table(['option', 'meaning'], options)]),
    ...(exits.length === 0 ? [] : [table(['exit code', 'meaning'], exits)]),
    '```sh',
    ...one.examples,
    '```',
    '',
  ];
}
