import { parseArgs } from 'node:util';
import { retireSecret } from '../../clients/secrets/rotate-secret.ts';
import { NotFound } from '../../spec/errors.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { auditedAct, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { clientNamed } from './client-operand.ts';

/** Ends one of several secrets of a client. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: REGISTRY_OPTIONS,
  });
  const [client_id = '', name = ''] = operands(positionals, ['ID', 'NAME']);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    await auditedAct(session, 'client.secret', async (trail) => {
      const client = await clientNamed(session, client_id);
      await retireSecret(session.needs, client.client_id, name, trail).catch((failure: unknown) => {
        if (!(failure instanceof NotFound)) throw failure;
        throw new NotFound(`the client has no secret ${JSON.stringify(name)}`);
      });
    });
    context.print(json ? JSON.stringify({ client_id, name, retired: true }) : `retired ${name}`);
    return 0;
  });
};
