import { suggestion } from '../spec/nearest.ts';
import { CommandFailure } from './command-failure.ts';
import { COMMANDS, type Command, type CommandContext } from './commands.ts';
import { runtimeRefusal } from './runtime.ts';

const context: CommandContext = {
  environment: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
};

/** What `--help` and its kin stand for. */
const ALIASES: Readonly<Record<string, string>> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-v': 'version',
};

async function dispatch(typed: readonly string[]): Promise<number> {
  const refusal = runtimeRefusal(process.versions);
  if (refusal !== undefined) {
    context.complain(refusal);
    return 1;
  }
  const words =
    typed.length === 0
      ? ['help']
      : typed.map((word, index) => (index === 0 ? (ALIASES[word] ?? word) : word));
  const command = COMMANDS.find((candidate) => candidate.words.every((word, index) => words[index] === word));
  if (command === undefined) {
    context.complain(unknownCommand(words));
    return 2;
  }
  const parameters = words.slice(command.words.length);
  if (parameters.includes('--help') || parameters.includes('-h')) {
    context.print(
      `chancery ${[...command.words, command.parameters].join(' ').trimEnd()}\n${command.summary}.`,
    );
    return 0;
  }
  return runCommand(command, parameters);
}

async function runCommand(command: Command, parameters: readonly string[]): Promise<number> {
  try {
    const { run } = await command.load();
    return await run(parameters, context);
  } catch (failure) {
    const { line, code } = explain(failure);
    context.complain(`chancery ${command.words.join(' ')}: ${line}`);
    return code;
  }
}

function unknownCommand(typed: readonly string[]): string {
  const names = COMMANDS.map(({ words }) => words.join(' '));
  const options = typed.findIndex((word) => word.startsWith('-'));
  const name = (options < 1 ? typed : typed.slice(0, options)).join(' ');
  const group = names.filter((candidate) => candidate.startsWith(`${name} `));
  const hint = group.length > 0 ? `; it takes one more word: ${group.join(', ')}` : suggestion(name, names);
  return `chancery: unknown command ${JSON.stringify(name)}${hint} (chancery help lists them)`;
}

const OPERATOR_ERRORS: ReadonlySet<string> = new Set([
  'SettingsError',
  'StorageUnavailable',
  'SealBroken',
  'TlsUnusable',
]);

/** What an operator can mend is one line; a defect of the program keeps its stack. */
function explain(failure: unknown): { line: string; code: number } {
  if (!(failure instanceof Error)) return { line: String(failure), code: 1 };
  if (failure instanceof CommandFailure) return { line: failure.message, code: failure.exitCode };
  const code = 'code' in failure ? String(failure.code) : '';
  if (code.startsWith('ERR_PARSE_ARGS')) return { line: failure.message.split('\n')[0] ?? '', code: 2 };
  const mendable = OPERATOR_ERRORS.has(failure.name) || 'syscall' in failure;
  return { line: mendable ? failure.message : (failure.stack ?? failure.message), code: 1 };
}

// `chancery config print | head`: a reader that stops early is no failure of ours.
process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
  if (failure.code !== 'EPIPE') throw failure;
});
process.exitCode = await dispatch(process.argv.slice(2));
