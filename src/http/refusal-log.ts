import type { Contract } from '../endpoints/contract.ts';
import { AuthorizationError } from '../grants/authorization/authorization-request.ts';
import type { Log } from '../ports/log.ts';
import { parseAuthorization } from '../spec/authorization-header.ts';
import { NotFound, OAuthError, type RefusalNotes, TooManyRequests } from '../spec/errors.ts';
import { formDecode } from '../spec/percent-encoding.ts';
import { Problem } from '../spec/problems.ts';
import type { RefusalReason } from '../spec/refusal-reasons.ts';
import { shownText } from '../spec/shown-text.ts';
import type { RequestHeaders } from './raw-headers.ts';

/** The parts of a request that may name its client. */
export interface ClaimingRequest {
  readonly contract: Contract;
  readonly segment: string;
  readonly headers: RequestHeaders;
  readonly query: string;
  readonly body: Uint8Array;
}

/** Characters that the log shows. A log line of a stranger must stay short. */
const SHOWN_MAX = { client: 100, value: 200, detail: 500 } as const;
/** Values that one line shows. */
const VALUES_MAX = 6;

const BODY_CLIENT_ID = /(?:^|&)client_id=([^&]*)/u;
/** The payload of a client assertion. Longer parts are not decoded for a log line. */
const BODY_ASSERTION = /(?:^|&)client_assertion=[A-Za-z0-9_-]{1,2048}\.([A-Za-z0-9_-]{1,4096})\./u;
const CLIENT_PATHS: ReadonlySet<string> = new Set(['/clients/{id}', '/register/{id}']);
/** The payload of an entity statement, also of the first one in a trust chain. */
const BODY_STATEMENT = /^(?:\s*\[\s*")?[A-Za-z0-9_-]{1,2048}\.([A-Za-z0-9_-]{1,65536})\./u;

/**
 * Returns the client that a refused request claims to come from, or is about, for the log (decision 46). Nothing proves the
 * claim.
 */
function claimOf({ contract, segment, headers, query, body }: ClaimingRequest): string | undefined {
  const credentials = parseAuthorization(headers['authorization']);
  if (credentials.scheme === 'basic') return credentials.id;
  if (CLIENT_PATHS.has(contract.path)) return decodedSegment(segment);
  const text = contract.body === 'none' ? query : Buffer.from(body).toString('latin1');
  if (contract.body === 'statement') return issuerOf(BODY_STATEMENT.exec(text)?.[1]);
  const form = contract.body === 'form' ? text : query;
  const client_id = BODY_CLIENT_ID.exec(form)?.[1];
  if (client_id !== undefined) return formDecode(client_id) ?? client_id;
  return issuerOf(BODY_ASSERTION.exec(form)?.[1]);
}

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the `iss` of a JWT that is not verified. */
function issuerOf(payload: string | undefined): string | undefined {
  if (payload === undefined) return undefined;
  try {
    const { iss } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly iss?: unknown };
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}

/** Members of the log line, without the reason. */
export type FailureMembers = Readonly<Record<string, unknown>>;

/** The members of a line about a refusal. */
interface RefusalMembers {
  readonly error?: string;
  readonly reason: RefusalReason;
  readonly detail: string;
  readonly client?: string;
  readonly tried?: string;
  readonly registered?: string;
  readonly value?: Readonly<Record<string, string>>;
}

/**
 * Returns what the log says about a refusal, whichever endpoint refuses, and its reason for a counter, from a closed list.
 * Returns undefined for a fault of the server. Texts that strangers choose are shortened and escaped.
 */
function refusalMembers(
  failure: unknown,
  request?: ClaimingRequest,
): { readonly members: RefusalMembers; readonly counted: string } | undefined {
  const told = toldBy(failure);
  if (told === undefined) return undefined;
  const { counted, error, detail, notes } = told;
  const client = notes.client ?? (request === undefined ? undefined : claimOf(request));
  const members: RefusalMembers = {
    ...(error === undefined ? {} : { error }),
    reason: notes.reason ?? told.reason,
    detail: shownText(detail, SHOWN_MAX.detail),
    ...(client === undefined || client === '' ? {} : { client: shownText(client, SHOWN_MAX.client) }),
    ...(notes.tried === undefined ? {} : { tried: notes.tried }),
    ...(notes.registered === undefined ? {} : { registered: notes.registered }),
    ...valueOf(notes),
  };
  return { members, counted };
}

interface Told {
  /** From a closed list. */
  readonly counted: string;
  readonly error?: string;
  readonly reason: RefusalReason;
  readonly detail: string;
  readonly notes: RefusalNotes;
}

function toldBy(failure: unknown): Told | undefined {
  if (failure instanceof OAuthError || failure instanceof AuthorizationError) {
    const { code, error_description, notes } = failure;
    return { counted: code, error: code, reason: code, detail: notes.detail ?? error_description, notes };
  }
  if (failure instanceof NotFound) {
    const detail = failure.message || 'not found';
    return { counted: 'not_found', reason: 'not_found', detail, notes: {} };
  }
  if (failure instanceof Problem) {
    const { code, detail, notes } = failure;
    return { counted: code, error: code, reason: code, detail, notes };
  }
  if (!(failure instanceof TooManyRequests)) return undefined;
  const { limit, message: detail } = failure;
  const notes = limit === undefined ? {} : { values: { limit } };
  return { counted: 'too_many_requests', reason: 'too_many_requests', detail, notes };
}

function valueOf({ values = {} }: RefusalNotes): Pick<RefusalMembers, 'value'> {
  const found = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, shownText(textOf(value), SHOWN_MAX.value)] as const],
  );
  return found.length === 0 ? {} : { value: Object.fromEntries(found.slice(0, VALUES_MAX)) };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Logs a refusal as `refused`, and a fault of the server as `failed`.
 * @returns the reason of a refusal, from a closed list, for a counter; undefined for a fault
 */
export function logFailure(
  log: Log,
  members: FailureMembers,
  failure: unknown,
  request?: ClaimingRequest,
): string | undefined {
  const refusal = refusalMembers(failure, request);
  if (refusal === undefined) log.error({ ...members, cause: failure }, 'failed');
  else log.info({ ...members, ...refusal.members }, 'refused');
  return refusal?.counted;
}
