import { parseArgs } from 'node:util';
import { setClaims } from '../../sessions/manage-account.ts';
import { calledWrongly } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { printFields } from '../table.ts';
import { accountFields, accountJson, actorOf, namedAccount } from './account-operand.ts';
import { CLAIM_OPTIONS, claimsOf } from './claim-options.ts';

/** Changes claims of an account; its sessions and grants go on, and clients learn of it when they ask next. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, ...CLAIM_OPTIONS, 'remove-claim': { type: 'string', multiple: true } },
  });
  const [username = ''] = operands(positionals, ['NAME']);
  const given = claimsOf(values);
  const removed = new Set(values['remove-claim'] ?? []);
  if (Object.keys(given).length + removed.size === 0)
    throw calledWrongly('one of --email, --claim and --remove-claim is needed');
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const account = await namedAccount(session, username);
    const before = JSON.parse(account.claims) as Readonly<Record<string, unknown>>;
    const kept = Object.entries(before).filter(([name]) => !removed.has(name));
    const claims = { ...Object.fromEntries(kept), ...given };
    const changed = await setClaims(session.tenant.endUsers.accounts, account, claims, actorOf(session));
    if (json) context.print(JSON.stringify(accountJson(changed)));
    else printFields(context.print, accountFields(changed));
    return 0;
  });
};
