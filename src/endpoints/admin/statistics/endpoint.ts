import { listServerKeys } from '../../../keys/list-server-keys.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { NotedRefusal, ServedFacts, ServerFacts } from '../../../ports/server-facts.ts';
import { timeOrNever, timeText } from '../../../spec/time-text.ts';
import { type AdminKeyNeeds, keyListNeeds } from '../key-list.ts';
import { type Item, listing, reading } from '../operation.ts';
import { pageIn } from '../page-in-memory.ts';
import { refusalList, statistics } from './contract.ts';

export interface AdminStatisticsNeeds extends AdminKeyNeeds {
  readonly administered: {
    readonly version: string | null;
    readonly started_at: number | null;
    readonly server: ServerFacts | undefined;
    readonly served: () => Promise<ServedFacts>;
  };
  readonly clock: Clock;
  /** Undefined without a federation. */
  readonly anchorExpiries: { nearest(now: number): number | undefined } | undefined;
}

export const adminStatistics = [
  reading<AdminStatisticsNeeds>(statistics, async (needs) => {
    const { version, started_at, server, served } = needs.administered;
    const { requests, refusals } = await served();
    const counts = Map.groupBy(refusals, ({ reason }) => reason);
    return {
      item: {
        version,
        started_at: timeOrNever(started_at),
        process: server === undefined ? null : processOf(server, requests),
        objects: server === undefined ? null : await objectsOf(server),
        refusals: Object.fromEntries([...counts].map(([reason, noted]) => [reason, noted.length])),
        expiring: await expiring(needs),
      },
    };
  }),
  listing<AdminStatisticsNeeds>(refusalList, async ({ administered }, { query, page }) => {
    const { client_id, reason, endpoint } = query;
    const { refusals } = await administered.served();
    const found = refusals
      .filter((noted) => client_id === undefined || noted.client === client_id)
      .filter((noted) => reason === undefined || noted.reason === reason)
      .filter((noted) => endpoint === undefined || noted.endpoint === endpoint);
    return pageIn(found.map(rendered), page, 'request_id');
  }),
];

const processOf = (server: ServerFacts, requests: ServedFacts['requests']): Item => ({
  pid: server.pid,
  workers: server.workers,
  node: server.node,
  storage: server.storage,
  requests,
});

async function objectsOf(server: ServerFacts): Promise<Item> {
  const { accessTokens: access_tokens, clientVersions: client_versions, ...others } = await server.objects();
  return { ...others, access_tokens, client_versions };
}

function rendered({ at, client, tenant: _tenant, status, ...noted }: NotedRefusal): Item {
  return { ...noted, at: timeText(at), status: Number(status), client_id: client };
}

interface Expiring {
  readonly kind: string;
  readonly name: string;
  /** Seconds since the Unix epoch. */
  readonly at: number;
}

async function expiring(needs: AdminStatisticsNeeds): Promise<readonly Item[]> {
  const now = needs.clock.now();
  const anchor = needs.anchorExpiries?.nearest(now);
  const certificates = needs.administered.server?.certificates() ?? [];
  const all: readonly Expiring[] = [
    ...(await changesOfKeys(needs)),
    ...certificates.map(({ name, expires_at }) => ({ kind: 'certificate', name, at: expires_at })),
    ...(anchor === undefined ? [] : [{ kind: 'trust-anchor', name: 'the first statement', at: anchor }]),
  ];
  return all
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, ...each }) => ({ ...each, at: timeText(at) }));
}

async function changesOfKeys(needs: AdminStatisticsNeeds): Promise<readonly Expiring[]> {
  const { rotationInterval, configured } = needs.serverKeys.life.settings;
  const keys = await listServerKeys(keyListNeeds(needs));
  return keys.flatMap(({ kid: name, use, state, active_at, retired_at, removed_at }): readonly Expiring[] => {
    if (active_at === null) return [];
    if (state === 'announced') return [{ kind: 'key-activation', name, at: active_at }];
    if (state === 'retired' && removed_at !== null) return [{ kind: 'key-removal', name, at: removed_at }];
    // Federation keys rotate by command only.
    const rotates = rotationInterval > 0 && !configured && use !== 'federation' && retired_at === null;
    return rotates ? [{ kind: 'key-rotation', name, at: active_at + rotationInterval }] : [];
  });
}
