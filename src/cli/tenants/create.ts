import { parseArgs } from 'node:util';
import type { TenantId } from '../../spec/identifiers.ts';
import { systemClock } from '../../system/clock.ts';
import { CommandFailure, calledWrongly } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { withStorage } from '../storage-session.ts';
import { assignments, checkedTenant, requireTenantId, shownTenant, tenantEvent } from './tenant-changes.ts';
import { TENANT_OPTIONS } from './tenant-options.ts';

/** Another issuer in the same processes; servers that run serve it from their next request on. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      ...TENANT_OPTIONS,
      issuer: { type: 'string' },
      alias: { type: 'string', multiple: true },
      set: { type: 'string', multiple: true },
    },
  });
  const [id = ''] = operands(positionals, ['ID']);
  requireTenantId(id);
  const { config, mode, json, issuer, alias: aliases = [] } = values;
  if (issuer === undefined) throw calledWrongly('--issuer is missing');
  const settings = JSON.stringify(assignments(values.set));
  return await withStorage({ config, mode, create: true }, context, async (session) => {
    const tenant = await checkedTenant(session, {
      id: id as TenantId,
      version: 1,
      issuer,
      aliases,
      settings,
      created_at: systemClock.now(),
      disabled_at: null,
    });
    const outcome = await session.storage.tenants.create(tenant, tenantEvent('tenant.create', issuer));
    if (outcome === 'id_taken') throw new CommandFailure(`there is a tenant ${id} already`);
    if (outcome === 'issuer_taken') throw new CommandFailure('its issuer or one of its aliases is taken');
    context.print(json ? JSON.stringify(shownTenant(tenant)) : `created the tenant ${id}: ${issuer}`);
    return 0;
  });
};
