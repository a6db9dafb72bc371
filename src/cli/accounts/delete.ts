import { parseArgs } from 'node:util';
import { deleteAccount } from '../../sessions/manage-account.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { actorOf, namedAccount } from './account-operand.ts';

/** Ends an account with its sessions, grants and consents; its sub is never given again. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: REGISTRY_OPTIONS,
  });
  const [username = ''] = operands(positionals, ['NAME']);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { accounts } = session.tenant.endUsers;
    const account = await namedAccount(session, username);
    await deleteAccount(accounts, account, actorOf(session));
    const deleted = { sub: account.sub, username: account.username, deleted: true };
    context.print(json ? JSON.stringify(deleted) : `deleted ${account.username}`);
    return 0;
  });
};
