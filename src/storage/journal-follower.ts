import type { Change, ChangeJournal } from '../ports/change-journal.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';

export interface JournalFollower {
  /** Learns of every change that was committed before this turn of the event loop. */
  catchUp(): Awaitable<void>;
  /** The number of the last change it learnt of. */
  position(): number | undefined;
}

/**
 * Reads the journal once in a turn of the event loop, for all requests of that turn: they had begun to arrive when the
 * turn began, so none gets an answer that is older than itself.
 * @param learn is told the changes since it was told last; undefined: anything may have changed.
 */
export function followJournal(
  journal: ChangeJournal,
  learn: (changes: readonly Change[] | undefined) => void,
): JournalFollower {
  let known: number | undefined;
  let turn: { readonly read: Awaitable<void> } | undefined;
  const endTurn = (): void => {
    turn = undefined;
  };
  const moveTo = (head: number, changes: readonly Change[] | undefined): void => {
    learn(changes);
    known = head;
  };
  const read = (): Awaitable<void> =>
    whenKnown(journal.head(), (head) => {
      if (head === known) return undefined;
      if (known === undefined) return moveTo(head, undefined);
      return whenKnown(journal.since(known), (changes) => moveTo(head, changes));
    });
  return {
    catchUp() {
      if (turn === undefined) {
        turn = { read: read() };
        setImmediate(endTurn);
      }
      return turn.read;
    },
    position: () => known,
  };
}
