import { suggestion } from '../spec/nearest.ts';
import { type Command, command, type Noun, type Surroundings } from './command.ts';
import { type CommandFailure, calledWrongly, explain } from './failure.ts';
import { commandHelp, groupHelp, overview } from './help.ts';
import { NOUNS } from './nouns.ts';
import { asksForHelp, parseCall } from './parse.ts';

const HELP = command({
  words: ['help'],
  summary: 'Explain a command or a group of commands',
  description: [
    'Without a word, the command lists all commands. `chancery help clients list` prints the same as `chancery clients list --help`.',
  ],
  servers: 'The command uses no data of a server.',
  operands: {
    group: {
      optional: true,
      words: 'Names a group of commands, for example `clients`, or a command such as `serve`.',
    },
    command: { optional: true, words: 'Names a command of the group, for example `list`.' },
    subcommand: {
      optional: true,
      words: 'Names the last word of a command of three words, as in `keys encryption rotate`.',
    },
  },
  environment: [],
  output: 'The help as text.',
  examples: ['chancery help', 'chancery help clients', 'chancery help keys encryption rotate'],
  run: async (call) => {
    await printHelp(
      Object.values(call.operands).filter((word) => word !== undefined),
      call,
    );
  },
});

/** All nouns, with those that are about all commands. */
export const ALL_NOUNS: readonly Noun[] = [
  ...NOUNS,
  {
    name: 'completion',
    summary: 'Print a script that completes commands in a shell',
    load: async () => {
      const { completionCommand } = await import('./completion.ts');
      return [completionCommand(() => ALL_NOUNS)];
    },
  },
  { name: 'help', summary: HELP.summary, load: async () => await Promise.resolve([HELP]) },
];

const ALIASES: Readonly<Record<string, string>> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-v': 'version',
};

/** Runs the command that `typed` names. Resolves with its exit code; a failure is one line on standard error. */
export async function dispatch(typed: readonly string[], surroundings: Surroundings): Promise<number> {
  const [first = 'help', ...others] = typed;
  const words = [ALIASES[first] ?? first, ...others];
  let name = 'chancery';
  let found: Command | undefined;
  try {
    found = await find(words);
    if (found === undefined || asksForHelp(words)) {
      await printHelp(words.slice(0, nameLength(words)), surroundings, found);
      return 0;
    }
    name = nameOf(found);
    const parameters = words.slice(found.words.length);
    const call = { ...surroundings, ...parseCall(found, parameters), parameters };
    if (!('server' in found.options)) return await found.run(call);
    const { refuseStrayOptions, serverOf } = await import('./remote/server-option.ts');
    const server = serverOf(call);
    if (server === undefined) {
      refuseStrayOptions(found, call);
      return await found.run(call);
    }
    const { runRemote } = await import('./remote/run-remote.ts');
    return await runRemote(found, server, call);
  } catch (failure) {
    const { lines, code } = explain(name, failure);
    for (const line of lines) surroundings.complain(line);
    // A pipeline must not take a wrong command line for a result.
    return code === 2 && found?.exits?.[2] !== undefined ? 1 : code;
  }
}

const nameOf = ({ words }: Command): string => `chancery ${words.join(' ')}`;

/**
 * Returns the command that the first words name; undefined for a group whose help is asked for. Throws CommandFailure for
 * an unknown command, and for a group without a command.
 */
async function find(words: readonly string[]): Promise<Command | undefined> {
  const { commands, noun } = await commandsOf(words);
  const found = commands.find((one) => one.words.every((word, index) => words[index] === word));
  if (found !== undefined) return found;
  const named = words.slice(0, nameLength(words));
  const inGroup = beginningWith(named, commands);
  if (inGroup.length === 0) throw unknownCommand(named, noun, commands);
  if (asksForHelp(words)) return undefined;
  const verbs = inGroup.map((one) => one.words.slice(named.length).join(' ')).join(', ');
  const group = named.join(' ');
  throw calledWrongly(`${group} needs a command: ${verbs} (chancery ${group} --help explains them)`);
}

async function commandsOf(
  words: readonly string[],
): Promise<{ readonly noun: Noun; readonly commands: readonly Command[] }> {
  const [first = ''] = words;
  const noun = ALL_NOUNS.find(({ name }) => name === first);
  if (noun !== undefined) return { noun, commands: await noun.load() };
  const names = ALL_NOUNS.map(({ name }) => name);
  const kind = first.startsWith('-') ? 'option' : 'command';
  throw calledWrongly(`unknown ${kind} ${JSON.stringify(first)}${hint(first, names, 'commands')}`);
}

/** Returns the nearest of the valid names, if one is near, and all of them. */
function hint(typed: string, names: readonly string[], title: string): string {
  const meant = suggestion(typed, names);
  const list = `${title}: ${names.join(', ')}`;
  return meant === '' ? `; ${list}` : `${meant} (${list})`;
}

/** Returns how many words stand before the first option. */
function nameLength(words: readonly string[]): number {
  const options = words.findIndex((word) => word.startsWith('-'));
  return options === -1 ? words.length : options;
}

function beginningWith(words: readonly string[], commands: readonly Command[]): readonly Command[] {
  return commands.filter((one) => words.every((word, index) => one.words[index] === word));
}

function unknownCommand(
  words: readonly string[],
  { name }: Noun,
  commands: readonly Command[],
): CommandFailure {
  const typed = words.join(' ');
  const names = commands.map((one) => one.words.join(' '));
  return calledWrongly(
    `unknown command ${JSON.stringify(typed)}${hint(typed, names, `commands of ${name}`)}`,
  );
}

/** Prints the help of a command or a group. Throws CommandFailure for words that name neither. */
async function printHelp(words: readonly string[], { print }: Surroundings, found?: Command): Promise<void> {
  for (const line of await helpOf(words, found)) print(line);
}

async function helpOf(words: readonly string[], found: Command | undefined): Promise<readonly string[]> {
  if (found !== undefined) return commandHelp(found);
  if (words.length === 0) return await overview(ALL_NOUNS);
  const { noun, commands } = await commandsOf(words);
  const named = commands.find((one) => one.words.join(' ') === words.join(' '));
  if (named !== undefined) return commandHelp(named);
  const inGroup = beginningWith(words, commands);
  if (inGroup.length === 0) throw unknownCommand(words, noun, commands);
  return groupHelp(words.join(' '), noun.summary, inGroup);
}
