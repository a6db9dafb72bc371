import { existsSync } from 'node:fs';
import type { AuditTrail } from '../clients/audit-trail.ts';
import { audited } from '../clients/audit-trail.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { Mode } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';
import { openPasswords } from '../end-users.ts';
import { openOutbound } from '../opened-outbound.ts';
import { openStorage, requireRightKey, sealerOf } from '../opened-storage.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { Log } from '../ports/log.ts';
import { AccountRefused } from '../sessions/manage-account.ts';
import { NotFound, OAuthError, TooManyRequests } from '../spec/errors.ts';
import { DEFAULT_TENANT } from '../spec/identifiers.ts';
import { systemRandom } from '../system/random.ts';
import { openTenant, type Tenant } from '../tenant.ts';
import { CommandFailure, calledWrongly } from './command-failure.ts';
import type { CommandContext } from './commands.ts';
import { developmentSettings } from './development-settings.ts';
import { CONFIG_OPTION, settingsFor } from './settings-sources.ts';

/** For `parseArgs` of every command of the registry. */
export const REGISTRY_OPTIONS = {
  ...CONFIG_OPTION,
  mode: { type: 'string', default: 'production' },
  json: { type: 'boolean', default: false },
} as const;

/** How the audit and the clients name whoever uses the command line. */
export const ACTOR = 'cli';

const REQUEST_ID_LENGTH = 16;

/** The registry of a data folder, opened beside the servers that may be running on it. */
export interface RegistrySession {
  readonly settings: Settings;
  readonly tenant: Tenant;
  readonly needs: RegistryNeeds;
  /** Of everything that this call of the command does, in the audit. */
  readonly request_id: string;
}

export interface RegistryAccess {
  readonly config: string | undefined;
  readonly mode: string;
  /** Whether a database that is not there is made; otherwise a mistyped path would answer like an empty registry. */
  readonly create: boolean;
}

/** Opens the registry, acts, closes it; what the registry refuses is one line. */
export async function withRegistry(
  access: RegistryAccess,
  context: CommandContext,
  act: (session: RegistrySession) => Promise<number>,
): Promise<number> {
  const settings = registrySettings(access, context);
  if (settings === undefined) return 1;
  const sealer = sealerOf(settings);
  const storage = await openStorage(settings, { check: false });
  try {
    await requireRightKey(storage, sealer);
    const outbound = openOutbound(settings);
    const log = complaints(context);
    const passwords = openPasswords(settings);
    const tenant = await openTenant({
      id: DEFAULT_TENANT,
      settings,
      storage,
      sealer,
      outbound,
      passwords,
      log,
      // Nobody authenticates with a certificate here.
      certificateAuthorities: () => [],
    });
    const request_id = systemRandom.alphanumeric(REQUEST_ID_LENGTH);
    const code = await act({ settings, tenant, needs: tenant.registry, request_id });
    await tenant.close();
    return code;
  } catch (failure) {
    throw refusalInWords(failure);
  } finally {
    await storage.close();
  }
}

/** One act, recorded with the command line as its actor. */
export async function auditedAct<T>(
  { needs, request_id }: RegistrySession,
  action: AuditEvent['action'],
  act: (trail: AuditTrail) => Promise<T>,
): Promise<T> {
  return await audited(needs, action, request_id, async (trail) => {
    trail.actor = ACTOR;
    return await act(trail);
  });
}

function registrySettings(
  { mode, config, create }: RegistryAccess,
  context: CommandContext,
): Settings | undefined {
  if (!isMode(mode)) {
    throw calledWrongly(`--mode must be development or production, found ${JSON.stringify(mode)}`);
  }
  const resolved = settingsFor(mode, config, context);
  if (resolved === undefined) return undefined;
  // First of all: the development mode makes a key for a data folder that has none.
  if (!create) requireDatabase(resolved.settings);
  return mode === 'development' ? developmentSettings(resolved) : resolved.settings;
}

const isMode = (text: string): text is Mode => text === 'development' || text === 'production';

function requireDatabase(settings: Settings): void {
  const path = settings['storage.url'].slice('sqlite:'.length);
  if (!existsSync(path)) throw new CommandFailure(`there is no database at ${path} (storage.url)`);
}

/** What a server would log as an error is a line for the operator; the audit is in the database. */
function complaints(context: CommandContext): Log {
  const complain = (members: Readonly<Record<string, unknown>>, message: string): void => {
    const { client_id, cause } = members;
    const about = typeof client_id === 'string' ? `${client_id}: ` : '';
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    context.complain(`${about}${message}${why}`);
  };
  return { info: () => undefined, warn: complain, error: complain };
}

function refusalInWords(failure: unknown): unknown {
  if (failure instanceof OAuthError) {
    const detail = failure.detail === undefined ? '' : ` (${failure.detail})`;
    return new CommandFailure(`${failure.message}${detail}`);
  }
  if (failure instanceof AccountRefused) return new CommandFailure(failure.message);
  if (failure instanceof TooManyRequests) return new CommandFailure(failure.message);
  return failure instanceof NotFound
    ? new CommandFailure(failure.message || 'there is no such client')
    : failure;
}
