import { parseArgs } from 'node:util';
import { systemClock } from '../../system/clock.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { storedTenant, withStorage } from '../storage-session.ts';
import { replaceTenant, shownTenant, tenantEvent } from './tenant-changes.ts';
import { TENANT_OPTIONS } from './tenant-options.ts';

/** Takes a tenant out of service, or into it again. Everything of it stays as it is. */
export function switchTenant(on: boolean): Run {
  const done = on ? 'enabled' : 'disabled';
  return async (parameters, context) => {
    const { values, positionals } = parseArgs({
      args: [...parameters],
      allowPositionals: true,
      options: TENANT_OPTIONS,
    });
    const [id = ''] = operands(positionals, ['ID']);
    const { config, mode, json } = values;
    return await withStorage({ config, mode, create: false }, context, async (session) => {
      const before = await storedTenant(session.storage, id);
      const isOn = before.disabled_at === null;
      const tenant = { ...before, disabled_at: on ? null : systemClock.now() };
      if (isOn !== on) {
        await replaceTenant(session, before, tenant, tenantEvent(on ? 'tenant.enable' : 'tenant.disable'));
      }
      const shown = isOn === on ? before : tenant;
      context.print(json ? JSON.stringify(shownTenant(shown)) : `the tenant ${id} is ${done}`);
      return 0;
    });
  };
}
