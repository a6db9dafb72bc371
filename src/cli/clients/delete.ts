import { parseArgs } from 'node:util';
import { deleteClient } from '../../clients/manage-client.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { auditedAct, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { managing } from './client-operand.ts';

/** Ends a client with its secret, its registration token and every token of it. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: REGISTRY_OPTIONS,
  });
  const [client_id = ''] = operands(positionals, ['ID']);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    await auditedAct(session, 'client.delete', async (trail) => {
      trail.client_id = client_id;
      await deleteClient(session.needs, managing(session, client_id), trail);
    });
    context.print(json ? JSON.stringify({ client_id, deleted: true }) : `deleted ${client_id}`);
    return 0;
  });
};
