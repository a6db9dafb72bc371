import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Change, ChangeJournal } from '../ports/change-journal.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';
import { sharedWait, shareWait } from './request-waits.ts';

export type FollowedJournal = Pick<ChangeJournal, 'head' | 'since'>;

export interface JournalFollower {
  /** Learns every change that was committed before the running callback of the event loop began. */
  catchUp(): Awaitable<void>;
  /**
   * Asks for a record that is not in memory. A remote store is asked together with the next reading of its journal, in one round
   * trip: what it answers then is newer than the call, so nothing has to be learnt first.
   */
  askBeside<T>(ask: () => Awaitable<T>): Awaitable<T>;
  /** Whether the journal has answered with a promise, so that each reading is a round trip. */
  isRemote(): boolean;
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
  let shared: SharedReads | undefined;

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

  const catchUp = (): Awaitable<void> => {
    if (current) return undefined;
    if (shared !== undefined) return shared.catchUp();
    if (!readThisTurn) return beginFirst();
    afterTurn ??= beginAfterTurn();
    return afterTurn;
  };
  return {
    catchUp,
    askBeside: (ask) => (shared === undefined ? whenKnown(catchUp(), ask) : shared.askBeside(ask)),
    isRemote: () => shared !== undefined,
    updates,
  };
}

type SharedReads = Pick<JournalFollower, 'catchUp' | 'askBeside'>;

/** A reading that has not begun. */
interface NextReading {
  readonly begins: Promise<void>;
  readonly ended: Promise<void>;
}

/**
 * Lets callers share reads of a remote journal, one at a time. Callers that come before the next read begins share it. It
 * begins at the end of the turn, so that a caller with several records needs one read, or when the read in progress ends. If
 * that read fails, the waiting callers share its failure, because they have waited for as long as the deadline allows.
 */
function sharedReads(read: (waited: boolean) => Awaitable<void>, first: Promise<void>): SharedReads {
  let inProgress: Promise<void> | undefined;
  let next: NextReading | undefined;

  const follow = (reading: Promise<void>): void => {
    const end = (): void => {
      inProgress = undefined;
    };
    inProgress = reading;
    reading.then(end, end);
  };
  const readAfter = async (begins: Promise<void>, waited: boolean): Promise<void> => {
    try {
      await begins;
    } finally {
      next = undefined;
    }
    const reading = Promise.resolve(read(waited));
    follow(reading);
    await reading;
  };
  const nextReading = (): NextReading => {
    const begins = inProgress ?? endOfTurn();
    const ended = readAfter(begins, inProgress !== undefined);
    // Perhaps all who wait ask beside it.
    ended.catch(() => undefined);
    return { begins, ended };
  };
  const joined = (): NextReading => {
    next ??= sharedWait(nextReading);
    return next;
  };

  follow(first);
  return {
    // The reading in progress and the next one may take a deadline each.
    catchUp: () => shareWait(joined().ended, inProgress !== undefined),
    // The reading was the first to wait for this moment, so its question is the first, too.
    askBeside: (ask) => shareWait(joined().begins, false).then(ask),
  };
}

interface JournalReader {
  /** @param waited whether callers have waited for it, so that a remote journal is asked without further delay */
  readonly read: (waited?: boolean) => Awaitable<void>;
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
    read: (waited = false) =>
      whenKnown(journal.head(waited), (head) => {
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
