import { StorageUnavailable } from '../ports/storage.ts';
import { ERROR_CODES, isAboutProof, NotFound, OAuthError, TooManyRequests } from '../spec/errors.ts';
import { bearerChallenge, dpopChallenge } from '../spec/www-authenticate.ts';
import type { Contract, Endpoint, EndpointRequest, EndpointResponse, Failure } from './contract.ts';
import { problemResponse } from './problem-response.ts';

/** Receives every failure of a request. The error holds the text for the log. */
export type Report = (failure: unknown) => void;

/** Headers of every response that may hold a secret (RFC 6749 §5.1). */
export const UNCACHED = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** Lets an endpoint handle a request, and renders its errors. No other code renders errors. */
export function answer(
  endpoint: Endpoint,
  request: EndpointRequest,
  report: Report,
): EndpointResponse | Promise<EndpointResponse> {
  const failed = (failure: unknown): EndpointResponse => {
    report(failure);
    return endpoint.errorPage === undefined
      ? renderError(endpoint.contract, request, failure)
      : endpoint.errorPage(request, failureOf(endpoint.contract, failure));
  };
  try {
    const response = endpoint.handle(request);
    return response instanceof Promise ? response.catch(failed) : response;
  } catch (failure) {
    return failed(failure);
  }
}

function renderError(contract: Contract, request: EndpointRequest, failure: unknown): EndpointResponse {
  if (contract.errors === 'problem') return problemResponse(contract, request, failure);
  if (failure instanceof NotFound) return { status: 404, headers: UNCACHED };
  if (failure instanceof TooManyRequests) return tooManyRequests(failure);
  if (areWritesStopped(failure)) return WRITES_STOPPED;
  if (!(failure instanceof OAuthError)) return { status: 500, headers: UNCACHED };
  const { code, error_description, retryAfter, members, headers } = failure;
  const challenge = failure.challenge ?? challengeOf(contract, failure);
  return {
    status: contract.errorStatuses?.[code] ?? ERROR_CODES[code].status,
    headers: {
      'content-type': 'application/json',
      ...UNCACHED,
      ...headers,
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: JSON.stringify({ error: code, error_description, ...members }),
  };
}

/** Returns what the error page says. The cause of an internal error stays in the log. */
function failureOf(contract: Contract, failure: unknown): Failure {
  if (failure instanceof NotFound) return { status: 404, error: 'not_found', words: failure.message };
  if (failure instanceof TooManyRequests)
    return {
      status: 429,
      error: 'temporarily_unavailable',
      words: failure.message,
      retryAfter: failure.retryAfterSeconds,
    };
  if (areWritesStopped(failure))
    return {
      status: 503,
      error: 'temporarily_unavailable',
      words: 'nothing can be stored now',
      retryAfter: STOPPED_RETRY_SECONDS,
    };
  if (!(failure instanceof OAuthError)) return { status: 500, error: 'server_error', words: 'see the log' };
  const { code, error_description, detail, retryAfter } = failure;
  const status = contract.errorStatuses?.[code] ?? ERROR_CODES[code].status;
  return {
    status,
    error: code,
    words: detail === undefined ? error_description : `${error_description}: ${detail}`,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

/** An operator has to act: an earlier retry only costs. */
const STOPPED_RETRY_SECONDS = 60;

/** Whether the storage refused a write before it tried it, because it takes none at all. */
const areWritesStopped = (failure: unknown): boolean =>
  failure instanceof StorageUnavailable && failure.writesStopped;

const WRITES_STOPPED: EndpointResponse = {
  status: 503,
  headers: {
    'content-type': 'application/json',
    ...UNCACHED,
    'retry-after': String(STOPPED_RETRY_SECONDS),
  },
  body: JSON.stringify({
    error: 'temporarily_unavailable',
    error_description: 'nothing can be stored now: retry later',
  }),
};

/** Renders an exceeded limit as 429 with the registered code `temporarily_unavailable` (RFC 6749 §4.1.2.1). */
function tooManyRequests({ retryAfterSeconds }: TooManyRequests): EndpointResponse {
  return {
    status: 429,
    headers: { 'content-type': 'application/json', ...UNCACHED, 'retry-after': String(retryAfterSeconds) },
    body: JSON.stringify({
      error: 'temporarily_unavailable',
      error_description: 'too many requests: retry later',
    }),
  };
}

/** Returns the challenge of a bearer endpoint: every 401 and 403 names the credentials it needs (RFC 6750 §3). */
function challengeOf(contract: Contract, { code, error_description }: OAuthError): string | undefined {
  if (contract.errors !== 'bearer-challenge') return undefined;
  if (isAboutProof(code)) return dpopChallenge({ error: code, error_description });
  return code === 'invalid_token' || code === 'insufficient_scope'
    ? bearerChallenge({ error: code, error_description })
    : undefined;
}
