import type { Contract } from '../endpoints/contract.ts';
import type { Log } from '../ports/log.ts';
import { parseAuthorization } from '../spec/authorization-header.ts';
import { NotFound, OAuthError, TooManyRequests } from '../spec/errors.ts';
import { formDecode } from '../spec/percent-encoding.ts';
import type { RequestHeaders } from './raw-headers.ts';

/** The parts of a request that may name its client. */
export interface ClaimingRequest {
  readonly contract: Contract;
  readonly segment: string;
  readonly headers: RequestHeaders;
  readonly query: string;
  readonly body: Uint8Array;
}

/** Characters of a claimed identifier that the log shows. A log line of a stranger must stay short. */
const SHOWN_MAX = 100;
const BODY_CLIENT_ID = /(?:^|&)client_id=([^&]*)/u;
/** The payload of a client assertion. Longer parts are not decoded for a log line. */
const BODY_ASSERTION = /(?:^|&)client_assertion=[A-Za-z0-9_-]{1,2048}\.([A-Za-z0-9_-]{1,4096})\./u;

/**
 * Returns the client that a refused request claims to come from, or is about, for the log (decision 46). Nothing proves the
 * claim. The text has at most 100 characters and then `...`; other characters than printable ASCII are escaped.
 */
export function claimedClient(request: ClaimingRequest): string | undefined {
  const claimed = claimOf(request);
  return claimed === undefined || claimed === '' ? undefined : escaped(claimed);
}

function claimOf({ contract, segment, headers, query, body }: ClaimingRequest): string | undefined {
  const credentials = parseAuthorization(headers['authorization']);
  if (credentials.scheme === 'basic') return credentials.id;
  if (contract.path === '/clients/{id}') return decodedSegment(segment);
  const form = contract.body === 'form' ? Buffer.from(body).toString('latin1') : query;
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

/** Returns the `iss` of an assertion that is not verified. */
function issuerOf(payload: string | undefined): string | undefined {
  if (payload === undefined) return undefined;
  try {
    const { iss } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly iss?: unknown };
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}

function escaped(value: string): string {
  const shown = value.slice(0, SHOWN_MAX);
  const text = shown.replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return value.length > SHOWN_MAX ? `${text}...` : text;
}

/** Members of the log line, without the reason. */
export type FailureMembers = Readonly<Record<string, unknown>>;

/**
 * Logs a refusal as `refused`, and a fault of the server as `failed`.
 * @returns the reason of a refusal, from a closed list, for a counter; undefined for a fault
 */
export function logFailure(log: Log, members: FailureMembers, failure: unknown): string | undefined {
  if (failure instanceof OAuthError) {
    const { code, detail, error_description } = failure;
    log.info({ ...members, error: code, detail: detail ?? error_description }, 'refused');
    return code;
  }
  if (failure instanceof NotFound || failure instanceof TooManyRequests) {
    log.info({ ...members, detail: failure.message || 'not found' }, 'refused');
    return failure instanceof NotFound ? 'not_found' : 'too_many_requests';
  }
  log.error({ ...members, cause: failure }, 'failed');
  return undefined;
}
