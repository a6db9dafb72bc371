import { overrideFromText, type TenantOverrides } from '../config/tenant-overrides.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { StoredTenant, TenantContent } from '../ports/tenant-store.ts';
import { DEFAULT_TENANT } from '../spec/identifiers.ts';
import { systemClock } from '../system/clock.ts';
import type { TakenNames } from '../tenant/taken-names.ts';
import {
  inStoredForm,
  overridesOf,
  shownSettings,
  takeNames,
  takenNames,
} from '../tenant/tenant-directory.ts';
import { type Command, command, type Surroundings } from './command.ts';
import { deleteTenant } from './delete-tenant.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import type { StorageSession } from './registry-session.ts';
import { commandEvent, READS_BESIDE_SERVERS, withStorage } from './session.ts';
import { SETTINGS_VARIABLES, type StorageCall, TENANTS_OPTIONS } from './settings.ts';
import { table, timeText } from './table.ts';
import { checkTenants, type GivenTenant, type LineProblem, newTenant, readTenants } from './tenant-file.ts';
import { rulesOf } from './tenant-rules.ts';

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
  options: TENANTS_OPTIONS,
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
    tenant.deleted_at === null ? timeText(tenant.disabled_at, '-') : 'is being deleted',
  ];
}

const create = command({
  words: ['tenants', 'create'],
  summary: 'Create a tenant: another issuer with clients, keys and settings of its own',
  description: [
    'A tenant is served by the same processes on the same ports. Its clients, tokens, keys and accounts are separate; settings that it does not have itself come from the configuration. The issuer cannot be changed later.',
    'A tenant has no master token until you set `registration.master-token-sha256` for it. An absent SQLite database is created.',
    'With --from, the command creates many tenants. If a line has a mistake, nothing is created, and every mistake is reported with its line. After an interruption, run the command again: a tenant that is there as the file has it is skipped.',
  ],
  servers: SERVERS,
  operands: {
    id: {
      words: 'Names the new tenant: at most 63 lower-case letters, digits and hyphens.',
      unless: 'from',
    },
  },
  options: {
    issuer: { kind: 'text', value: 'URL', words: 'Sets the issuer, an https URL of its own.' },
    alias: { kind: 'text', value: 'URL', repeated: true, words: ALIAS_WORDS },
    ...SET_OPTION,
    from: {
      kind: 'text',
      value: 'FILE',
      words:
        'Reads tenants from a file, `-` for standard input. Each line is a JSON object with `id`, `issuer`, and optionally `aliases` and `settings`.',
    },
    ...TENANTS_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: `${ONE_TENANT} With --from, one line with the number of tenants that were created.`,
  examples: [
    'chancery tenants create acme --issuer https://op.example.com/acme --set access-token.lifetime=300',
    'chancery tenants create --from tenants.jsonl',
  ],
  run: async (call) => {
    const { id } = call.operands;
    const { issuer, alias: aliases = [], set, from, json } = call.options;
    if (from !== undefined) {
      if (issuer !== undefined || aliases.length > 0 || set !== undefined)
        throw calledWrongly('--from takes issuers, aliases and settings from the file');
      return await createFrom(call, from, json);
    }
    if (id === undefined || issuer === undefined) throw calledWrongly('--issuer is missing');
    requireTenantId(id);
    const settings = assignments(set);
    await withStorage(call, { create: true }, async (session) => {
      const now = systemClock.now();
      const tenant = await checkedTenant(session, newTenant({ id, issuer, aliases, settings }, now));
      await storeTenant(session, tenant);
      call.print(json ? JSON.stringify(shownTenant(tenant)) : `created the tenant ${id}: ${issuer}`);
    });
  },
});

async function storeTenant({ storage }: StorageSession, tenant: StoredTenant): Promise<void> {
  const { id, issuer } = tenant;
  const outcome = await storage.tenants.create(
    tenant,
    commandEvent(systemClock.now(), 'tenant.create', issuer),
  );
  if (outcome === 'id_taken') throw new CommandFailure(`there is a tenant ${id} already`);
  if (outcome === 'id_deleted') throw new CommandFailure(idOfDeleted(id));
  if (outcome === 'issuer_taken')
    throw new CommandFailure(`the issuer of ${id} or one of its aliases is taken`);
}

const idOfDeleted = (id: string): string =>
  `the id ${id} belonged to a tenant that was deleted, and is never used again`;

/** Tenants that are stored at the same time: SQLite commits them together. */
const STORED_AT_ONCE = 100;

/** Creates the tenants of a file after it has checked every line. */
async function createFrom(call: StorageCall & Surroundings, file: string, json: boolean): Promise<void> {
  let mistakes = 0;
  const report = ({ line, words }: LineProblem): void => {
    mistakes += 1;
    call.complain(`${file}, line ${line}: ${words}`);
  };
  const given = await readTenants(file, report);
  await withStorage(call, { create: true }, async (session) => {
    const { storage } = session;
    const stored = await storage.tenants.all();
    const names = takenNames(await rulesOf(session), stored);
    const now = systemClock.now();
    const gone = new Set((await storage.tenants.deleted()).map(({ id }) => String(id)));
    const read = (one: GivenTenant): StoredTenant => {
      requireTenantId(one.id);
      if (gone.has(one.id)) throw new CommandFailure(idOfDeleted(one.id));
      return inStoredForm(session, newTenant(one, now));
    };
    const check = (tenant: StoredTenant): void => requireFreeNames(tenant, names);
    const present = new Map(stored.map((tenant) => [tenant.id as string, tenant]));
    const { fresh, present: skipped } = checkTenants(given, { present, read, check }, report);
    if (mistakes > 0) throw new CommandFailure(`nothing was created: ${mistakes} lines have mistakes`);
    for (let start = 0; start < fresh.length; start += STORED_AT_ONCE) {
      await Promise.all(
        fresh.slice(start, start + STORED_AT_ONCE).map(async (tenant) => await storeTenant(session, tenant)),
      );
    }
    call.print(
      json
        ? JSON.stringify({ created: fresh.length, skipped })
        : `created ${fresh.length} tenants; ${skipped} were there already`,
    );
  });
}

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
    ...TENANTS_OPTIONS,
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
    options: TENANTS_OPTIONS,
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
  deleteTenant,
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
  const others = (await session.storage.tenants.all()).filter(({ id }) => id !== tenant.id);
  const stored = inStoredForm(session, tenant);
  requireFreeNames(stored, takenNames(await rulesOf(session), others));
  return stored;
}

/** Adds the names of a tenant to those that are taken. @throws CommandFailure if one of them is */
function requireFreeNames(tenant: StoredTenant, taken: TakenNames): void {
  const problem = takeNames(tenant, taken);
  if (problem !== undefined) throw new CommandFailure(problem);
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
  const { id, issuer, aliases, owner, created_at, disabled_at, deleted_at } = tenant;
  const settings = shownSettings(tenant);
  return { id, issuer, aliases, settings, owner, created_at, disabled_at, deleted_at };
}
