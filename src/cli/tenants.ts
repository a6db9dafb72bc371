import { type SettingPath, settingAt } from '../config/settings.ts';
import { keptOverrides, overrideFromText, type TenantOverrides } from '../config/tenant-overrides.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { Log } from '../ports/log.ts';
import type { StoredTenant, TenantContent } from '../ports/tenant-store.ts';
import { DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import { systemClock } from '../system/clock.ts';
import { tenantNameProblem, tenantSettings } from '../tenant/settings.ts';
import { type Command, command } from './command.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import type { StorageSession } from './registry-session.ts';
import { commandEvent, READS_BESIDE_SERVERS, withStorage } from './session.ts';
import { SETTINGS_VARIABLES, STORAGE_OPTIONS } from './settings.ts';
import { table, timeText } from './table.ts';

const HEADS = ['ID', 'ISSUER', 'ALIASES', 'OWN SETTINGS', 'CREATED', 'DISABLED'];

const SERVERS =
  'Servers may run on the same database meanwhile. They act on the change from their next request on; a server without tenants looks for the first one every `storage.tenant-check-interval`.';

const TENANT = { id: { words: 'Names the tenant by its id.' } } as const;

const ONE_TENANT = 'One line. With --json, the tenant as one JSON object; digests of tokens are masked.';

const ALIAS_WORDS = 'Names another URL under which the tenant answers.';

const SET_OPTION = {
  set: {
    kind: 'text',
    value: 'path=value',
    repeated: true,
    words:
      'Gives the tenant its own value for a setting. docs/reference/configuration.md says which settings a tenant may have.',
  },
} as const;

const list = command({
  words: ['tenants', 'list'],
  summary: 'List the tenants beside the default one',
  description: ['The default tenant is the issuer of the configuration; `chancery config print` shows it.'],
  servers: READS_BESIDE_SERVERS,
  options: STORAGE_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each tenant. With --json, one JSON object per line.',
  examples: ['chancery tenants list'],
  run: async (call) => {
    await withStorage(call, { create: false }, async ({ storage }) => {
      const tenants = await storage.tenants.all();
      if (call.options.json) for (const tenant of tenants) call.print(JSON.stringify(shownTenant(tenant)));
      else table(call.print, HEADS).print(tenants.map(cells));
    });
  },
});

function cells(tenant: StoredTenant): readonly string[] {
  return [
    tenant.id,
    tenant.issuer,
    tenant.aliases.join(' ') || '-',
    Object.keys(overridesOf(tenant)).join(' ') || '-',
    timeText(tenant.created_at, '-'),
    timeText(tenant.disabled_at, '-'),
  ];
}

const create = command({
  words: ['tenants', 'create'],
  summary: 'Create a tenant: another issuer with clients, keys and settings of its own',
  description: [
    'A tenant is served by the same processes on the same ports. Its clients, tokens, keys and accounts are separate; settings that it does not have itself come from the configuration. The issuer cannot be changed later.',
    'A tenant has no master token until you set `registration.master-token-sha256` for it. An absent SQLite database is created.',
  ],
  servers: SERVERS,
  operands: {
    id: { words: 'Names the new tenant: at most 63 lower-case letters, digits and hyphens.' },
  },
  options: {
    issuer: {
      kind: 'text',
      value: 'URL',
      required: true,
      words: 'Sets the issuer, an https URL of its own.',
    },
    alias: { kind: 'text', value: 'URL', repeated: true, words: ALIAS_WORDS },
    ...SET_OPTION,
    ...STORAGE_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: ONE_TENANT,
  examples: [
    'chancery tenants create acme --issuer https://op.example.com/acme --set access-token.lifetime=300',
  ],
  run: async (call) => {
    const { id } = call.operands;
    requireTenantId(id);
    const { issuer, alias: aliases = [], json } = call.options;
    const settings = JSON.stringify(assignments(call.options.set));
    await withStorage(call, { create: true }, async (session) => {
      const tenant = await checkedTenant(session, {
        id: id as TenantId,
        version: 1,
        issuer,
        aliases,
        settings,
        created_at: systemClock.now(),
        disabled_at: null,
      });
      const event = commandEvent(systemClock.now(), 'tenant.create', issuer);
      const outcome = await session.storage.tenants.create(tenant, event);
      if (outcome === 'id_taken') throw new CommandFailure(`there is a tenant ${id} already`);
      if (outcome === 'issuer_taken') throw new CommandFailure('its issuer or one of its aliases is taken');
      call.print(json ? JSON.stringify(shownTenant(tenant)) : `created the tenant ${id}: ${issuer}`);
    });
  },
});

const TENANT_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

function requireTenantId(id: string): void {
  if (id === DEFAULT_TENANT) throw new CommandFailure('the default tenant is the one of the configuration');
  if (!TENANT_ID.test(id))
    throw calledWrongly('ID must have lower-case letters, digits and hyphens only, at most 63');
}

const update = command({
  words: ['tenants', 'update'],
  summary: 'Change the aliases and the settings of a tenant',
  description: [
    'Aliases and settings that the command does not name stay as they are; --alias replaces all aliases. The issuer cannot be changed, because it is in every token and known to every client.',
  ],
  servers: SERVERS,
  operands: TENANT,
  options: {
    alias: {
      kind: 'text',
      value: 'URL',
      repeated: true,
      words: `${ALIAS_WORDS} The given aliases replace all.`,
    },
    'no-alias': { kind: 'flag', words: 'Removes all aliases.' },
    ...SET_OPTION,
    unset: {
      kind: 'text',
      value: 'path',
      repeated: true,
      words: "Removes the tenant's own value for a setting, so that the configuration applies.",
    },
    ...STORAGE_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: ONE_TENANT,
  examples: ['chancery tenants update acme --set access-token.lifetime=300 --unset session.lifetime'],
  run: async (call) => {
    const { id } = call.operands;
    const { alias, unset = [], 'no-alias': noAlias, json } = call.options;
    if (noAlias && alias !== undefined) throw calledWrongly('--alias and --no-alias exclude each other');
    const set = assignments(call.options.set);
    await withStorage(call, { create: false }, async (session) => {
      const before = await storedTenantOf(session, id);
      const own = overridesOf(before);
      const absent = unset.find((path) => !Object.hasOwn(own, path));
      if (absent !== undefined) throw new CommandFailure(`the tenant ${id} has no ${absent} of its own`);
      const kept = Object.entries(own).filter(([path]) => !unset.includes(path));
      const tenant = await checkedTenant(session, {
        ...before,
        aliases: noAlias ? [] : (alias ?? before.aliases),
        settings: JSON.stringify({ ...Object.fromEntries(kept), ...set }),
      });
      const changed = [...Object.keys(set), ...unset, ...(noAlias || alias !== undefined ? ['aliases'] : [])];
      const event = commandEvent(systemClock.now(), 'tenant.update', changed.join(' '));
      await replaceTenant(session, before, tenant, event);
      call.print(json ? JSON.stringify(shownTenant(tenant)) : `changed the tenant ${id}`);
    });
  },
});

/** Declares `tenants enable` or `tenants disable`. */
function switchCommand(on: boolean, texts: Pick<Command, 'summary' | 'description' | 'examples'>): Command {
  const verb = on ? 'enable' : 'disable';
  return command({
    words: ['tenants', verb],
    ...texts,
    servers: SERVERS,
    operands: TENANT,
    options: STORAGE_OPTIONS,
    environment: SETTINGS_VARIABLES,
    output: ONE_TENANT,
    run: async (call) => {
      const { id } = call.operands;
      await withStorage(call, { create: false }, async (session) => {
        const before = await storedTenantOf(session, id);
        const isOn = before.disabled_at === null;
        const tenant = { ...before, disabled_at: on ? null : systemClock.now() };
        const event = commandEvent(systemClock.now(), `tenant.${verb}`);
        if (isOn !== on) await replaceTenant(session, before, tenant, event);
        const shown = isOn === on ? before : tenant;
        call.print(call.options.json ? JSON.stringify(shownTenant(shown)) : `the tenant ${id} is ${verb}d`);
      });
    },
  });
}

export const TENANT_COMMANDS: readonly Command[] = [
  list,
  create,
  update,
  switchCommand(false, {
    summary: 'Take a tenant out of service, and keep its data',
    description: [
      'All endpoints of the tenant answer 404 until it is enabled. Its clients, tokens and keys stay.',
    ],
    examples: ['chancery tenants disable acme'],
  }),
  switchCommand(true, {
    summary: 'Take a disabled tenant into service again',
    description: ['The endpoints of the tenant answer again, with the clients, tokens and keys that it had.'],
    examples: ['chancery tenants enable acme'],
  }),
];

async function storedTenantOf({ storage }: StorageSession, id: string): Promise<StoredTenant> {
  const { storedTenant } = await import('./registry-session.ts');
  return await storedTenant(storage, id);
}

/** Returns the overrides of `path=value …` by path. Throws CommandFailure for a path that is given twice. */
function assignments(given: readonly string[] = []): TenantOverrides {
  const pairs = given.map((text) => {
    const mark = text.indexOf('=');
    if (mark < 1) throw calledWrongly('--set takes path=value');
    const path = text.slice(0, mark);
    return [path, overrideFromText(path, text.slice(mark + 1))] as const;
  });
  const twice = pairs.find(([path], index) => pairs.findIndex(([other]) => other === path) !== index);
  if (twice !== undefined) throw calledWrongly(`--set ${twice[0]} is given twice`);
  return Object.fromEntries(pairs);
}

/**
 * Returns the tenant as it will be stored. Rejects with SettingsError for a setting, and with CommandFailure for a name
 * that would take something from the default tenant or from another one.
 */
async function checkedTenant(session: StorageSession, tenant: StoredTenant): Promise<StoredTenant> {
  const { settings, storage, mode } = session;
  const own = tenantSettings(settings, tenant, mode);
  const others = (await storage.tenants.all()).filter(({ id }) => id !== tenant.id);
  const taken = [settings.issuer, ...settings['issuer-aliases']].concat(
    others.flatMap(({ issuer, aliases }) => [issuer, ...aliases]),
  );
  const paths = await endpointPaths(session);
  for (const name of [tenant.issuer, ...tenant.aliases]) {
    const problem = tenantNameProblem(name, taken, paths);
    if (problem !== undefined) throw new CommandFailure(problem);
    taken.push(name);
  }
  return { ...tenant, settings: JSON.stringify(keptOverrides(own, overridesOf(tenant))) };
}

/** Returns the paths of the endpoints, which are the same for every tenant. */
async function endpointPaths(session: StorageSession): Promise<readonly string[]> {
  const { openTenantOf } = await import('./registry-session.ts');
  const { settings } = session;
  const tenant = await openTenantOf(session, DEFAULT_TENANT, settings, SILENT);
  return tenant.site(settings.issuer).endpoints.map(({ contract }) => contract.path);
}

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

function overridesOf({ settings }: Pick<StoredTenant, 'settings'>): TenantOverrides {
  return JSON.parse(settings) as TenantOverrides;
}

async function replaceTenant(
  { storage }: StorageSession,
  { id, version }: StoredTenant,
  content: TenantContent,
  event: AuditEvent,
): Promise<void> {
  const outcome = await storage.tenants.replace(id, version, content, event);
  if (outcome === 'issuer_taken') throw new CommandFailure('one of the aliases is taken');
  if (outcome === 'conflict') throw new CommandFailure(`another process changed the tenant ${id}: try again`);
}

/** Returns a tenant for a reader, with the digests of tokens masked. */
function shownTenant(tenant: StoredTenant): Readonly<Record<string, unknown>> {
  const { id, issuer, aliases, created_at, disabled_at } = tenant;
  const settings = Object.entries(overridesOf(tenant)).map(([path, value]) => [
    path,
    isSecret(path) ? '******' : value,
  ]);
  return { id, issuer, aliases, settings: Object.fromEntries(settings), created_at, disabled_at };
}

/** A setting that this program does not know may be a secret. */
function isSecret(path: string): boolean {
  return (settingAt(path as SettingPath) as { secret: boolean } | undefined)?.secret ?? true;
}
