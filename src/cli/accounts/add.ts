import { parseArgs } from 'node:util';
import { addAccount } from '../../sessions/manage-account.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { printFields } from '../table.ts';
import { accountFields, accountJson, actorOf } from './account-operand.ts';
import { CLAIM_OPTIONS, claimsOf } from './claim-options.ts';
import { readNewPassword } from './password-input.ts';

/** Makes an account for an end-user. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      ...REGISTRY_OPTIONS,
      ...CLAIM_OPTIONS,
      'password-stdin': { type: 'boolean', default: false },
    },
  });
  const [username = ''] = operands(positionals, ['NAME']);
  const claims = claimsOf(values);
  const password = await readNewPassword(values['password-stdin'], context);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: true }, context, async (session) => {
    const account = { username, password, claims };
    const added = await addAccount(session.tenant.endUsers.accounts, account, actorOf(session));
    if (json) context.print(JSON.stringify(accountJson(added)));
    else printFields(context.print, accountFields(added));
    return 0;
  });
};
