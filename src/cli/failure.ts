import type { SettingsProblem } from '../config/settings-error.ts';

/** A command that ends with lines for its caller, without a stack. */
export class CommandFailure extends Error {
  override readonly name: string = 'CommandFailure';
  /** 1: failed or refused; 2: called wrongly. */
  readonly exitCode: 1 | 2;

  constructor(line: string, exitCode: 1 | 2 = 1) {
    super(line);
    this.exitCode = exitCode;
  }
}

/** Settings that cannot be used. Each problem is a line that names its own source. */
export class SettingsUnusable extends CommandFailure {
  override readonly name = 'SettingsUnusable';
  readonly lines: readonly string[];
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[], line: (problem: SettingsProblem) => string) {
    const lines = problems.map(line);
    super(lines.join('\n'));
    this.lines = lines;
    this.problems = problems;
  }
}

/** Returns the failure of a command line that is wrong: exit code 2. */
export function calledWrongly(line: string): CommandFailure {
  return new CommandFailure(line, 2);
}

const OPERATOR_ERRORS: ReadonlySet<string> = new Set([
  'BackupRefused',
  'SettingsError',
  'StorageUnavailable',
  'SealBroken',
  'TlsUnusable',
  'ListenFailed',
]);

interface Explanation {
  readonly lines: readonly string[];
  readonly code: 1 | 2;
}

/**
 * Returns the lines and the exit code for a failure of the command `name`. A failure that an operator can mend is its
 * message. A defect of the program keeps its stack.
 */
export function explain(name: string, failure: unknown): Explanation {
  if (failure instanceof SettingsUnusable) return { lines: failure.lines, code: 1 };
  const prefixed = (text: string): readonly string[] => [`${name}: ${text}`];
  if (!(failure instanceof Error)) return { lines: prefixed(String(failure)), code: 1 };
  if (failure instanceof CommandFailure) return { lines: prefixed(failure.message), code: failure.exitCode };
  const mendable = OPERATOR_ERRORS.has(failure.name) || 'syscall' in failure;
  const text = mendable ? failure.message : (failure.stack ?? failure.message);
  const hasLines = !mendable || failure.name === 'SettingsError';
  const [first = '', ...more] = hasLines ? text.split('\n') : [text];
  return { lines: [...prefixed(first), ...more], code: 1 };
}
