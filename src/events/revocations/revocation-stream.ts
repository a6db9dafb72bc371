import type { Clock } from '../../ports/clock.ts';
import { type FeedEnd, REVOCATION_FEED_EVENT } from '../../spec/revocation-feed.ts';
import type { EventCursors } from '../event-cursor.ts';
import { endEvent, line, PATIENCE_MS } from '../server-sent-events.ts';
import { leaving } from '../streams.ts';
import type { FeedStart, FeedWord, RevocationFeed } from './revocation-feed.ts';

export interface RevocationStreamNeeds {
  readonly feed: RevocationFeed;
  readonly cursors: EventCursors;
  readonly clock: Clock;
}

export interface RevocationStreamRequest {
  /** The cursor of the reader; undefined for one that begins with the next change. */
  readonly cursor: string | undefined;
  /** Whether the reader may still read. */
  readonly isLive: () => Promise<boolean>;
  /** Is called once, when the stream ends. */
  readonly ended: (reason: FeedEnd | 'reader-left') => void;
}

/** Yields server-sent events (WHATWG HTML §9.2): JWTs with their cursor as `id`, and `end` with the reason of the end. */
export function revocationStream(
  { feed, cursors, clock }: RevocationStreamNeeds,
  { cursor, isLive, ended }: RevocationStreamRequest,
): AsyncIterable<string> {
  const gone = new AbortController();
  const start: FeedStart = cursor === undefined ? 'newest' : (cursors.sequenceOf(cursor) ?? 'lost');
  let reason: FeedEnd | 'reader-left' = 'reader-left';
  const rendered = (word: FeedWord): string => {
    if ('end' in word) {
      reason = word.end;
      return endEvent(word.end);
    }
    const id = line('id', cursors.textOf(word.until));
    return `${line('event', REVOCATION_FEED_EVENT)}${id}${line('data', word.jwt)}\n`;
  };
  async function* chunks(): AsyncGenerator<string> {
    yield `: follows the revocations\n${line('retry', '1000')}\n`;
    for await (const word of feed.follow(start, gone.signal)) {
      if (!('end' in word) && !(await isLive())) return yield rendered({ end: 'caller-changed' });
      const offered = clock.milliseconds();
      yield rendered(word);
      if (clock.milliseconds() - offered > PATIENCE_MS) return yield rendered({ end: 'slow-reader' });
    }
  }
  return leaving(chunks(), () => {
    gone.abort();
    ended(reason);
  });
}
