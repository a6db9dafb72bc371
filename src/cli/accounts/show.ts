import { parseArgs } from 'node:util';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { printFields, timeText } from '../table.ts';
import { accountFields, accountJson, namedAccount } from './account-operand.ts';

/** One account with its claims and its sessions; never its password. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: REGISTRY_OPTIONS,
  });
  const [username = ''] = operands(positionals, ['NAME']);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const account = await namedAccount(session, username);
    const stored = await session.tenant.storage.sessions.ofSubject(account.sub);
    const now = session.needs.clock.now();
    const sessions = stored
      .filter(({ expires_at }) => expires_at > now)
      .map(({ sid, auth_time, last_seen_at, expires_at }) => ({ sid, auth_time, last_seen_at, expires_at }));
    if (json) {
      context.print(JSON.stringify({ ...accountJson(account), sessions }));
      return 0;
    }
    printFields(context.print, [
      ...accountFields(account),
      ...sessions.map(
        ({ sid, last_seen_at }) => ['session', `${sid}, last seen ${timeText(last_seen_at, '-')}`] as const,
      ),
    ]);
    return 0;
  });
};
