import type { Clock } from '../../ports/clock.ts';
import type { OutboundHttp } from '../../ports/outbound-http.ts';
import { type Caches, SLOT_BYTES, textBytes } from '../../spec/caches.ts';
import { utf8Text } from '../../spec/percent-encoding.ts';
import { STATEMENT_TYPE } from '../entity-statement.ts';
import type { Reason } from '../reason.ts';

/** §8.1.2, §9.2: "the content type `application/entity-statement+jwt`". */
const EXPECTATION = { mediaTypes: [`application/${STATEMENT_TYPE}`] };

/** The object with the text and its time. */
const KEPT_BYTES = SLOT_BYTES + 56;

export type StatementText = { readonly text: string } | { readonly reason: Reason };

/** The cause of a resolution. All fetches of one resolution count for its subject. */
export interface Requester {
  /** The IP address of the request; undefined on the command line. */
  readonly remoteAddress: string | undefined;
  /** The entity identifier of the subject. */
  readonly subject: string;
}

/** Fetches statements. Never rejects. The outbound client shares parallel fetches of one address and remembers failures. */
export interface StatementSource {
  fetch(url: string, requester: Requester): Promise<StatementText>;
}

export interface StatementSourceNeeds {
  readonly outbound: OutboundHttp;
  readonly clock: Pick<Clock, 'milliseconds'>;
  /** The time for which a fetched statement is cached, valid or not. 0 disables the cache. */
  readonly keptMs: number;
  readonly caches: Caches;
}

/** Creates the source for all resolutions of a tenant. The cache protects authorities from repeated requests. */
export function statementSource({ outbound, clock, keptMs, caches }: StatementSourceNeeds): StatementSource {
  const kept = caches.open<string, { readonly text: string; readonly until: number }>('entity-statements', {
    weigh: ({ text }, url) => KEPT_BYTES + textBytes(text) + textBytes(url),
  });
  return {
    async fetch(url, { remoteAddress, subject: party }) {
      const found = kept.get(url);
      if (found !== undefined && clock.milliseconds() < found.until) return { text: found.text };
      const fetched = await outbound.get(url, EXPECTATION, { purpose: 'statements', remoteAddress, party });
      if (fetched.status === 'failed') {
        const { reason, detail, retryAfter } = fetched;
        const words = 'an entity statement could not be fetched';
        const retry = retryAfter === undefined ? {} : { retryAfter };
        return { reason: { code: `fetch_${reason}`, words, detail, ...retry } };
      }
      const text = utf8Text(fetched.body);
      if (text === undefined) {
        return {
          reason: { code: 'statement_not_signed_jwt', words: 'an entity statement is not valid UTF-8' },
        };
      }
      if (keptMs > 0) kept.set(url, { text, until: clock.milliseconds() + keptMs });
      return { text };
    },
  };
}
