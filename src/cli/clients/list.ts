import { parseArgs } from 'node:util';
import { doneEvent, record } from '../../clients/audit-trail.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { GRANT_TYPES, isGrantType } from '../../spec/grant-types.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { calledWrongly } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { CommandContext, Run } from '../commands.ts';
import { auditedAct, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { table, timeText } from '../table.ts';
import { lastUsedAt } from './client-display.ts';

const PAGE = 100;
const HEADS = ['CLIENT_ID', 'NAME', 'GRANTS', 'REGISTERED VIA', 'ISSUED', 'LAST USED'];

export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      ...REGISTRY_OPTIONS,
      'registered-via': { type: 'string' },
      'grant-type': { type: 'string' },
      name: { type: 'string' },
      limit: { type: 'string' },
    },
  });
  operands(positionals, []);
  const limit = limitOption(values.limit);
  const matches = filter(values);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { needs } = session;
    return await auditedAct(session, 'client.list', async (trail) => {
      record(needs, doneEvent(needs, trail));
      const print = json ? jsonPrinter(context) : tablePrinter(context);
      if (await printMatching(needs, matches, limit, print)) {
        context.complain(`there are more clients than --limit ${limit}`);
      }
      return 0;
    });
  });
};

function limitOption(value: string | undefined): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (/^[1-9][0-9]{0,8}$/.test(value)) return Number(value);
  throw calledWrongly(`--limit must be a positive number, found ${JSON.stringify(value)}`);
}

interface Filter {
  readonly 'registered-via'?: string | undefined;
  readonly 'grant-type'?: string | undefined;
  readonly name?: string | undefined;
}

/** `--registered-via initial` finds every `initial:LABEL`; names are compared without regard to case. */
function filter(wanted: Filter): (client: StoredClient) => boolean {
  const { 'registered-via': via, 'grant-type': grant, name } = wanted;
  if (grant !== undefined && !isGrantType(grant)) {
    throw calledWrongly(
      `--grant-type must be one of ${Object.keys(GRANT_TYPES).join(', ')}, found ${JSON.stringify(grant)}`,
    );
  }
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
  readonly last_used_at: number | null;
}

/** A page at a time, never the whole registry. @returns whether there are more than `limit`. */
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
  return {
    client_id: client.client_id,
    client_name: nameOf(metadata['client_name']) || null,
    grant_types: metadata.grant_types,
    registered_via: client.registered_via,
    client_id_issued_at: client.issued_at,
    last_used_at: await lastUsedAt(needs, client),
  };
}

function jsonPrinter({ print }: CommandContext): (rows: readonly Row[]) => void {
  return (rows) => {
    for (const row of rows) print(JSON.stringify(row));
  };
}

function tablePrinter({ print }: CommandContext): (rows: readonly Row[]) => void {
  const lines = table(print, HEADS);
  return (rows) =>
    lines.print(
      rows.map((row) => [
        row.client_id,
        row.client_name ?? '-',
        row.grant_types.join(',') || '-',
        row.registered_via,
        timeText(row.client_id_issued_at, '-'),
        timeText(row.last_used_at, '-'),
      ]),
    );
}
