import type { Command, Noun, Option } from './command.ts';
import { placeholderOf } from './parse.ts';

const WIDTH = 100;

/** A wider name stands on a line of its own, above its words. */
const NAME_WIDTH_MAX = 33;

export const USUAL_EXITS = {
  0: 'The command has done its work.',
  1: 'The command failed, or its input was refused. Standard error holds the reason.',
  2: 'The command line is wrong.',
} as const;

export const HELP_OPTION = { name: '-h, --help', words: 'Prints this help and exits with 0.' } as const;

/** Returns the help that `chancery --help` prints: every group with every command. */
export async function overview(nouns: readonly Noun[]): Promise<readonly string[]> {
  const lines = [
    'chancery: an OAuth 2.0 and OpenID Connect authorisation server',
    '',
    ...paragraph('chancery COMMAND --help explains a command, its operands and its options.'),
  ];
  const groups = await Promise.all(nouns.map(async (noun) => ({ noun, commands: await noun.load() })));
  const single = groups.filter(({ noun, commands }) => isOneCommand(noun.name, commands));
  const rows = (commands: readonly Command[]): readonly string[] =>
    pairs(
      commands.map((one) => [nameOf(one), one.summary]),
      NAME_WIDTH_MAX,
    );
  lines.push('', ...rows(single.flatMap(({ commands }) => commands)));
  for (const group of groups.filter((one) => !single.includes(one)))
    lines.push('', `${group.noun.name}: ${group.noun.summary}`, ...rows(group.commands));
  return [
    ...lines,
    '',
    ...paragraph(
      'Most commands read the settings from --config FILE (or CHANCERY_CONFIG). Environment variables such as CHANCERY_LISTEN_PORT override the file. docs/reference/configuration.md describes all settings, and docs/reference/commands.md all commands.',
    ),
  ];
}

function isOneCommand(name: string, commands: readonly Command[]): boolean {
  return commands.length === 1 && commands[0]?.words.join(' ') === name;
}

/** Returns the help of a group: the commands whose names begin with `words`. */
export function groupHelp(words: string, summary: string, commands: readonly Command[]): readonly string[] {
  return [
    `chancery ${words}: ${summary}`,
    '',
    ...pairs(commands.map((one) => [nameOf(one), one.summary])),
    '',
    `chancery ${words} COMMAND --help explains a command, its operands and its options.`,
  ];
}

const nameOf = ({ words }: Command): string => `chancery ${words.join(' ')}`;

/** Returns how a command is called, with its operands and options. */
export function synopsis({ words, operands, options }: Command): string {
  const named = Object.entries(operands).map(([name, { optional, unless, repeated }]) => {
    const several = `${name.toUpperCase()}${repeated === true ? '…' : ''}`;
    const shown = unless === undefined ? several : `${several}|${replacement(unless, options)}`;
    return optional === true ? `[${shown}]` : shown;
  });
  const replacing = new Set(Object.values(operands).map(({ unless }) => unless));
  const optional = Object.entries(options)
    .filter(([name]) => !replacing.has(name))
    .map(([name, option]) => optionInSynopsis(name, option));
  return ['chancery', ...words, ...named, ...optional].join(' ');
}

function replacement(name: string, options: Command['options']): string {
  const flag = options[name]?.kind === 'flag';
  return flag ? `--${name}` : `--${name} ${name.toUpperCase()}`;
}

function optionInSynopsis(name: string, option: Option): string {
  const shown = longName(name, option);
  if ('required' in option) return shown;
  return 'repeated' in option ? `[${shown}]…` : `[${shown}]`;
}

/** Returns an option with its short name and its placeholder: `-c, --config FILE`. */
export function optionName(name: string, option: Option): string {
  const long = longName(name, option);
  return option.short === undefined ? long : `-${option.short}, ${long}`;
}

function longName(name: string, option: Option): string {
  return option.kind === 'flag' ? `--${name}` : `--${name} ${placeholderOf(option)}`;
}

/** Returns the words about an option, with its default and whether it is required or may be repeated. */
export function optionWords(option: Option): string {
  const notes = [
    ...('placeholder' in option ? [`One of ${option.values.join(', ')}.`] : []),
    ...('default' in option && option.default !== undefined ? [`Default: ${option.default}.`] : []),
    ...('required' in option ? ['Required.'] : []),
    ...('repeated' in option ? ['May be repeated.'] : []),
  ];
  return [option.words, ...notes].join(' ');
}

/** Returns the words for each exit code of a command. */
export function exitsOf({ exits }: Command): readonly (readonly [code: string, words: string])[] {
  return Object.entries({ ...USUAL_EXITS, ...exits });
}

/** Returns the help of a command, made from its declaration. */
export function commandHelp(one: Command): readonly string[] {
  const operands = Object.entries(one.operands).map(
    ([name, { words }]) => [name.toUpperCase(), words] as const,
  );
  const options = Object.entries(one.options).map(
    ([name, option]) => [optionName(name, option), optionWords(option)] as const,
  );
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', `${title}:`, ...lines];
  return [
    synopsis(one),
    '',
    ...paragraph(`${one.summary}.`),
    ...one.description.flatMap((text) => ['', ...paragraph(text)]),
    ...section('Operands', pairs(operands)),
    ...section('Options', pairs([...options, [HELP_OPTION.name, HELP_OPTION.words]])),
    ...section('Servers', paragraph(one.servers, 2)),
    ...section('Output', paragraph(one.output, 2)),
    ...section('Environment', pairs(one.environment.map(({ name, words }) => [name, words]))),
    ...section('Exit codes', pairs(exitsOf(one))),
    ...section(
      'Examples',
      one.examples.map((line) => `  ${line}`),
    ),
  ];
}

/** Returns names and their words in two columns, the words wrapped. The first column has at least `width` letters. */
function pairs(rows: readonly (readonly [name: string, words: string])[], width = 0): readonly string[] {
  const widths = rows.map(([name]) => name.length).filter((length) => length <= NAME_WIDTH_MAX);
  const column = 2 + Math.max(width, ...widths) + 2;
  return rows.flatMap(([name, words]) => {
    const [first = '', ...rest] = paragraph(words, column);
    const head = `  ${name}`;
    return head.length + 2 > column
      ? [head, first, ...rest]
      : [head.padEnd(column) + first.trimStart(), ...rest];
  });
}

function paragraph(text: string, indent = 0): readonly string[] {
  const margin = ' '.repeat(indent);
  const lines: string[] = [];
  let line = margin;
  for (const word of text.split(' ')) {
    if (line !== margin && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = margin;
    }
    line += line === margin ? word : ` ${word}`;
  }
  return [...lines, line];
}
