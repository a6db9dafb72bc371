import type { Endpoint } from '../endpoints/contract.ts';
import type { Log } from '../ports/log.ts';
import type { EdgeReason } from '../spec/refusal-reasons.ts';
import type { ClientAddress } from './client-address.ts';
import type { Request } from './messages.ts';
import type { RequestHeaders } from './raw-headers.ts';
import { type FailureMembers, logFailure } from './refusal-log.ts';
import type { Segments } from './router.ts';

/** The name of the code between Node's parser and an endpoint, in the log and the counters. */
export const EDGE = 'edge';

/** The parts of a host that note refusals. */
export interface Noting {
  readonly log: Log;
  readonly observeRefusal: (name: string, reason: string) => void;
  readonly clientAddress: ClientAddress;
}

/** The parts of a request that a line of the log is about. */
export interface Noted {
  readonly request: Request;
  /** The path and query as they were sent. */
  readonly target: string;
  readonly id: string;
  readonly tenant: string | undefined;
}

/** A request that an endpoint refused. */
export interface RefusedRequest {
  readonly context: Noted;
  readonly endpoint: Endpoint;
  readonly segments: Segments;
  readonly headers: RequestHeaders;
  readonly body: Uint8Array;
}

/** Logs a refusal before any endpoint, with the network address (decision 46). */
export function noteEdgeRefusal(
  noting: Noting,
  context: Noted,
  status: number,
  reason: EdgeReason,
  detail: string = reason,
): void {
  const { fields } = context.request;
  const address = addressOf(noting, context.request, typeof fields === 'string' ? {} : fields);
  noting.log.info({ ...placeOf(context, EDGE, status), reason, detail, address }, 'refused');
}

/** Logs the failure of an endpoint with the client and the network address (decision 46), and counts a refusal. */
export function noteFailure(noting: Noting, refused: RefusedRequest, status: number, failure: unknown): void {
  const { context, endpoint, segments, headers, body } = refused;
  const { contract } = endpoint;
  const members = {
    ...placeOf(context, contract.name, status),
    address: addressOf(noting, context.request, headers),
  };
  const claiming = { contract, segment: segments['id'] ?? '', headers, query: queryOf(context.target), body };
  const reason = logFailure(noting.log, members, failure, claiming);
  if (reason !== undefined) noting.observeRefusal(contract.name, reason);
}

export const placeOf = ({ id, tenant }: Noted, endpoint: string, status: number): FailureMembers => ({
  endpoint,
  status,
  request_id: id,
  ...(tenant === undefined ? {} : { tenant }),
});

/** Returns the query of a target without its question mark. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}

/** Returns the address of the peer, or the address that a trusted proxy names. */
export const addressOf = (
  { clientAddress }: Pick<Noting, 'clientAddress'>,
  request: Request,
  headers: RequestHeaders,
): string => clientAddress(request.socket.remoteAddress ?? '', headers['x-forwarded-for']);
