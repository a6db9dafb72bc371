import type { Source } from './source.ts';

/** A sentence of docs/architecture.md that a program can check. */
export interface Law {
  readonly name: string;
  /** `program`: what runs. `all`: tests and what they use as well. */
  readonly over: 'program' | 'all';
  /** Returns what is wrong with a file, one sentence each; an empty list if nothing is. */
  readonly violations: (source: Source) => readonly string[];
  /** Made-up files that break the law, by path: each must be found. */
  readonly broken: readonly (readonly [path: string, text: string])[];
  /** Made-up files that look similar and keep it. */
  readonly kept: readonly (readonly [path: string, text: string])[];
}
