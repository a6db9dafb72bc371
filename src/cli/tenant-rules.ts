import type { Log } from '../ports/log.ts';
import { DEFAULT_TENANT } from '../spec/identifiers.ts';
import type { TenantRules } from '../tenant/tenant-directory.ts';
import type { StorageSession } from './registry-session.ts';

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Returns the rules for the names of tenants. The endpoints are the same for every tenant. */
export async function rulesOf(session: StorageSession): Promise<TenantRules> {
  const { openTenantOf } = await import('./registry-session.ts');
  const { settings, mode } = session;
  const tenant = await openTenantOf(session, DEFAULT_TENANT, settings, SILENT);
  const { endpoints } = await tenant.site(settings.issuer);
  const paths = endpoints.map(({ contract }) => contract.path);
  return { settings, mode, endpointPaths: () => paths };
}
