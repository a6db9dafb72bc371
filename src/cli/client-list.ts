import { doneEvent, record } from '../clients/audit-trail.ts';
import { type ClientFederation, clientFederation } from '../clients/federated-client.ts';
import { metadataOf } from '../clients/registered-client.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { StoredClient } from '../ports/client-store.ts';
import { GRANT_TYPES, type GrantType } from '../spec/grant-types.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { lastUsedAt } from './client-display.ts';
import { command, type Surroundings } from './command.ts';

import { auditedAct, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { table, timeText } from './table.ts';

const PAGE = 100;
const HEADS = ['CLIENT_ID', 'NAME', 'GRANTS', 'REGISTERED VIA', 'ISSUED', 'EXPIRES', 'LAST USED'];

const GRANT_NAMES = Object.keys(GRANT_TYPES) as readonly GrantType[];

export const listClients = command({
  words: ['clients', 'list'],
  summary: 'List the clients, all or those that match',
  description: [
    'The command reads page by page, so that its memory does not grow with the number of clients. A client must match all given options. The audit records the listing.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: {
    'registered-via': {
      kind: 'text',
      value: 'WHO',
      words:
        'Selects by origin: `open`, `cli`, `master:LABEL`, `initial:LABEL`, `statement:ISSUER`, `federation:…` or `document`. `initial` alone matches every label.',
    },
    'grant-type': {
      kind: 'choice',
      values: GRANT_NAMES,
      placeholder: 'GRANT',
      words: 'Selects clients that are registered for this grant type.',
    },
    name: {
      kind: 'text',
      value: 'PART',
      words: 'Selects clients whose client_name contains this text, in upper or lower case.',
    },
    limit: { kind: 'count', words: 'Stops after this number of clients, and says whether there are more.' },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each client. With --json, one JSON object per line.',
  examples: [
    'chancery clients list --registered-via open --limit 50',
    'chancery clients list --grant-type client_credentials --json',
  ],
  run: async (call) => {
    const { json, limit = Number.POSITIVE_INFINITY } = call.options;
    const matches = filter(call.options);
    await withRegistry(call, { create: false }, async (session) => {
      const { needs } = session;
      await auditedAct(session, 'client.list', async (trail) => {
        record(needs, doneEvent(needs, trail));
        const print = json ? jsonPrinter(call) : tablePrinter(call);
        if (await printMatching(needs, matches, limit, print))
          call.complain(`there are more clients than --limit ${limit}`);
      });
    });
  },
});

interface Filter {
  readonly 'registered-via': string | undefined;
  readonly 'grant-type': GrantType | undefined;
  readonly name: string | undefined;
}

function filter(wanted: Filter): (client: StoredClient) => boolean {
  const { 'registered-via': via, 'grant-type': grant, name } = wanted;
  const part = name?.toLowerCase();
  return (client) => {
    const { registered_via } = client;
    if (via !== undefined && registered_via !== via && !registered_via.startsWith(`${via}:`)) return false;
    const metadata = metadataOf(client);
    if (grant !== undefined && !metadata.grant_types.includes(grant)) return false;
    return part === undefined || nameOf(metadata['client_name']).toLowerCase().includes(part);
  };
}

const nameOf = (client_name: unknown): string => (typeof client_name === 'string' ? client_name : '');

interface Row {
  readonly client_id: string;
  readonly client_name: string | null;
  readonly grant_types: readonly string[];
  readonly registered_via: string;
  readonly client_id_issued_at: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  /** For a client of a federation. */
  readonly chancery_federation?: ClientFederation;
}

/** Reads and prints page by page. Resolves with whether more than `limit` clients match. */
async function printMatching(
  needs: RegistryNeeds,
  matches: (client: StoredClient) => boolean,
  limit: number,
  print: (rows: readonly Row[]) => void,
): Promise<boolean> {
  let after: ClientId | undefined;
  let left = limit;
  let isFirst = true;
  while (true) {
    const page: readonly StoredClient[] = await needs.clients.page(after, PAGE);
    const matching = page.filter(matches);
    const rows = await Promise.all(matching.slice(0, left).map(async (client) => await rowOf(needs, client)));
    const isLast = page.length < PAGE;
    if (rows.length > 0 || (isLast && isFirst)) {
      print(rows);
      isFirst = false;
    }
    if (matching.length > left) return true;
    left -= rows.length;
    if (isLast) return false;
    after = page.at(-1)?.client_id;
  }
}

async function rowOf(needs: RegistryNeeds, client: StoredClient): Promise<Row> {
  const metadata = metadataOf(client);
  const chancery_federation = clientFederation(client);
  return {
    client_id: client.client_id,
    client_name: nameOf(metadata['client_name']) || null,
    grant_types: metadata.grant_types,
    registered_via: client.registered_via,
    client_id_issued_at: client.issued_at,
    expires_at: client.expires_at,
    last_used_at: await lastUsedAt(needs, client),
    ...(chancery_federation === undefined ? {} : { chancery_federation }),
  };
}

function jsonPrinter({ print }: Surroundings): (rows: readonly Row[]) => void {
  return (rows) => {
    for (const row of rows) print(JSON.stringify(row));
  };
}

function tablePrinter({ print }: Surroundings): (rows: readonly Row[]) => void {
  const lines = table(print, HEADS);
  return (rows) =>
    lines.print(
      rows.map((row) => [
        row.client_id,
        row.client_name ?? '-',
        row.grant_types.join(',') || '-',
        // The label may be empty: `initial:`.
        row.registered_via.replace(/:$/u, ''),
        timeText(row.client_id_issued_at, '-'),
        timeText(row.expires_at, '-'),
        timeText(row.last_used_at, '-'),
      ]),
    );
}
