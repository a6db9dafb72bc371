import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endedWithTests } from '../program/children.ts';
import { inheritedEnvironment } from '../program/inherited-environment.ts';

/** An example that has printed what its person needs. */
export interface PrintingExample {
  /** The groups of the expression that it waited for. */
  readonly shown: readonly string[];
  /** Resolves with everything that it printed, when it has ended. */
  readonly output: Promise<string>;
}

/** Starts an example, and waits for a line. Rejects with its output if it ends before. */
export async function startPrinting(words: readonly string[], line: RegExp): Promise<PrintingExample> {
  const child = endedWithTests(
    spawn(process.execPath, words, { env: inheritedEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  let output = '';
  const ended = once(child, 'close').then(() => output);
  const found = new Promise<RegExpExecArray>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const match = line.exec(output);
      if (match !== null) resolve(match);
    });
  });
  const [, ...shown] = await Promise.race([found, ended.then(() => assert.fail(output))]);
  return { shown, output: ended };
}
