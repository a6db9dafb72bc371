import type { Socket } from 'node:net';
import type { Clock } from '../ports/clock.ts';
import type {
  Expectation,
  Fetched,
  OutboundForms,
  OutboundHttp,
  OutboundProblem,
} from '../ports/outbound-http.ts';
import { type ConnectionNeeds, type Dial, dial, openConnection } from './connection.ts';
import { FailureMemory, FetchFailure, failureFrom } from './fetch-failure.ts';
import { type Document, fetchDocument, postForm } from './http-requests.ts';
import { type Resolve, resolveThrough } from './resolver.ts';
import { deadline, Slots } from './slots.ts';
import { type UrlPolicy, type UrlPolicyOptions, urlPolicy } from './url-policy.ts';

const WAITING_MAX = 64;
const REMEMBERED_FAILURES_MAX = 1000;

export interface OutboundOptions extends UrlPolicyOptions {
  /** Limit for a whole fetch, including the wait for a slot. */
  readonly timeoutMs: number;
  /** Bytes. */
  readonly bodyMax: number;
  readonly fetchesPerHost: number;
  readonly fetches: number;
  /** How long a failed fetch is not repeated; 0 turns the negative cache off. */
  readonly negativeCacheMs: number;
}

export interface OutboundNeeds {
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly resolve?: Resolve;
  readonly dial?: Dial;
  /** PEM. */
  readonly certificateAuthorities?: readonly string[];
}

type Fetch = (url: URL, expectation: Expectation) => Promise<Document>;

/** Waits for a slot, opens a permitted connection and runs `act` over it. */
type Visit = <T>(url: URL, act: (socket: Socket, signal: AbortSignal) => Promise<T>) => Promise<T>;

export interface ProcessOutbound extends OutboundHttp, OutboundForms {
  /** Returns a client under the same limits, with a negative cache and shared fetches of its own. */
  apart(): OutboundHttp & OutboundForms;
}

/** Opens the HTTP client of the process. Its limits hold for all fetches of the process together. */
export function openOutboundHttp(options: OutboundOptions, needs: OutboundNeeds): ProcessOutbound {
  const policy = urlPolicy(options);
  const visit = limitedVisits(options, {
    policy,
    resolve: needs.resolve ?? resolveThrough(),
    dial: needs.dial ?? dial,
    certificateAuthorities: needs.certificateAuthorities,
  });
  const fetch: Fetch = async (url, { mediaTypes }) =>
    await visit(
      url,
      async (socket, signal) =>
        await fetchDocument(socket, url, { mediaTypes, bodyMax: options.bodyMax }, signal),
    );
  const forms = outboundForms(policy, visit);
  const apart = (): OutboundHttp & OutboundForms => ({
    ...rememberingOutbound(options, needs, policy, fetch),
    ...forms,
  });
  return { ...apart(), apart };
}

/** Posts forms without a negative cache: the caller decides when to retry. */
function outboundForms(policy: UrlPolicy, visit: Visit): OutboundForms {
  return {
    async postForm(url, form) {
      const problem = policy.urlProblem(url);
      if (problem !== undefined) return { status: 'failed', ...problem };
      const to = new URL(url);
      try {
        const code = await visit(to, async (socket, signal) => await postForm(socket, to, form, signal));
        return { status: 'answered', code };
      } catch (failure) {
        const { reason, message: detail } = failureFrom(failure, 'connection');
        return { status: 'failed', reason, detail };
      }
    },
  };
}

function rememberingOutbound(
  options: OutboundOptions,
  needs: OutboundNeeds,
  policy: UrlPolicy,
  fetch: Fetch,
): OutboundHttp {
  const failures = new FailureMemory({
    clock: needs.clock,
    lifetimeMs: options.negativeCacheMs,
    entriesMax: REMEMBERED_FAILURES_MAX,
  });
  const underWay = new Map<string, Promise<Fetched>>();

  const fetchOnce = async (key: string, url: string, expectation: Expectation): Promise<Fetched> => {
    try {
      return { status: 'ok', ...(await fetch(new URL(url), expectation)) };
    } catch (failure) {
      const { reason, message: detail } = failureFrom(failure, 'connection');
      // `busy` is no property of the document, so it is not remembered.
      if (reason !== 'busy') failures.remember(key, { reason, detail });
      return { status: 'failed', reason, detail };
    } finally {
      underWay.delete(key);
    }
  };

  return {
    urlProblem: (url) => policy.urlProblem(url),
    async get(url, expectation) {
      const problem = policy.urlProblem(url);
      if (problem !== undefined) return { status: 'failed', ...problem };
      const key = [url, ...expectation.mediaTypes].join(' ');
      const remembered = failures.find(key);
      if (remembered !== undefined) return { status: 'failed', ...recently(remembered) };
      const shared = underWay.get(key) ?? fetchOnce(key, url, expectation);
      underWay.set(key, shared);
      return await shared;
    },
  };
}

function recently({ reason, detail }: OutboundProblem): OutboundProblem {
  return { reason: 'recently-failed', detail: `${reason}: ${detail}` };
}

function limitedVisits(options: OutboundOptions, connection: ConnectionNeeds): Visit {
  const { timeoutMs, fetchesPerHost: perHost, fetches: total } = options;
  // Waiting may take half of the time limit, so that a fetch has time left after it gets a slot.
  const slots = new Slots({ perHost, total, waitingMax: WAITING_MAX, waitMs: timeoutMs / 2 });
  return async (url, act) => {
    using limit = deadline(timeoutMs);
    if (!(await slots.enter(url.hostname))) throw new FetchFailure('busy', `no slot for ${url.hostname}`);
    try {
      return await act(await openConnection(connection, url, limit.signal), limit.signal);
    } finally {
      slots.leave(url.hostname);
    }
  };
}
