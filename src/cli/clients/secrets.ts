import { secretsOf } from '../../clients/secrets/rotate-secret.ts';
import { onRegistry } from '../on-registry.ts';
import { table, timeText } from '../table.ts';
import { clientNamed } from './client-operand.ts';

/** Which secrets a client has, by name and not by value, and when each was last used. */
export const run = onRegistry(['ID'], async (session, { operands: [client_id = ''], json, context }) => {
  const secrets = await secretsOf(session.needs, await clientNamed(session, client_id));
  if (json) {
    for (const secret of secrets) context.print(JSON.stringify(secret));
    return;
  }
  table(context.print, ['NAME', 'CREATED', 'EXPIRES', 'LAST USED']).print(
    secrets.map(({ name, created_at, expires_at, last_used_at }) => [
      name,
      timeText(created_at, '-'),
      timeText(expires_at, 'never'),
      timeText(last_used_at, '-'),
    ]),
  );
});
