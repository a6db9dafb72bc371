import type { Clock } from '../../ports/clock.ts';
import type { JwtInspector } from '../../ports/jwt-inspector.ts';
import type { FetchPurpose, OutboundHttp } from '../../ports/outbound-http.ts';
import { type Caches, SLOT_BYTES, textBytes } from '../../spec/caches.ts';
import { utf8Text } from '../../spec/percent-encoding.ts';
import { STATEMENT_TYPE } from '../entity-statement.ts';
import type { Reason } from '../reason.ts';
import { FailedStatements } from './failed-statements.ts';

/** §8.1.2, §9.2: "the content type `application/entity-statement+jwt`". */
const EXPECTATION = { mediaTypes: [`application/${STATEMENT_TYPE}`], forgetsFailures: true };

/** The objects with the text, its time, the keys that signed it, and the header. */
const KEPT_BYTES = SLOT_BYTES + 1700;
/** The parsed claims take about as much memory as the text. */
const PARSED_FACTOR = 2;

/** The text of a statement. It is parsed once, and its signatures are verified once, for as long as it is kept. */
export class FetchedStatement {
  readonly text: string;
  #jwt: ReturnType<JwtInspector['inspect']> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** @param lengthMax the maximum characters, the same at each call */
  inspected(inspector: JwtInspector, lengthMax: number): ReturnType<JwtInspector['inspect']> {
    this.#jwt ??= inspector.inspect(this.text, lengthMax);
    return this.#jwt;
  }
}

export type StatementText =
  | {
      readonly statement: FetchedStatement;
      /** How long ago it was fetched; 0 for a statement that was fetched now. */
      readonly ageMs: number;
    }
  | { readonly reason: Reason };

/** The cause of a resolution. All fetches of one resolution count for its subject. */
export interface Requester {
  /** The IP address of the request; undefined on the command line. */
  readonly remoteAddress: string | undefined;
  /** The entity identifier of the subject. */
  readonly subject: string;
  readonly purpose: Extract<FetchPurpose, 'statements' | 'renewals'>;
}

/** Fetches statements. Never rejects. The outbound client shares parallel fetches of one address. */
export interface StatementSource {
  /** @param ageMaxMs a cached statement that is older is fetched again; absent: any age is good */
  fetch(url: string, requester: Requester, ageMaxMs?: number): Promise<StatementText>;
}

export interface StatementSourceNeeds {
  readonly outbound: OutboundHttp;
  readonly clock: Pick<Clock, 'milliseconds'>;
  /** The time for which a fetched statement is cached, valid or not. 0 disables the cache. */
  readonly keptMs: number;
  /** The time for which an address that failed is not asked again. 0 asks each time. */
  readonly failedMs: number;
  readonly caches: Caches;
}

/** Creates the source for all resolutions of a tenant. The cache protects authorities from repeated requests. */
export function statementSource(needs: StatementSourceNeeds): StatementSource {
  const { outbound, clock, keptMs, failedMs, caches } = needs;
  const failed = new FailedStatements({ clock, keptMs: failedMs, caches });
  const kept = caches.open<string, { readonly statement: FetchedStatement; readonly fetchedAt: number }>(
    'entity-statements',
    {
      weigh: ({ statement: { text } }, url) => KEPT_BYTES + PARSED_FACTOR * textBytes(text) + textBytes(url),
    },
  );
  return {
    async fetch(url, { remoteAddress, subject: party, purpose }, ageMaxMs = Infinity) {
      const found = kept.get(url);
      const ageMs = found === undefined ? Infinity : clock.milliseconds() - found.fetchedAt;
      if (found !== undefined && ageMs < keptMs && ageMs <= ageMaxMs)
        return { statement: found.statement, ageMs };
      const failure = failed.find(url);
      if (failure !== undefined) return { reason: failure };
      const fetched = await outbound.get(url, EXPECTATION, { purpose, remoteAddress, party });
      if (fetched.status === 'failed') {
        const { reason, detail, retryAfter } = fetched;
        const words = 'an entity statement could not be fetched';
        const retry = retryAfter === undefined ? {} : { retryAfter };
        const told: Reason = { code: `fetch_${reason}`, words, detail, ...retry };
        // Being busy says nothing about the address.
        return { reason: reason === 'busy' || reason === 'gave-way' ? told : failed.note(url, told) };
      }
      const text = utf8Text(fetched.body);
      if (text === undefined) {
        return {
          reason: { code: 'statement_not_signed_jwt', words: 'an entity statement is not valid UTF-8' },
        };
      }
      const statement = new FetchedStatement(text);
      if (keptMs > 0) kept.set(url, { statement, fetchedAt: clock.milliseconds() });
      return { statement, ageMs: 0 };
    },
  };
}
