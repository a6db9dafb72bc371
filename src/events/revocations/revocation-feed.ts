import type { Log } from '../../ports/log.ts';
import type { FeedEnd } from '../../spec/revocation-feed.ts';
import { type FeedPart, type FeedPartNeeds, type FeedParts, feedParts } from './feed-parts.ts';

export interface RevocationFeedNeeds extends FeedPartNeeds {
  /** Resolves after these seconds. */
  readonly sleep: (seconds: number) => Promise<void>;
  /** Seconds between two signs of life. */
  readonly heartbeat: number;
  /** Whether the tenant is served as it was when the feed was opened. */
  readonly isServed: () => Promise<boolean>;
  /** Ends every stream when the process stops. */
  readonly stopping: AbortSignal;
  readonly log: Pick<Log, 'warn'>;
}

/** A piece for a reader, a sign of life at the same place, or the end. */
export type FeedWord = FeedPart | { readonly end: FeedEnd };

/** Where a reader begins: after a place, at the newest change, or there too because its own place is lost. */
export type FeedStart = number | 'newest' | 'lost';

/**
 * The changes of a tenant for resource servers, under one of its names. All readers of a process share one look at the journal
 * and one signature. Without a reader it does nothing.
 */
export interface RevocationFeed {
  /** Yields the first place of a reader, then each piece after it, until `gone` is aborted. */
  follow(start: FeedStart, gone: AbortSignal): AsyncGenerator<FeedWord>;
}

/** Seconds between two looks at the journal: a revocation must be known within a second. */
const LOOK_SECONDS = 0.25;
/** Pieces that late readers still find ready. */
const RECENT = 32;

export function revocationFeed(needs: RevocationFeedNeeds): RevocationFeed {
  const parts = feedParts(needs);
  const looks = sharedLooks(needs, parts);
  let readers = 0;

  const first = async (start: FeedStart): Promise<FeedPart> => {
    const iat = needs.clock.now();
    const head = await needs.journal.head();
    if (start === 'lost' || (start !== 'newest' && start > head)) return await parts.reset(head);
    return await parts.nothingAfter(start === 'newest' ? head : start, { iat, head });
  };
  /** Returns a piece of its own for a reader that is behind the shared looks. */
  const behind = async (place: number): Promise<FeedPart | undefined> => {
    const position = looks.position();
    if (position === undefined || place >= position) return undefined;
    const iat = needs.clock.now();
    return await parts.changesAfter(place, { iat, head: await needs.journal.head() }, position);
  };
  async function* words(start: FeedStart, stop: AbortSignal): AsyncGenerator<FeedWord> {
    const begin = await first(start);
    yield begin;
    for (let place = begin.until; !stop.aborted; ) {
      // Before the look at what is ready, so that nothing is told in between.
      const coming = looks.next();
      const ready = looks.after(place) ?? (await behind(place));
      if (ready !== undefined) {
        yield ready;
        place = ready.until;
        continue;
      }
      const word = await unlessAborted(coming, stop);
      if (word !== undefined && 'end' in word) return yield word;
      // A sign of life. Any other piece is found by its place.
      if (word?.after === place && word.until === place) yield word;
    }
  }

  return {
    async *follow(start, gone) {
      readers += 1;
      if (readers === 1) looks.begin(() => readers > 0);
      try {
        yield* words(start, AbortSignal.any([needs.stopping, gone]));
        if (needs.stopping.aborted) yield { end: 'server-stops' };
      } catch (cause) {
        needs.log.warn({ cause }, 'a stream of revocations ends: the journal could not be read');
        yield { end: 'unavailable' };
      } finally {
        readers -= 1;
      }
    },
  };
}

/** Returns undefined once the signal is aborted. */
async function unlessAborted<T>(coming: Promise<T>, stop: AbortSignal): Promise<T | undefined> {
  if (stop.aborted) return undefined;
  const aborted = Promise.withResolvers<undefined>();
  const leave = (): void => aborted.resolve(undefined);
  stop.addEventListener('abort', leave);
  try {
    return await Promise.race([coming, aborted.promise]);
  } finally {
    stop.removeEventListener('abort', leave);
  }
}

/** The looks at the journal that all readers share. */
interface SharedLooks {
  /** Looks as long as there is a reader. */
  begin(isRead: () => boolean): void;
  /** Returns the place up to which was looked; undefined before the first look. */
  position(): number | undefined;
  /** Returns a recent piece that begins at this place. */
  after(place: number): FeedPart | undefined;
  /** Returns the next piece, sign of life or end. */
  next(): Promise<FeedWord>;
}

function sharedLooks(needs: RevocationFeedNeeds, parts: FeedParts): SharedLooks {
  const { clock, journal, log, heartbeat } = needs;
  const recent = new Map<number, FeedPart>();
  let position: number | undefined;
  let told = Promise.withResolvers<FeedWord>();
  let latest: Run | undefined;

  const tell = (word: FeedWord): void => {
    const { resolve } = told;
    told = Promise.withResolvers();
    resolve(word);
  };
  const keep = (part: FeedPart): void => {
    recent.set(part.after, part);
    const [oldest] = recent.keys();
    if (recent.size > RECENT && oldest !== undefined) recent.delete(oldest);
    position = part.until;
    tell(part);
  };
  const look = async (run: Run): Promise<void> => {
    const now = clock.now();
    const head = await journal.head();
    position ??= head;
    const isDue = now - run.lively >= heartbeat;
    if (now - run.checked >= heartbeat) {
      run.checked = now;
      if (!(await needs.isServed())) return tell({ end: 'tenant-changed' });
    }
    // The rows of a deleted tenant are gone, or the database is another one.
    if (head < position) return tell({ end: 'tenant-changed' });
    const newest = { iat: now, head };
    const part = head === position ? undefined : await parts.changesAfter(position, newest);
    if (part !== undefined) keep(part);
    else if (isDue) tell(await parts.nothingAfter(position, newest));
    if (part !== undefined || isDue) run.lively = now;
  };
  const looking = async (run: Run, isRead: () => boolean): Promise<void> => {
    const isCurrent = (): boolean => run === latest && isRead() && !needs.stopping.aborted;
    while (isCurrent()) {
      try {
        await look(run);
      } catch (cause) {
        log.warn({ cause }, 'the streams of revocations end: the journal could not be read');
        tell({ end: 'unavailable' });
      }
      await needs.sleep(LOOK_SECONDS);
    }
  };

  return {
    begin(isRead) {
      const run = { lively: clock.now(), checked: clock.now() };
      latest = run;
      recent.clear();
      position = undefined;
      void looking(run, isRead);
    },
    position: () => position,
    after: (place) => recent.get(place),
    next: () => told.promise,
  };
}

/** From the first reader to the last: when it told something last, and when it asked whether the tenant is served. */
interface Run {
  lively: number;
  checked: number;
}
