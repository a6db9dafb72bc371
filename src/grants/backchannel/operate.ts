import type { StoredBackchannelRequest } from '../../ports/backchannel-request-store.ts';
import { timeOrNever, timeText } from '../../spec/time-text.ts';
import { contentOf } from './backchannel-request.ts';

/** Describes a request without a browser to the operator. It has no secret: the client alone has the `auth_req_id`. */
export function operatedRequest(stored: StoredBackchannelRequest, now: number) {
  const { id, sub, client_id, created_at, expires_at, attempts, due_at, problem } = stored;
  const { mode, request } = contentOf(stored);
  const { scope, backchannel } = request;
  return {
    id,
    sub,
    client_id,
    state: stored.state === 'open' && expires_at <= now ? ('expired' as const) : stored.state,
    mode,
    scope,
    binding_message: backchannel.binding_message ?? null,
    address: backchannel.address,
    created_at: timeText(created_at),
    expires_at: timeText(expires_at),
    attempts,
    due_at: timeOrNever(due_at),
    problem,
  };
}
