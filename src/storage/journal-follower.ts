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
 * requests that were pipelined meanwhile. A remote journal is known by its first answer (`sharedReadings`).
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
  let shared: (() => Promise<void>) | undefined;

  const endCallback = (): void => {
    current = false;
  };
  const begin = (): Awaitable<void> => {
    const reading = read();
    if (reading instanceof Promise) shared = sharedReadings(read, reading);
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
    // Comes next after what goes on with this reading, with nothing received between them.
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
    lessons,
  };
}

/**
 * One reading of a remote journal is under way at a time. Whoever comes before the next one begins shares it: it begins at
 * the end of the turn, so that one who asks for several records has one reading for all of them, or when the one under way
 * is answered. Where that one fails they share its failure, for they have waited as long as anybody may wait for an answer.
 */
function sharedReadings(read: () => Awaitable<void>, first: Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const follow = (reading: Promise<void>): void => {
    const end = (): void => {
      underWay = undefined;
    };
    underWay = reading;
    reading.then(end, end);
  };
  const beginNext = async (): Promise<void> => {
    try {
      await (underWay ?? endOfTurn());
    } finally {
      next = undefined;
    }
    const reading = Promise.resolve(read());
    follow(reading);
    await reading;
  };

  follow(first);
  return () => {
    next ??= beginNext();
    return next;
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
