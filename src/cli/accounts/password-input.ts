import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure } from '../command-failure.ts';
import { readLines } from '../command-input.ts';
import type { CommandContext } from '../commands.ts';

/** More bytes than any password has. */
const LINE_BYTES_MAX = 4096;

/**
 * A new password: the first line of standard input where `fromStdin`, otherwise typed twice at the terminal, unseen. Never an
 * argument: the list of processes and the shell's history would show it.
 */
export async function readNewPassword(fromStdin: boolean, context: CommandContext): Promise<string> {
  if (fromStdin) return await firstLine();
  if (!process.stdin.isTTY) throw new CommandFailure('there is no terminal to ask at: use --password-stdin');
  const [password, again] = await typedTwice(context);
  if (password === again) return password;
  throw new CommandFailure('the two passwords are not the same');
}

async function firstLine(): Promise<string> {
  for await (const line of readLines('-', LINE_BYTES_MAX)) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line).replace(/\r$/, '');
    } catch {
      throw new CommandFailure('the password on standard input is not UTF-8');
    }
  }
  throw new CommandFailure('standard input holds no password');
}

async function typedTwice({ complain }: CommandContext): Promise<readonly [string, string]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    complain('Password:');
    const password = await terminal.question('');
    complain('The same password again:');
    return [password, await terminal.question('')];
  } finally {
    terminal.close();
  }
}
