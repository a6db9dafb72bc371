/** A change, as the feed has it (docs/operate/resource-servers.md). */
export type FeedEvent =
  | { readonly type: 'token-ended'; readonly ath: string; readonly exp?: number }
  | { readonly type: 'client-ended'; readonly client_id: string }
  | { readonly type: string };

/** A token, as far as its revocation matters. */
export interface CoveredToken {
  /** SHA-256 in base64url, of each text that the token can have. */
  readonly aths: readonly string[];
  readonly client_id: string;
  /** Seconds since the epoch; undefined if the token does not say. */
  readonly iat: number | undefined;
  /** The mark when the server was asked about the token last; undefined if it never was while the feed was followed. */
  readonly askedAt: number | undefined;
}

/**
 * The ends of tokens that the feed has told. It says of a token: it has ended, it is good, or the server must be asked, because
 * the token is older than what the feed has told.
 */
export interface Revocations {
  /** Learns a piece of the feed. @param iat the time of the piece */
  learn(events: readonly FeedEvent[], iat: number): void;
  /** Learns that changes before this time are lost, or that the feed begins. */
  reset(iat: number): void;
  /** Learns that one token has ended. */
  ended(ath: string, exp: number | undefined): void;
  stateOf(token: CoveredToken): 'good' | 'ended' | 'unknown';
  /** Returns what is known, for `askedAt`. Take it before the question. */
  mark(): number;
}

/** Clocks of two servers may differ by this much, so a token that is hardly younger than the feed counts as older. */
const SKEW_SECONDS = 60;

interface End {
  readonly mark: number;
  readonly iat: number;
}

/**
 * @param endsMax beyond this number of ends it forgets all of them, and the server is asked again about each older token
 * @param now seconds since the epoch
 */
export function openRevocations(endsMax: number, now: () => number): Revocations {
  const tokens = new Map<string, number>();
  const clients = new Map<string, End>();
  let begun: End = { mark: 1, iat: Infinity };
  let mark = 1;

  const reset = (iat: number): void => {
    mark += 1;
    begun = { mark, iat };
    clients.clear();
  };
  const makeRoom = (iat: number): void => {
    if (tokens.size + clients.size < endsMax) return;
    for (const [ath, exp] of tokens) if (exp < now() - SKEW_SECONDS) tokens.delete(ath);
    if (tokens.size + clients.size < endsMax) return;
    tokens.clear();
    reset(iat);
  };
  const isOlder = ({ iat, askedAt }: CoveredToken, end: End): boolean =>
    (askedAt === undefined || askedAt < end.mark) && (iat === undefined || iat <= end.iat + SKEW_SECONDS);
  const learnOne = (event: FeedEvent, iat: number): void => {
    makeRoom(iat);
    if (event.type === 'token-ended' && 'ath' in event) tokens.set(event.ath, event.exp ?? Infinity);
    if (event.type === 'client-ended' && 'client_id' in event) clients.set(event.client_id, { mark, iat });
  };

  return {
    learn(events, iat) {
      if (events.length > 0) mark += 1;
      for (const event of events) learnOne(event, iat);
    },
    reset,
    ended(ath, exp = Infinity) {
      makeRoom(now());
      tokens.set(ath, exp);
    },
    stateOf(token) {
      if (token.aths.some((ath) => tokens.has(ath))) return 'ended';
      if (isOlder(token, begun)) return 'unknown';
      const client = clients.get(token.client_id);
      return client !== undefined && isOlder(token, client) ? 'unknown' : 'good';
    },
    mark: () => mark,
  };
}
