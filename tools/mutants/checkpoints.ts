import type { Mutant } from './mutant.ts';

const KEEPER = 'src/storage/sqlite/log-keeper.ts';
const DECISIONS = 'src/storage/sqlite/log-keeper.test.ts';
const CHECKPOINTS = 'src/storage/sqlite/checkpoints.test.ts';

/** Faults of the thread that moves the log of SQLite beside the writes. */
export const CHECKPOINT_MUTANTS: readonly Mutant[] = [
  {
    name: 'checkpoint-error-ignored',
    fault:
      'After an fsync of the checkpoint thread that failed, the server appends to a log that may have a gap.',
    edits: [
      {
        file: KEEPER,
        find: 'if (isInputOutputError(error)) this.#inputOutputError = error;',
        replace: 'if (isInputOutputError(error)) this.#threadFailed = true;',
      },
    ],
    killers: [
      { file: DECISIONS, test: 'an input/output error of the thread is told once' },
      { file: CHECKPOINTS, test: 'after a checkpoint of the thread that failed with an input/output error' },
    ],
  },
  {
    name: 'checkpoint-error-acknowledged',
    fault: 'A write is acknowledged although an fsync of its log has failed on the checkpoint thread.',
    edits: [
      {
        file: 'src/storage/sqlite/write-batch.ts',
        find: 'if (meanwhile !== undefined) throw meanwhile;',
        replace: '',
      },
    ],
    killers: [
      { file: CHECKPOINTS, test: 'a write that is committed when the thread reports an input/output error' },
    ],
  },
  {
    name: 'checkpoint-waited-for',
    fault: 'Writes wait for each checkpoint of the thread.',
    edits: [{ file: KEEPER, find: 'if (log <= this.#limit) return;', replace: '' }],
    killers: [{ file: DECISIONS, test: 'while the thread moves a long log, commits go on' }],
  },
  {
    name: 'checkpoint-without-limit',
    fault: 'If the thread is too slow, the log grows until the disk is full.',
    edits: [{ file: KEEPER, find: 'if (log <= this.#limit) return;', replace: 'return;' }],
    killers: [{ file: DECISIONS, test: 'if the thread cannot keep up, the writer waits for it' }],
  },
  {
    name: 'checkpoint-log-cut-at-once',
    fault:
      'The commit that restarts the log after a backup gives hundreds of megabytes back, and all writes wait.',
    edits: [{ file: KEEPER, find: 'Math.max(LOG_FILE_BYTES, bytes - CUT_BYTES)', replace: 'LOG_FILE_BYTES' }],
    killers: [{ file: CHECKPOINTS, test: 'when the log restarts after a backup, its file is cut by 32 MiB' }],
  },
];
