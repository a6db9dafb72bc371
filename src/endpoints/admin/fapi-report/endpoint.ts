import { type FapiClientReport, fapiReport, fapiReportOn } from '../../../clients/fapi-report/fapi-report.ts';
import type { RegistryNeeds } from '../../../clients/registry-needs.ts';
import { FAPI_PROFILES } from '../../../spec/fapi-profiles.ts';
import type { ClientId } from '../../../spec/identifiers.ts';
import { type AdminNeeds, listing } from '../operation.ts';
import { fapiReportList } from './contract.ts';

export interface AdminFapiReportNeeds extends AdminNeeds {
  readonly registry: Pick<RegistryNeeds, 'clients' | 'limitsUnder'>;
}

export const adminFapiReport = [
  listing<AdminFapiReportNeeds>(fapiReportList, async ({ registry }, { query, page }) => {
    const profile = FAPI_PROFILES.find((name) => name === query['profile']) ?? 'fapi-2.0';
    const after = page.after?.[0] as ClientId | undefined;
    const client_id = query['client_id'] as ClientId | undefined;
    const { reports, next } =
      client_id === undefined
        ? await fapiReport(registry, profile, { after, limit: page.limit })
        : { reports: [await fapiReportOn(registry, profile, client_id)].filter(isPresent), next: undefined };
    const wanted = query['fits'];
    return {
      items: reports
        .filter(({ fits }) => wanted === undefined || String(fits) === wanted)
        .map((report) => ({ ...report })),
      next: next === undefined ? undefined : [next],
    };
  }),
];

const isPresent = (report: FapiClientReport | undefined): report is FapiClientReport => report !== undefined;
