import { parseArgs } from 'node:util';
import { secretsOf } from '../../clients/secrets/rotate-secret.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { table, timeText } from '../table.ts';
import { clientNamed } from './client-operand.ts';

/** Which secrets a client has, by name and not by value, and when each was last used. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: REGISTRY_OPTIONS,
  });
  const [client_id = ''] = operands(positionals, ['ID']);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const secrets = await secretsOf(session.needs, await clientNamed(session, client_id));
    if (json) {
      for (const secret of secrets) context.print(JSON.stringify(secret));
      return 0;
    }
    table(context.print, ['NAME', 'CREATED', 'EXPIRES', 'LAST USED']).print(
      secrets.map(({ name, created_at, expires_at, last_used_at }) => [
        name,
        timeText(created_at, '-'),
        timeText(expires_at, 'never'),
        timeText(last_used_at, '-'),
      ]),
    );
    return 0;
  });
};
