import { parseArgs } from 'node:util';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { withStorage } from '../storage-session.ts';
import { table, timeText } from '../table.ts';
import { overridesOf, shownTenant } from './tenant-changes.ts';
import { TENANT_OPTIONS } from './tenant-options.ts';

const HEADS = ['ID', 'ISSUER', 'ALIASES', 'OWN SETTINGS', 'CREATED', 'DISABLED'];

/** The tenants beside the default one, which the configuration describes. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: TENANT_OPTIONS,
  });
  operands(positionals, []);
  const { config, mode, json } = values;
  return await withStorage({ config, mode, create: false }, context, async ({ storage }) => {
    const tenants = await storage.tenants.all();
    if (json) for (const tenant of tenants) context.print(JSON.stringify(shownTenant(tenant)));
    else {
      table(context.print, HEADS).print(
        tenants.map((tenant) => [
          tenant.id,
          tenant.issuer,
          tenant.aliases.join(' ') || '-',
          Object.keys(overridesOf(tenant)).join(' ') || '-',
          timeText(tenant.created_at, '-'),
          timeText(tenant.disabled_at, '-'),
        ]),
      );
    }
    return 0;
  });
};
