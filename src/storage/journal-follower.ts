import type { Change, ChangeJournal } from '../ports/change-journal.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';

export interface JournalFollower {
  /** Learns of every change that was committed before this call, or before what this callback of the event loop is about. */
  catchUp(): Awaitable<void>;
  /** How often it learnt something. Only ever grows, whatever the journal's own numbers do. */
  lessons(): number;
}

/**
 * Reads the journal once in a callback of the event loop: every request that is served in it was received before it
 * began. Not once in a turn: a turn also brings the callbacks of a poll that came after the read (a timer's read), the
 * answers to own writes, and requests that were pipelined meanwhile.
 *
 * Where the journal is remote one read is under way at a time, and whoever comes meanwhile shares the next one.
 * @param learn is told the changes since it was told last; undefined: anything may have changed.
 */
export function followJournal(
  journal: ChangeJournal,
  learn: (changes: readonly Change[] | undefined) => void,
): JournalFollower {
  let known: number | undefined;
  let lessons = 0;
  let current = false;
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const moveTo = (head: number, changes: readonly Change[] | undefined): void => {
    lessons += 1;
    learn(changes);
    known = head;
  };
  const read = (): Awaitable<void> =>
    whenKnown(journal.head(), (head) => {
      if (head === known) return undefined;
      // A journal that went back is not the one that was followed: a database that was restored, for instance.
      if (known === undefined || head < known) return moveTo(head, undefined);
      const missed = head - known;
      return whenKnown(journal.since(known), (changes) =>
        moveTo(head, changes === undefined || changes.length < missed ? undefined : changes),
      );
    });
  const endCallback = (): void => {
    current = false;
  };
  const endRead = (): void => {
    if (next === undefined) underWay = undefined;
  };
  const begin = (): Awaitable<void> => {
    underWay = undefined;
    const reading = read();
    if (reading instanceof Promise) {
      underWay = reading;
      void reading.then(endRead, endRead);
      return reading;
    }
    current = true;
    queueMicrotask(endCallback);
    return undefined;
  };
  const beginNext = (): Awaitable<void> => {
    next = undefined;
    return begin();
  };

  return {
    catchUp() {
      if (current) return undefined;
      if (underWay === undefined) return begin();
      next ??= underWay.then(beginNext, beginNext);
      return next;
    },
    lessons: () => lessons,
  };
}
