import type { Clock } from '../../ports/clock.ts';
import type { CheckTrace, Reason, SearchReason } from '../reason.ts';
import type { Requester, StatementSource, StatementText } from './statement-source.ts';

/** The limits of one resolution. */
export interface ResolutionBudget {
  readonly fetches: number;
  /** The maximum number of characters of all statements together. */
  readonly bytes: number;
  readonly timeMs: number;
}

export interface SnapshotNeeds {
  readonly source: StatementSource;
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly budget: ResolutionBudget;
  readonly requester: Requester;
  /** Returns the age from which a cached statement is fetched again; absent: never. */
  readonly ageMaxMs?: (url: string) => number;
}

/**
 * The statements that one resolution fetched. Fetches each address once: "MUST NOT attempt to fetch Entity Statements they
 * already have obtained" (§10.1). So one chain cannot mix two versions of a statement.
 */
export class Snapshot {
  readonly #needs: SnapshotNeeds;
  readonly #texts = new Map<string, Promise<StatementText>>();
  readonly #deadline: number;
  #fetches = 0;
  #retryAfter: number | undefined;
  #bytes = 0;
  #oldestMs = 0;
  #loaded = 0;

  constructor(needs: SnapshotNeeds) {
    this.#needs = needs;
    this.#deadline = needs.clock.milliseconds() + needs.budget.timeMs;
  }

  get fetches(): number {
    return this.#fetches;
  }

  /** Returns how many of the fetches no cached statement answered. */
  get loaded(): number {
    return this.#loaded;
  }

  /** Returns the age of the oldest cached statement that answered a fetch. */
  get oldestMs(): number {
    return this.#oldestMs;
  }

  /** Returns the seconds until a retry if this server was too busy for one of the fetches. */
  get retryAfter(): number | undefined {
    return this.#retryAfter;
  }

  async fetch(url: string): Promise<StatementText> {
    const known = this.#texts.get(url);
    if (known !== undefined) return await known;
    const text = this.#fetchOnce(url);
    this.#texts.set(url, text);
    return await text;
  }

  /** Does other work over the network within the limits of the resolution on fetches and time. */
  async spend(work: (requester: Requester) => Promise<CheckTrace>): Promise<CheckTrace> {
    const { clock, budget, requester } = this.#needs;
    const remaining = this.#deadline - clock.milliseconds();
    const refused = (what: 'fetches' | 'time'): CheckTrace => ({
      section: '§8.4',
      number: 1,
      name: 'limits of one resolution',
      ...exhausted(`${what}_exhausted`, what),
    });
    if (this.#fetches >= budget.fetches) return refused('fetches');
    if (remaining <= 0) return refused('time');
    this.#fetches += 1;
    return (await within(remaining, work(requester))) ?? refused('time');
  }

  async #fetchOnce(url: string): Promise<StatementText> {
    const { source, clock, budget, requester, ageMaxMs } = this.#needs;
    if (this.#fetches >= budget.fetches) return exhausted('fetches_exhausted', 'fetches');
    const remaining = this.#deadline - clock.milliseconds();
    if (remaining <= 0) return exhausted('time_exhausted', 'time');
    this.#fetches += 1;
    const fetched = await within(remaining, source.fetch(url, requester, ageMaxMs?.(url)));
    const ageMs = fetched !== undefined && 'statement' in fetched ? fetched.ageMs : 0;
    this.#oldestMs = Math.max(this.#oldestMs, ageMs);
    if (ageMs === 0) this.#loaded += 1;
    if (fetched === undefined) return exhausted('time_exhausted', 'time');
    if ('reason' in fetched) {
      const { code, retryAfter } = fetched.reason;
      if (code === 'fetch_busy' || code === 'fetch_gave-way') this.#retryAfter = retryAfter;
      return fetched;
    }
    this.#bytes += fetched.statement.text.length;
    return this.#bytes > budget.bytes ? exhausted('bytes_exhausted', 'bytes') : fetched;
  }
}

function exhausted(code: SearchReason, what: string): { readonly reason: Reason } {
  return { reason: { code, words: `the limit of one resolution on ${what} is reached` } };
}

/** Returns undefined if the time ends first. The fetch continues until its own limits end it. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => over.resolve(undefined), milliseconds);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
