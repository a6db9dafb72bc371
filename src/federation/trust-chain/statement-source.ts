import type { Clock } from '../../ports/clock.ts';
import type { OutboundHttp } from '../../ports/outbound-http.ts';
import { BoundedMap } from '../../spec/bounded-map.ts';
import { utf8Text } from '../../spec/percent-encoding.ts';
import { STATEMENT_TYPE } from '../entity-statement.ts';
import type { Reason } from '../reason.ts';

/** §8.1.2, §9.2: "the content type `application/entity-statement+jwt`". */
const EXPECTATION = { mediaTypes: [`application/${STATEMENT_TYPE}`] };

/** Characters of statements that are kept in all. */
const KEPT_CHARACTERS_MAX = 16_777_216;

export type StatementText = { readonly text: string } | { readonly reason: Reason };

/** Where statements come from. Never rejects. Parallel calls for one address share one fetch; failures are remembered. */
export interface StatementSource {
  fetch(url: string): Promise<StatementText>;
}

export interface StatementSourceNeeds {
  readonly outbound: OutboundHttp;
  readonly clock: Pick<Clock, 'milliseconds'>;
  /** How long a statement is used without asking again, whether it turned out to be good or not; 0 = not at all. */
  readonly keptMs: number;
}

/** One for all resolutions: a request that is repeated a hundred times costs the authorities what one costs. */
export function statementSource({ outbound, clock, keptMs }: StatementSourceNeeds): StatementSource {
  const kept = new BoundedMap<string, { readonly text: string; readonly until: number }>(
    KEPT_CHARACTERS_MAX,
    ({ text }) => text.length,
  );
  return {
    async fetch(url) {
      const found = kept.get(url);
      if (found !== undefined && clock.milliseconds() < found.until) return { text: found.text };
      const fetched = await outbound.get(url, EXPECTATION);
      if (fetched.status === 'failed') {
        const { reason, detail } = fetched;
        return { reason: { code: `fetch_${reason}`, words: 'a statement could not be fetched', detail } };
      }
      const text = utf8Text(fetched.body);
      if (text === undefined) {
        return { reason: { code: 'statement_not_signed_jwt', words: 'a statement is not text' } };
      }
      if (keptMs > 0) kept.set(url, { text, until: clock.milliseconds() + keptMs });
      return { text };
    },
  };
}
