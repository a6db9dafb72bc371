import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Change, ChangeJournal } from '../ports/change-journal.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';

export interface JournalFollower {
  /** Learns of every change that was committed before the running callback of the event loop began. */
  catchUp(): Awaitable<void>;
  /** How often it learnt something. Only ever grows, whatever the journal's own numbers do. */
  lessons(): number;
}

/**
 * Reads an embedded journal at once for the first callback of a turn of the event loop, and once more after the turn for
 * all others of it: whatever is served was received before its reading. What a callback learnt is not handed on to the
 * next one of its turn: a turn also brings polls that come after a timer's reading, the answers to own writes, and
 * requests that were pipelined meanwhile.
 *
 * Of a remote journal one reading is under way at a time, and whoever comes meanwhile shares the next one; or the failure of
 * the one under way, for they have waited as long as anybody may wait for an answer.
 * @param learn is told the changes since it was told last; undefined: anything may have changed.
 */
export function followJournal(
  journal: ChangeJournal,
  learn: (changes: readonly Change[] | undefined) => void,
): JournalFollower {
  const { read, lessons } = journalReader(journal, learn);
  let current = false;
  let readThisTurn = false;
  let afterTurn: Promise<void> | undefined;
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const endCallback = (): void => {
    current = false;
  };
  const endRead = (): void => {
    if (next === undefined) underWay = undefined;
  };
  const begin = (): Awaitable<void> => {
    underWay = undefined;
    const reading = read();
    if (!(reading instanceof Promise)) {
      current = true;
      return undefined;
    }
    underWay = reading;
    void reading.then(endRead, endRead);
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
    // Comes next after what goes on with this reading, with nothing received between them.
    setImmediate(endCallback);
    await turn;
    afterTurn = undefined;
    await begin();
  };
  const beginNext = (): Awaitable<void> => {
    next = undefined;
    return beginFirst();
  };
  const failNext = (reason: unknown): never => {
    next = undefined;
    underWay = undefined;
    throw reason;
  };

  return {
    catchUp() {
      if (current) return undefined;
      if (underWay !== undefined) {
        next ??= underWay.then(beginNext, failNext);
        return next;
      }
      if (!readThisTurn) return beginFirst();
      afterTurn ??= beginAfterTurn();
      return afterTurn;
    },
    lessons,
  };
}

interface JournalReader {
  readonly read: () => Awaitable<void>;
  readonly lessons: () => number;
}

function journalReader(
  journal: ChangeJournal,
  learn: (changes: readonly Change[] | undefined) => void,
): JournalReader {
  let known: number | undefined;
  let lessons = 0;
  const moveTo = (head: number, changes: readonly Change[] | undefined): void => {
    lessons += 1;
    learn(changes);
    known = head;
  };
  return {
    read: () =>
      whenKnown(journal.head(), (head) => {
        if (head === known) return undefined;
        // A journal that went back is not the one that was followed: a database that was restored, for instance.
        if (known === undefined || head < known) return moveTo(head, undefined);
        const missed = head - known;
        return whenKnown(journal.since(known), (changes) =>
          moveTo(head, changes === undefined || changes.length < missed ? undefined : changes),
        );
      }),
    lessons: () => lessons,
  };
}
