import type { TenantDirectory } from '../../../ports/tenant-directory.ts';
import type { StoredTenant, TenantRecord, TenantState } from '../../../ports/tenant-store.ts';
import { DEFAULT_TENANT, type TenantId } from '../../../spec/identifiers.ts';
import type { Problem } from '../../../spec/problems.ts';
import {
  acting,
  changing,
  creating,
  type Done,
  listing,
  type Plan,
  reading,
  type WriteCall,
} from '../operation.ts';
import { pageIn } from '../page-in-memory.ts';
import {
  tenantCreate,
  tenantDisable,
  tenantEnable,
  tenantList,
  tenantRead,
  tenantRows,
  tenantUpdate,
} from './contract.ts';
import { tenantRemoval } from './removal.ts';
import {
  type AdminTenantNeeds,
  checkedTenant,
  conflict,
  lostRace,
  rendered,
  stored,
  storedTenant,
} from './tenant-item.ts';

export const adminTenants = [
  listing<AdminTenantNeeds>(tenantList, async ({ directory }, { page: { limit, after }, query }) => {
    const { q: search, state } = query;
    const found = await directory.store.page({
      after: after === undefined ? undefined : String(after[0]),
      // An item beyond the page says whether there is another page.
      limit: limit + 1,
      search,
      state: state as TenantState | undefined,
    });
    const shown = found.slice(0, limit);
    return {
      items: shown.map((tenant) => rendered(directory, tenant)),
      next: found.length > limit ? shown.slice(-1).map(({ id }) => id) : undefined,
    };
  }),
  reading<AdminTenantNeeds>(tenantRead, async ({ directory }, call) => {
    const tenant = await stored(directory, call);
    return { item: rendered(directory, tenant), version: String(tenant.version) };
  }),
  listing<AdminTenantNeeds>(tenantRows, async ({ directory }, call) => {
    const { id } = await stored(directory, call);
    const contents = await directory.store.contents(id, COUNTED_MAX + 1);
    const items = contents.map(({ table, rows }) => ({
      table,
      rows: Math.min(rows, COUNTED_MAX),
      more: rows > COUNTED_MAX,
    }));
    return pageIn(items, call.page, 'table');
  }),
  creating<AdminTenantNeeds>(
    tenantCreate,
    async ({ directory, clock }, call) => await creation(directory, clock.now(), call),
  ),
  changing<AdminTenantNeeds>(tenantUpdate, async ({ directory }, call) => {
    const before = await storedTenant(directory, call);
    call.ifMatch.require(String(before.version));
    const { aliases = before.aliases, settings = {} } = call.body as TenantPatch;
    const patched = directory.patchedSettings(before, settings ?? {});
    const after = await checkedTenant(directory, {
      ...before,
      aliases: aliases ?? [],
      settings: JSON.stringify(patched),
    });
    const changed = [
      ...Object.keys(settings ?? {}),
      ...(call.body['aliases'] === undefined ? [] : ['aliases']),
    ];
    return replacement(directory, call, { before, after, detail: changed.join(' ') });
  }),
  acting<AdminTenantNeeds>(tenantDisable, async ({ directory, clock }, call) => {
    const before = await storedTenant(directory, call);
    return replacement(directory, call, {
      before,
      after: { ...before, disabled_at: before.disabled_at ?? clock.now() },
    });
  }),
  acting<AdminTenantNeeds>(tenantEnable, async ({ directory }, call) => {
    const before = await storedTenant(directory, call);
    return replacement(directory, call, { before, after: { ...before, disabled_at: null } });
  }),
  tenantRemoval,
];

const COUNTED_MAX = 10_000;

interface TenantPatch {
  readonly aliases?: readonly string[] | null;
  readonly settings?: Readonly<Record<string, unknown>> | null;
}

interface TenantCreation {
  readonly id: string;
  readonly issuer: string;
  readonly aliases?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
}

async function creation(directory: TenantDirectory, now: number, call: WriteCall): Promise<Plan> {
  const { id, issuer, aliases = [], settings = {} } = call.body as unknown as TenantCreation;
  if (id === DEFAULT_TENANT) throw conflict('the default tenant is the one of the configuration');
  const fresh = { owner: null, created_at: now, disabled_at: null, deleted_at: null };
  const tenant = await checkedTenant(directory, {
    id: id as TenantId,
    version: 1,
    issuer,
    aliases,
    settings: JSON.stringify(settings),
    ...fresh,
  });
  const there = await directory.store.find(tenant.id);
  if (there !== undefined) throw idTaken(there);
  const after = rendered(directory, { ...tenant, cleared_at: null });
  return {
    before: null,
    after,
    commit: async () => {
      const outcome = await directory.store.create(tenant, call.event({ detail: issuer }));
      if (outcome === 'issuer_taken') throw conflict('another tenant has the issuer or one of the aliases');
      if (outcome !== 'created')
        throw idTaken({ id: tenant.id, deleted_at: outcome === 'id_deleted' ? now : null });
      return { item: after, version: '1', location: `/tenants/${id}` };
    },
  };
}

const idTaken = ({ id, deleted_at }: Pick<TenantRecord, 'id' | 'deleted_at'>): Problem =>
  conflict(
    deleted_at === null
      ? `there is a tenant ${id} already`
      : `the id ${id} belonged to a tenant that was deleted, and is never used again`,
  );

interface Replacement {
  readonly before: TenantRecord;
  readonly after: StoredTenant;
  readonly detail?: string;
}

/** Plans a change that leaves id and issuer as they are. A change of nothing writes nothing. */
function replacement(
  directory: TenantDirectory,
  call: WriteCall,
  { before, after, detail }: Replacement,
): Plan {
  const { store } = directory;
  const isChange = JSON.stringify(before) !== JSON.stringify({ ...after, cleared_at: before.cleared_at });
  return {
    before: rendered(directory, before),
    after: rendered(directory, { ...after, cleared_at: null }),
    commit: async (): Promise<Done> => {
      if (!isChange) return { item: rendered(directory, before), version: String(before.version) };
      const event = call.event(detail === undefined ? {} : { detail });
      const outcome = await store.replace(before.id, before.version, after, event);
      if (outcome === 'issuer_taken') throw conflict('another tenant has one of the aliases');
      if (outcome === 'conflict') throw lostRace();
      const version = before.version + 1;
      return { item: rendered(directory, { ...after, cleared_at: null }), version: String(version) };
    },
  };
}
