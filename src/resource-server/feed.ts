import { parseJwt } from './jws.ts';
import type { KeySet } from './key-set.ts';
import type { FeedEvent, Revocations } from './revocations.ts';

export interface FeedNeeds {
  readonly issuer: string;
  readonly keys: KeySet;
  readonly revocations: Revocations;
  /** Opens the stream. @param cursor the place after which it goes on */
  readonly open: (cursor: string | undefined, signal: AbortSignal) => Promise<Response>;
  /** Seconds of silence after which a stream counts as cut. */
  readonly staleness: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds that never go back. */
  readonly elapsed: () => number;
  readonly report: (problem: string) => void;
}

/** The stream of revocations. */
export interface Feed {
  /** Whether every revocation is known that is older than the time that a piece takes to come. */
  isLive(): boolean;
  /** Seconds since which nothing is known for sure; Infinity before the first piece. */
  age(): number;
  close(): void;
}

const TYPE = 'revocation-feed+jwt';
/** A piece has about 35 KB. */
const BLOCK_MAX = 1_000_000;
/** The clocks of this machine and of the server. */
const CLOCKS_MS_MAX = 60_000;
const DRIFT = 0.01;
const RETRY_MS_MIN = 200;
const RETRY_MS_MAX = 5_000;
/** The server refuses the credentials, or has no feed: an operator has to act. */
const REFUSED_RETRY_MS = 30_000;

export function followFeed(needs: FeedNeeds): Feed {
  const { elapsed, staleness } = needs;
  const closed = new AbortController();
  const state: FeedState = { cursor: undefined, isOpen: false, lastWord: -Infinity };
  const take = pieceTaker(needs, state);
  const once = async (): Promise<unknown> => {
    try {
      return await readOnce(needs, { cursor: state.cursor, take, closed: closed.signal });
    } catch (failure) {
      return failure;
    } finally {
      state.isOpen = false;
    }
  };
  void (async () => {
    for (let delay = RETRY_MS_MIN; !closed.signal.aborted; ) {
      const before = state.lastWord;
      const failure = await once();
      if (closed.signal.aborted) return;
      needs.report(failure instanceof Error ? failure.message : String(failure));
      delay = state.lastWord > before ? RETRY_MS_MIN : Math.min(delay * 2, RETRY_MS_MAX);
      const isRefused = failure instanceof Refused && failure.status < 500 && failure.status !== 429;
      await pause(isRefused ? REFUSED_RETRY_MS : delay * (0.5 + Math.random() / 2), closed.signal);
    }
  })();

  const age = (): number => elapsed() - state.lastWord;
  return {
    isLive: () => state.isOpen && age() <= staleness * 1000,
    age: () => age() / 1000,
    close: () => closed.abort(),
  };
}

interface FeedState {
  /** The place up to which everything is known. */
  cursor: string | undefined;
  isOpen: boolean;
  /** Everything that ended before this time is known, in milliseconds of `elapsed`. */
  lastWord: number;
}

/** Returns what verifies and learns one piece. It throws for one that cannot be believed. */
function pieceTaker(
  { issuer, keys, revocations, now, elapsed }: FeedNeeds,
  state: FeedState,
): (data: string) => Promise<void> {
  const delayOf = heldBack(elapsed);
  return async (data) => {
    const jwt = parseJwt(data);
    if (jwt?.header['typ'] !== TYPE || jwt.claims['iss'] !== issuer || (await keys.verify(jwt)) === undefined)
      throw new Error('a piece of the feed is not genuine');
    const { after, cursor, iat, events, reset, more } = jwt.claims as unknown as Claims;
    if (typeof cursor !== 'string' || typeof iat !== 'number' || !Array.isArray(events))
      throw new Error('a piece of the feed has another form');
    if (Math.abs(now() - iat * 1000) > CLOCKS_MS_MAX)
      throw new Error('the time of a piece of the feed is more than a minute away');
    if (reset === true || state.cursor === undefined) revocations.reset(iat);
    else if (after !== state.cursor) throw new Error('a piece of the feed is missing');
    learnKeys(keys, events);
    revocations.learn(events, iat);
    state.cursor = cursor;
    // Changes before this time are still to come, so this piece says nothing about what is good.
    if (more === true) return;
    state.lastWord = elapsed() - delayOf(iat);
    state.isOpen = true;
  };
}

/** Reads one stream to its end, which it throws. */
async function readOnce(
  { open, staleness }: FeedNeeds,
  {
    cursor,
    take,
    closed,
  }: {
    readonly cursor: string | undefined;
    readonly take: (data: string) => Promise<void>;
    readonly closed: AbortSignal;
  },
): Promise<never> {
  const gone = new AbortController();
  const abort = (): void => gone.abort(new Error('the stream says nothing'));
  closed.addEventListener('abort', abort);
  // A stream that says nothing is cut, whatever the connection looks like.
  let silence = setTimeout(abort, staleness * 1000);
  try {
    const answer = await open(cursor, gone.signal);
    if (answer.status !== 200) {
      void answer.body?.cancel();
      throw new Refused(answer.status);
    }
    for await (const { event, data } of blocksOf(answer)) {
      if (event === 'end') throw new Error(`the server ends the stream: ${data}`);
      if (data !== '') await take(data);
      clearTimeout(silence);
      silence = setTimeout(abort, staleness * 1000);
    }
    throw new Error('the stream has ended');
  } finally {
    clearTimeout(silence);
    gone.abort();
    closed.removeEventListener('abort', abort);
  }
}

/** Returns by how many milliseconds a piece came later than the fastest one: a proxy may have held it back. */
function heldBack(elapsed: () => number): (iat: number) => number {
  let least = Infinity;
  let at = elapsed();
  return (iat) => {
    const here = elapsed();
    const offset = here - iat * 1000;
    // The clock of the server may have been set back: after a while the new difference counts.
    least = Math.min(offset, least + (here - at) * DRIFT);
    at = here;
    // The times of the server are whole seconds.
    return Math.max(0, offset - least - 1000);
  };
}

interface Claims {
  readonly after: unknown;
  readonly cursor: unknown;
  readonly iat: unknown;
  readonly events: readonly FeedEvent[];
  readonly reset?: unknown;
  readonly more?: unknown;
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the server answers ${status} to a reader of its revocations`);
    this.status = status;
  }
}

function learnKeys(keys: KeySet, events: readonly FeedEvent[]): void {
  for (const event of events)
    if (event.type === 'keys-changed')
      keys.changed('revoked' in event && typeof event.revoked === 'string' ? event.revoked : undefined);
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    timer.unref();
    signal.addEventListener('abort', end);
  });
}

/** Reads server-sent events (WHATWG HTML §9.2.6). */
async function* blocksOf({
  body,
}: Response): AsyncGenerator<{ readonly event: string; readonly data: string }> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    if (text.length > BLOCK_MAX) throw new Error('a piece of the feed is too long');
    for (const block of blocks) yield { event: fieldOf(block, 'event'), data: fieldOf(block, 'data') };
  }
}

const fieldOf = (block: string, name: string): string =>
  block
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2) ?? '';
