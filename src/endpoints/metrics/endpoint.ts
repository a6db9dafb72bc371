import type { Metrics } from '../../ports/metrics.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

/** Serves the metrics of the process. */
export function metrics(source: Metrics): Endpoint {
  return {
    contract,
    async handle() {
      return {
        status: 200,
        headers: { 'content-type': source.contentType, 'cache-control': 'no-store' },
        body: await source.text(),
      };
    },
  };
}
