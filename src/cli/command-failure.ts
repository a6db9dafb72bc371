/** A command that ends with one line for whoever called it. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  /** 1: failed or refused; 2: called wrongly. */
  readonly exitCode: 1 | 2;

  constructor(line: string, exitCode: 1 | 2 = 1) {
    super(line);
    this.exitCode = exitCode;
  }
}

export function calledWrongly(line: string): CommandFailure {
  return new CommandFailure(line, 2);
}
