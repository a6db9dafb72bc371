import type { TestContext } from 'node:test';
import { test as register } from 'node:test';
import { DOCUMENTED_MESSAGES, type Messages } from '../http/messages.ts';
import { INTERNAL_MESSAGES } from '../http/node-internals.ts';

/** The messages that rely on Node's internals, and the documented fallback. */
export const MESSAGES: ReadonlyMap<string, Messages> = new Map([
  ['internal messages', INTERNAL_MESSAGES],
  ['documented messages', DOCUMENTED_MESSAGES],
]);

/** Registers the test once for each of `MESSAGES`. */
export function test(name: string, run: (t: TestContext, messages: Messages) => Promise<void>): void {
  for (const [label, messages] of MESSAGES) register(`${name} [${label}]`, (t) => run(t, messages));
}
