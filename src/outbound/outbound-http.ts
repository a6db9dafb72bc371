import { type Socket } from 'node:net';
import { type Clock } from '../ports/clock.ts';
import {
  type Expectation,
  type Fetched,
  type OutboundForms,
  type OutboundHttp,
  type OutboundProblem,
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
  /** Over a whole fetch, the wait for a slot included. */
  readonly timeoutMs: number;
  /** Bytes. */
  readonly bodyMax: number;
  readonly fetchesPerHost: number;
  readonly fetches: number;
  /** How long a failure is remembered; 0 = not at all. */
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

/** Does something over a connection that was permitted, in its turn. */
type Visit = <T>(url: URL, act: (socket: Socket, signal: AbortSignal) => Promise<T>) => Promise<T>;

export interface ProcessOutbound extends OutboundHttp, OutboundForms {
  /** The same way out under the same limits, which remembers failures and shares fetches for itself alone. */
  apart(): OutboundHttp & OutboundForms;
}

/** One for the whole process: its limits are what the process allows itself. */
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

/** Whoever posts decides when to try again: no failure is remembered here. */
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
      // `busy` says nothing about the document.
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
  // Half of the time may go into waiting, so that whoever gets a slot has time to use it.
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
