import { retireSecret } from '../../clients/secrets/rotate-secret.ts';
import { NotFound } from '../../spec/errors.ts';
import { onRegistry } from '../on-registry.ts';
import { auditedAct } from '../registry-session.ts';
import { clientNamed } from './client-operand.ts';

/** Ends one of several secrets of a client. */
export const run = onRegistry(
  ['ID', 'NAME'],
  async (session, { operands: [client_id = '', name = ''], json, context }) => {
    await auditedAct(session, 'client.secret', async (trail) => {
      const client = await clientNamed(session, client_id);
      await retireSecret(session.needs, client.client_id, name, trail).catch((failure: unknown) => {
        if (!(failure instanceof NotFound)) throw failure;
        throw new NotFound(`the client has no secret ${JSON.stringify(name)}`);
      });
    });
    context.print(json ? JSON.stringify({ client_id, name, retired: true }) : `retired ${name}`);
  },
);
