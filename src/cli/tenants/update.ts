import { parseArgs } from 'node:util';
import { CommandFailure, calledWrongly } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { storedTenant, withStorage } from '../storage-session.ts';
import {
  assignments,
  checkedTenant,
  overridesOf,
  replaceTenant,
  shownTenant,
  tenantEvent,
} from './tenant-changes.ts';
import { TENANT_OPTIONS } from './tenant-options.ts';

/** Changes settings and aliases. The issuer stays: it is in every token and in the hands of every client. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      ...TENANT_OPTIONS,
      alias: { type: 'string', multiple: true },
      'no-alias': { type: 'boolean', default: false },
      set: { type: 'string', multiple: true },
      unset: { type: 'string', multiple: true },
    },
  });
  const [id = ''] = operands(positionals, ['ID']);
  const { config, mode, json, alias, unset = [], 'no-alias': noAlias } = values;
  if (noAlias && alias !== undefined) throw calledWrongly('--alias and --no-alias exclude each other');
  const set = assignments(values.set);
  return await withStorage({ config, mode, create: false }, context, async (session) => {
    const before = await storedTenant(session.storage, id);
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
    await replaceTenant(session, before, tenant, tenantEvent('tenant.update', changed.join(' ')));
    context.print(json ? JSON.stringify(shownTenant(tenant)) : `changed the tenant ${id}`);
    return 0;
  });
};
