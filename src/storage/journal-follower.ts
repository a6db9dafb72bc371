import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Change, ChangeJournal } from '../ports/change-journal.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';
import { sharedWait, waitOfRequest } from './request-waits.ts';

export type FollowedJournal = Pick<ChangeJournal, 'head' | 'since'>;

export interface JournalFollower {
  /** Learns every change that was committed before the running callback of the event loop began. */
  catchUp(): Awaitable<void>;
  /** Counts the times that it learned something. The count never falls, even if the journal's numbers do. */
  updates(): number;
}

/** Learns how many changes a reading caught up on, and whether they were too many to learn one by one. */
export type CatchUpReport = (changes: number, reset: boolean) => void;

/**
 * Follows the journal, so that each answer reflects every change committed before its request arrived. It reads an embedded
 * journal at once for the first callback of an event-loop turn, and again at the end of the turn for all other callbacks.
 * Callbacks of one turn cannot share a read: the turn may poll after a timer's read, deliver the results of own writes, or
 * handle pipelined requests. A journal that answers with a promise is remote (`sharedReads`).
 * @param learn receives the changes since the last call; undefined if anything may have changed
 */
export function followJournal(
  journal: FollowedJournal,
  learn: (changes: readonly Change[] | undefined) => void,
  told: CatchUpReport = () => undefined,
): JournalFollower {
  const { read, updates } = journalReader(journal, learn, told);
  let current = false;
  let readThisTurn = false;
  let afterTurn: Promise<void> | undefined;
  let shared: (() => Promise<void>) | undefined;

  const endCallback = (): void => {
    current = false;
  };
  const begin = (): Awaitable<void> => {
    const reading = read();
    if (reading instanceof Promise) shared = sharedReads(read, reading);
    else current = true;
    return reading;
  };
  const beginFirst = (): Awaitable<void> => {
    const reading = begin();
    if (reading !== undefined) return reading;
    queueMicrotask(endCallback);
    readThisTurn = true;
    setImmediate(() => {
      readThisTurn = false;
    });
    return undefined;
  };
  const beginAfterTurn = async (): Promise<void> => {
    const turn = endOfTurn();
    // Runs right after the callers of this read, before any new request is received.
    setImmediate(endCallback);
    await turn;
    afterTurn = undefined;
    await begin();
  };

  return {
    catchUp() {
      if (current) return undefined;
      if (shared !== undefined) return shared();
      if (!readThisTurn) return beginFirst();
      afterTurn ??= beginAfterTurn();
      return afterTurn;
    },
    updates,
  };
}

/**
 * Lets callers share reads of a remote journal, one at a time. Callers that come before the next read begins share it. It
 * begins at the end of the turn, so that a caller with several records needs one read, or when the read in progress ends. If
 * that read fails, the waiting callers share its failure, because they have waited for as long as the deadline allows.
 */
function sharedReads(read: () => Awaitable<void>, first: Promise<void>): () => Promise<void> {
  let inProgress: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let begun = 0;

  const follow = (reading: Promise<void>): void => {
    const end = (): void => {
      inProgress = undefined;
    };
    inProgress = reading;
    begun = performance.now();
    reading.then(end, end);
  };
  const beginNext = async (): Promise<void> => {
    try {
      await (inProgress ?? endOfTurn());
    } finally {
      next = undefined;
    }
    const reading = Promise.resolve(read());
    follow(reading);
    await reading;
  };

  follow(first);
  return () =>
    waitOfRequest(
      () => {
        next ??= sharedWait(beginNext);
        return next;
      },
      inProgress !== undefined && performance.now() - begun > SLOW_MS,
    );
}

/** A read in progress for longer may take its whole deadline, and the next one another. */
const SLOW_MS = 100;

interface JournalReader {
  readonly read: () => Awaitable<void>;
  readonly updates: () => number;
}

function journalReader(
  journal: FollowedJournal,
  learn: (changes: readonly Change[] | undefined) => void,
  told: CatchUpReport,
): JournalReader {
  let known: number | undefined;
  let updates = 0;
  const moveTo = (head: number, changes: readonly Change[] | undefined): void => {
    updates += 1;
    if (known !== undefined) told(head - known, changes === undefined);
    learn(changes);
    known = head;
  };
  return {
    read: () =>
      whenKnown(journal.head(), (head) => {
        if (head === known) return undefined;
        // A head that went back belongs to another journal, for example after a restoration.
        if (known === undefined || head < known) return moveTo(head, undefined);
        const missed = head - known;
        return whenKnown(journal.since(known), (changes) =>
          moveTo(head, changes === undefined || changes.length < missed ? undefined : changes),
        );
      }),
    updates: () => updates,
  };
}
