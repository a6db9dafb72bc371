import { parseArgs } from 'node:util';
import { setPassword } from '../../sessions/manage-account.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { accountJson, actorOf, namedAccount } from './account-operand.ts';
import { readNewPassword } from './password-input.ts';

/** Gives an account another password; its sessions and grants end. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, 'password-stdin': { type: 'boolean', default: false } },
  });
  const [username = ''] = operands(positionals, ['NAME']);
  const password = await readNewPassword(values['password-stdin'], context);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { accounts } = session.tenant.endUsers;
    const account = await namedAccount(session, username);
    const changed = await setPassword(accounts, account, password, actorOf(session));
    context.print(json ? JSON.stringify(accountJson(changed)) : `the password of ${account.username} is set`);
    return 0;
  });
};
