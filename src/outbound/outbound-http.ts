import type { Socket } from 'node:net';
import type { Clock } from '../ports/clock.ts';
import type { FetchQueue } from '../ports/metrics.ts';
import type {
  Expectation,
  FetchCause,
  Fetched,
  FetchPurpose,
  OutboundForms,
  OutboundHttp,
  OutboundProblem,
} from '../ports/outbound-http.ts';
import type { Tracing } from '../ports/tracing.ts';
import { networkOf } from '../spec/ip-address.ts';
import { type Dial, dial } from './connection.ts';
import { FailureMemory, failureFrom } from './fetch-failure.ts';
import { fetchDocument, formBody, post } from './http-requests.ts';
import { type Resolve, resolveThrough } from './resolver.ts';
import { type UrlPolicy, type UrlPolicyOptions, urlPolicy } from './url-policy.ts';
import { type Visited, type VisitLimits, type VisitNeeds, Visits } from './visits.ts';

const BUSY_RETRY_SECONDS = 1;
const REMEMBERED_FAILURES_MAX = 1000;

export interface OutboundOptions extends UrlPolicyOptions, VisitLimits {
  /** Bytes. */
  readonly bodyMax: number;
  /** How long a failed fetch is not repeated; 0 turns the negative cache off. */
  readonly negativeCacheMs: number;
}

export interface OutboundNeeds extends Partial<Pick<VisitNeeds, 'count'>> {
  readonly clock: Pick<Clock, 'milliseconds'>;
  /** Passes the trace of a request on. */
  readonly tracing?: Pick<Tracing, 'span' | 'outgoing'>;
  readonly resolve?: Resolve;
  readonly dial?: Dial;
  /** PEM. */
  readonly certificateAuthorities?: readonly string[];
}

export interface ProcessOutbound extends OutboundHttp, OutboundForms {
  /** Returns a client for one tenant under the same limits, with a negative cache and shared fetches of its own. */
  apart(tenant: string): OutboundHttp & OutboundForms;
  /** Returns how many fetches of a purpose run and how many wait. */
  lengths(purpose: FetchPurpose): FetchQueue;
}

/** The parts that the clients of all tenants share. */
interface Outbound {
  readonly options: OutboundOptions;
  readonly clock: OutboundNeeds['clock'];
  readonly policy: UrlPolicy;
  readonly visits: Visits;
  readonly tracing: Pick<Tracing, 'span' | 'outgoing'>;
}

const UNTRACED: Outbound['tracing'] = {
  span: (_name, _kind, _attributes, act) => act(),
  outgoing: () => undefined,
};

/** Opens the HTTP client of the process. Its limits hold for all fetches of the process together. */
export function openOutboundHttp(options: OutboundOptions, needs: OutboundNeeds): ProcessOutbound {
  const policy = urlPolicy(options);
  const visits = new Visits(options, {
    connection: {
      policy,
      resolve: needs.resolve ?? resolveThrough(),
      dial: needs.dial ?? dial,
      certificateAuthorities: needs.certificateAuthorities,
    },
    count: needs.count ?? (() => undefined),
  });
  const outbound = { options, clock: needs.clock, policy, visits, tracing: needs.tracing ?? UNTRACED };
  const apart = (tenant: string): OutboundHttp & OutboundForms => ({
    ...new RememberingOutbound(outbound, tenant).client(),
    ...outboundForms(outbound, tenant),
  });
  return { ...apart(''), apart, lengths: (purpose) => visits.lengths(purpose) };
}

/** Posts forms without a negative cache: the caller decides when to retry. */
function outboundForms(outbound: Outbound, tenant: string): OutboundForms {
  const { policy, options } = outbound;
  const postBody: OutboundForms['postBody'] = async (address, posted, cause) => {
    const problem = policy.urlProblem(address);
    if (problem !== undefined) return { status: 'failed', ...problem };
    const url = new URL(address);
    try {
      const code = await visit(outbound, { url, cause, tenant }, (socket, signal, traceparent) =>
        post(socket, url, { ...posted, traceparent }, signal),
      );
      return { status: 'answered', code };
    } catch (failure) {
      return { status: 'failed', ...problemOf(failure, options) };
    }
  };
  return {
    async askForm(address, form, { mediaTypes }, cause) {
      const problem = policy.urlProblem(address);
      if (problem !== undefined) return { status: 'failed', ...problem };
      const url = new URL(address);
      const limits = { mediaTypes, bodyMax: options.bodyMax, form };
      try {
        const document = await visit(outbound, { url, cause, tenant }, (socket, signal, traceparent) =>
          fetchDocument(socket, url, { ...limits, traceparent }, signal),
        );
        return { status: 'ok', ...document };
      } catch (failure) {
        return { status: 'failed', ...problemOf(failure, options) };
      }
    },
    postForm: async (address, form, cause) => await postBody(address, formBody(form), cause),
    postBody,
  };
}

interface UnderWay {
  readonly cause: FetchCause;
  readonly fetched: Promise<Fetched>;
}

/** Fetches documents for one tenant, and remembers failures. */
class RememberingOutbound {
  readonly #outbound: Outbound;
  readonly #tenant: string;
  readonly #failures: FailureMemory;
  readonly #underWay = new Map<string, UnderWay>();

  constructor(outbound: Outbound, tenant: string) {
    this.#outbound = outbound;
    this.#tenant = tenant;
    this.#failures = new FailureMemory({
      clock: outbound.clock,
      lifetimeMs: outbound.options.negativeCacheMs,
      entriesMax: REMEMBERED_FAILURES_MAX,
    });
  }

  client(): OutboundHttp {
    return {
      urlProblem: (url) => this.#outbound.policy.urlProblem(url),
      get: async (url, expectation, cause) => await this.#get(url, expectation, cause),
    };
  }

  async #get(url: string, expectation: Expectation, cause: FetchCause): Promise<Fetched> {
    const problem = this.#outbound.policy.urlProblem(url);
    if (problem !== undefined) return { status: 'failed', ...problem };
    const { mediaTypes, anyJson, bodyMax, forgetsFailures = false, etag = '' } = expectation;
    const key = [url, ...mediaTypes, anyJson, bodyMax, etag].join(' ');
    const remembered = forgetsFailures ? undefined : this.#failures.find(key);
    if (remembered !== undefined) return { status: 'failed', ...remembered };
    const known = this.#underWay.get(key);
    if (known !== undefined) {
      const fetched = await known.fetched;
      // This budget may have room where the other one had none.
      if (!isBusy(fetched) || sameBudget(known.cause, cause)) return fetched;
    }
    const own = { cause, fetched: this.#fetch(key, new URL(url), expectation, cause) };
    this.#underWay.set(key, own);
    try {
      return await own.fetched;
    } finally {
      if (this.#underWay.get(key) === own) this.#underWay.delete(key);
    }
  }

  async #fetch(key: string, url: URL, expectation: Expectation, cause: FetchCause): Promise<Fetched> {
    const { options } = this.#outbound;
    try {
      const limits = { ...expectation, bodyMax: expectation.bodyMax ?? options.bodyMax };
      const visited = { url, cause, tenant: this.#tenant };
      const document = await visit(this.#outbound, visited, (socket, signal, traceparent) =>
        fetchDocument(socket, url, { ...limits, traceparent }, signal),
      );
      return { status: 'ok', ...document };
    } catch (failure) {
      const problem = problemOf(failure, options);
      const failed: Fetched = { status: 'failed', ...problem };
      // Being busy is no property of the document, so it is not remembered.
      if (!isBusy(failed) && expectation.forgetsFailures !== true) this.#failures.remember(key, problem);
      return failed;
    }
  }
}

/** Visits a server as a span of its own, and hands on what tells that server about the trace. */
function visit<T>(
  { visits, tracing }: Outbound,
  visited: Visited,
  act: (socket: Socket, signal: AbortSignal, traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  const { purpose } = visited.cause;
  return tracing.span(`fetch ${purpose}`, 'client', { 'chancery.purpose': purpose }, () =>
    visits.visit(visited, (socket, signal) => act(socket, signal, tracing.outgoing())),
  );
}

function problemOf(failure: unknown, { negativeCacheMs }: OutboundOptions): OutboundProblem {
  const { reason, message: detail, passing } = failureFrom(failure, 'connection');
  if (!passing) return { reason, detail };
  const busy = reason === 'busy' || reason === 'gave-way';
  const wait = busy ? 0 : Math.ceil(negativeCacheMs / 1000);
  return { reason, detail, retryAfter: Math.max(BUSY_RETRY_SECONDS, wait) };
}

const isBusy = (fetched: Fetched): boolean =>
  fetched.status === 'failed' && (fetched.reason === 'busy' || fetched.reason === 'gave-way');

const sameBudget = (one: FetchCause, other: FetchCause): boolean =>
  one.purpose === other.purpose && networkName(one) === networkName(other);

const networkName = ({ remoteAddress }: FetchCause): string | undefined =>
  remoteAddress === undefined ? undefined : networkOf(remoteAddress);
