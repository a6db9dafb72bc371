import type { Clock } from '../../ports/clock.ts';
import type { Streams } from '../../ports/streams.ts';
import { TooManyRequests } from '../../spec/errors.ts';
import { invalidToken } from '../../tokens/bearer-token.ts';
import type { AdminCall } from './operation.ts';

const RETRY_SECONDS = 5;

/** Returns a check that a long answer makes again and again: the server goes on, and the token of the caller is live. */
export function requirePermitted(
  { streams, clock }: { readonly streams: Streams; readonly clock: Clock },
  { caller: { expires_at, isLive } }: AdminCall,
): () => Promise<void> {
  return async () => {
    streams.stopping.throwIfAborted();
    const isExpired = expires_at !== undefined && clock.now() >= expires_at;
    if (isExpired || !(await isLive())) throw invalidToken();
  };
}

/** Takes a place among the streams of the process, and returns the function that leaves it. @throws TooManyRequests */
export function entered({ streams }: { readonly streams: Streams }, { caller }: AdminCall): () => void {
  const leave = streams.enter(caller.actor);
  if (leave === undefined) throw new TooManyRequests(RETRY_SECONDS);
  return leave;
}
