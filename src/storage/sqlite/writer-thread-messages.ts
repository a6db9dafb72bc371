import type { Answer, Write } from '../write.ts';

export interface WriterThreadData {
  readonly path: string;
}

export interface WriterRequest {
  readonly id: number;
  /** On the clock of `monotonicMilliseconds`: until then a lock held by another process is waited for. */
  readonly deadline_ms: number;
  readonly writes: readonly Write[] | 'close';
}

export type WriterReply =
  | { readonly id: number; readonly answers: readonly Answer[] }
  | { readonly id: number; readonly failure: string };
