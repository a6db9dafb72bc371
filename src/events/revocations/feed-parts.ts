import type { ChangeJournal } from '../../ports/change-journal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RevocationClaims } from '../../spec/revocation-feed.ts';
import type { EventCursors } from '../event-cursor.ts';
import { revocationEvent } from './revocation-event.ts';

export interface FeedPartNeeds {
  readonly issuer: string;
  readonly journal: Pick<ChangeJournal, 'head' | 'page'>;
  readonly cursors: EventCursors;
  readonly clock: Clock;
  readonly sign: (claims: RevocationClaims) => Promise<string>;
}

/** A signed piece of the feed: all changes from one place of the journal to another. */
export interface FeedPart {
  readonly after: number;
  readonly until: number;
  readonly jwt: string;
}

/** Makes the pieces of the feed. A time in a piece is read before the journal, so nothing committed before that time is missing. */
export interface FeedParts {
  /** Returns the changes after a place, as many as one piece has; undefined if there are none. Resets where rows were deleted. */
  changesAfter(place: number, newest: Newest, last?: number): Promise<FeedPart | undefined>;
  /** Returns a piece without changes. */
  nothingAfter(place: number, newest: Newest): Promise<FeedPart>;
  /** Says that the reader must forget everything, and go on at the newest change. */
  reset(place: number): Promise<FeedPart>;
}

/** The newest change, and a time before it was looked up. All changes before that time have at most that number. */
export interface Newest {
  readonly iat: number;
  readonly head: number;
}

/** Changes of one piece: it has about 25 KB. */
const PAGE = 200;

export function feedParts({ issuer, journal, cursors, clock, sign }: FeedPartNeeds): FeedParts {
  const part = async (
    after: number,
    until: number,
    { iat, head }: Newest,
    rest: Pick<RevocationClaims, 'events' | 'reset'>,
  ): Promise<FeedPart> => {
    const places = { after: cursors.textOf(after), cursor: cursors.textOf(until) };
    const more = until < head ? { more: true as const } : {};
    return { after, until, jwt: await sign({ iss: issuer, iat, ...places, ...more, ...rest }) };
  };
  const reset = async (place: number): Promise<FeedPart> => {
    const iat = clock.now();
    const head = await journal.head();
    return await part(place, head, { iat, head }, { reset: true, events: [] });
  };
  return {
    reset,
    nothingAfter: async (place, newest) => await part(place, place, newest, { events: [] }),
    async changesAfter(place, newest, last = Number.MAX_SAFE_INTEGER) {
      const rows = (await journal.page(place, PAGE)).filter(({ sequence }) => sequence <= last);
      const [first] = rows;
      const end = rows.at(-1);
      if (first === undefined || end === undefined) return undefined;
      if (first.sequence !== place + 1) return await reset(place);
      const events = rows.flatMap(({ change }) => revocationEvent(change) ?? []);
      return await part(place, end.sequence, newest, { events });
    },
  };
}
