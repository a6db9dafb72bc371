import { parseArgs } from 'node:util';
import { claimType } from '../sessions/account-claims.ts';
import { addAccount } from '../sessions/manage-account.ts';
import { accountFields, accountJson, actorOf } from './account-operand.ts';
import { calledWrongly } from './command-failure.ts';
import { operands } from './command-input.ts';
import type { Run } from './commands.ts';
import { readNewPassword } from './password-input.ts';
import { REGISTRY_OPTIONS, withRegistry } from './registry-session.ts';
import { printFields } from './table.ts';

/** Makes an account for an end-user. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      ...REGISTRY_OPTIONS,
      email: { type: 'string' },
      claim: { type: 'string', multiple: true },
      'password-stdin': { type: 'boolean', default: false },
    },
  });
  const [username = ''] = operands(positionals, ['NAME']);
  const claims = {
    ...(values.email === undefined ? {} : { email: values.email }),
    ...Object.fromEntries((values.claim ?? []).map(claim)),
  };
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

/** `NAME=VALUE`: the value of a claim that is no text by its standard is JSON, and so is any other that reads as JSON. */
function claim(text: string): readonly [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw calledWrongly(`--claim takes NAME=VALUE, found ${JSON.stringify(text)}`);
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  if (claimType(name) === 'string') return [name, value];
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    return [name, value];
  }
}
