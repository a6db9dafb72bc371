import { parseArgs } from 'node:util';
import { setDisabled } from '../../sessions/manage-account.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { accountJson, actorOf, namedAccount } from './account-operand.ts';

/** Lets the owner of an account sign in again. */
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
    const changed = await setDisabled(accounts, account, false, actorOf(session));
    context.print(json ? JSON.stringify(accountJson(changed)) : `enabled ${account.username}`);
    return 0;
  });
};
