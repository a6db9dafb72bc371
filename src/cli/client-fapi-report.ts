import { doneEvent, record } from '../clients/audit-trail.ts';
import { type FapiClientReport, fapiReport } from '../clients/fapi-report/fapi-report.ts';
import { FAPI_PROFILES } from '../spec/fapi-profiles.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { command } from './command.ts';
import { fapiReportLines } from './fapi-report-lines.ts';
import { auditedAct, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';

const PAGE = 100;

export const fapiReportCommand = command({
  words: ['clients', 'fapi-report'],
  summary: 'Say what each client lacks for FAPI 2.0',
  description: [
    'The command compares the registration of each client with a FAPI 2.0 profile, whether or not the settings have that profile, and says how to change what does not fit. Run it before you set `profile`: the server then refuses these clients.',
    'It judges the registration only. PKCE, pushed requests and proofs show in the requests of a client.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: {
    profile: {
      kind: 'choice',
      values: FAPI_PROFILES,
      placeholder: 'PROFILE',
      words: 'Names the profile to compare with. Without it, that is `fapi-2.0`.',
    },
    lacking: { kind: 'flag', words: 'Prints only clients that lack something.' },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output:
    'One line for each client, and below it one line for each thing that it lacks, with the remedy. With --json, one JSON object per line.',
  exits: { 1: 'A client lacks something, or the command failed.' },
  examples: [
    'chancery clients fapi-report --lacking',
    'chancery clients fapi-report --profile fapi-2.0-message-signing --json',
  ],
  run: async (call) => {
    const { json, lacking, profile = 'fapi-2.0' } = call.options;
    const print = (report: FapiClientReport): void => {
      if (lacking && report.fits) return;
      if (json) call.print(JSON.stringify(report));
      else for (const line of fapiReportLines(report)) call.print(line);
    };
    return await withRegistry(call, { create: false }, async (session) => {
      const { needs } = session;
      return await auditedAct(session, 'client.list', async (trail) => {
        record(needs, doneEvent(needs, trail, 'fapi-report'));
        let fails = false;
        let after: ClientId | undefined;
        do {
          const { reports, next } = await fapiReport(needs, profile, { after, limit: PAGE });
          for (const report of reports) print(report);
          fails ||= reports.some(({ fits }) => !fits);
          after = next;
        } while (after !== undefined);
        return fails ? 1 : 0;
      });
    });
  },
});
