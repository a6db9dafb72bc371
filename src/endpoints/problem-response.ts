import { STATUS_CODES } from 'node:http';
import { StorageUnavailable } from '../ports/storage.ts';
import { ERROR_WORDS } from '../spec/error-words.ts';
import { ERROR_CODES, isAboutProof, NotFound, OAuthError, TooManyRequests } from '../spec/errors.ts';
import { type Mistaken, PROBLEMS, Problem, type ProblemCode } from '../spec/problems.ts';
import { bearerChallenge, dpopChallenge } from '../spec/www-authenticate.ts';
import type { Contract, EndpointRequest, EndpointResponse } from './contract.ts';

const PROBLEM_TYPE = 'application/problem+json';

/** The members of problem details (RFC 9457 §3.1) that depend on the failure. */
interface Details {
  readonly status: number;
  /** Absent: the problem is no more than its status. */
  readonly code: string | undefined;
  readonly title: string;
  readonly detail: string;
  readonly errors?: readonly Mistaken[] | undefined;
  readonly challenge?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

/** Renders a failure as problem details (RFC 9457). A fault of the server tells its cause to the log only. */
export function problemResponse(
  contract: Refusing,
  { id }: Pick<EndpointRequest, 'id'>,
  failure: unknown,
): EndpointResponse {
  return rendered(id, detailsOf(contract, failure));
}

function rendered(
  id: string,
  { status, code, title, detail, errors, headers, challenge, retryAfter }: Details,
): EndpointResponse {
  return {
    status,
    headers: {
      'content-type': PROBLEM_TYPE,
      'cache-control': 'no-store',
      ...headers,
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: JSON.stringify({
      type: code === undefined ? 'about:blank' : `urn:chancery:problem:${code}`,
      title,
      status,
      detail,
      instance: `urn:chancery:request:${id}`,
      ...(errors === undefined ? {} : { errors }),
    }),
  };
}

/** The codes of problems that the edge finds, too. All others say no more than their status. */
const CODES: Readonly<Record<number, ProblemCode>> = { 404: 'not_found', 503: 'temporarily_unavailable' };

/** Renders a refusal before any endpoint. The type of a problem that is its status alone is `about:blank` (RFC 9457 §4.2.1). */
export function statusProblem(
  { id }: Pick<EndpointRequest, 'id'>,
  {
    status,
    detail = 'nothing is at this address',
    headers,
  }: { readonly status: number; readonly detail: string | undefined; readonly headers: Details['headers'] },
): EndpointResponse {
  const code = CODES[status];
  const title = code === undefined ? (STATUS_CODES[status] ?? '') : PROBLEMS[code].title;
  return rendered(id, { status, code, title, detail, headers });
}

/** An operator has to act: an earlier retry only costs. */
const STOPPED_RETRY_SECONDS = 60;

/** The part of a contract that its refusals take from. */
type Refusing = Pick<Contract, 'scope' | 'errorStatuses'>;

function detailsOf(contract: Refusing, failure: unknown): Details {
  if (failure instanceof Problem) return ofCode(failure.code, failure.detail, failure);
  if (failure instanceof OAuthError) return ofOAuth(contract, failure);
  if (failure instanceof NotFound)
    return ofCode('not_found', failure.message || 'nothing is at this address');
  if (failure instanceof TooManyRequests)
    return ofCode('too_many_requests', 'too many requests: retry later', {
      retryAfter: failure.retryAfterSeconds,
    });
  if (failure instanceof StorageUnavailable && failure.writesStopped)
    return ofCode('temporarily_unavailable', 'nothing can be stored now: retry later', {
      retryAfter: STOPPED_RETRY_SECONDS,
    });
  return ofCode('server_error', 'the log of the server has the cause, under the request in instance');
}

const ofCode = (
  code: ProblemCode,
  detail: string,
  { errors, headers, retryAfter }: Pick<Details, 'errors' | 'headers' | 'retryAfter'> = {},
): Details => ({ ...PROBLEMS[code], code, detail, errors, headers, retryAfter });

function ofOAuth({ scope, errorStatuses }: Refusing, failure: OAuthError): Details {
  const { code, error_description: detail, headers, retryAfter } = failure;
  const status = errorStatuses?.[code] ?? ERROR_CODES[code].status;
  return {
    status,
    code,
    title: ERROR_WORDS[code].means,
    detail,
    headers,
    retryAfter,
    challenge: failure.challenge ?? challengeOf(status, failure, scope),
  };
}

/** RFC 6750 §3: each 401 and 403 names the scope that the request needs. */
function challengeOf(
  status: number,
  { code, error_description }: OAuthError,
  scope: string | undefined,
): string | undefined {
  if (status !== 401 && status !== 403) return undefined;
  if (isAboutProof(code)) return dpopChallenge({ error: code, error_description });
  return bearerChallenge({ error: code, error_description, ...(scope === undefined ? {} : { scope }) });
}
