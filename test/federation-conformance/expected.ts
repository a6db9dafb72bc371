import type { Outcome } from './run.ts';

interface Expectation {
  readonly result: Outcome['result'];
  readonly why: string;
}

/** Results of Chancery that are not `pass`, by the condition. A condition that passes must not be here. */
export const EXPECTED: ReadonlyMap<string, Expectation> = new Map([
  [
    'answer-jwks',
    { result: 'not supported', why: 'jwks is optional in an answer, and this server leaves it out' },
  ],
  ['request-seventh-hint', { result: 'not supported', why: '`federation.hints` is 5 by default' }],
] as const);
