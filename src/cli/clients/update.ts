import { parseArgs } from 'node:util';
import { updateClient } from '../../clients/manage-client.ts';
import { applySoftwareStatement } from '../../clients/registration/software-statement.ts';
import { parseJsonObject } from '../../spec/json.ts';
import { operands, readInput } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { auditedAct, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { printClient } from './client-display.ts';
import { managing } from './client-operand.ts';

/** Replaces a registration as `PUT /clients/{id}` does: its registration token, and its secret if it has one, are new. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, secrets: { type: 'boolean', default: false } },
  });
  const [client_id = '', file = ''] = operands(positionals, ['ID', 'FILE']);
  const { config, mode, tenant, json, secrets } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { needs, settings } = session;
    const body = await readInput(file, settings['limits.body']);
    const authenticate = managing(session, client_id);
    await auditedAct(session, 'client.update', async (trail) => {
      trail.client_id = client_id;
      await authenticate();
      const stated = await applySoftwareStatement(needs, parseJsonObject(body, needs.settings.json));
      const client = await updateClient(needs, authenticate, stated, trail);
      await printClient(needs, client, { json, secrets }, context);
    });
    return 0;
  });
};
