import { parseArgs } from 'node:util';
import { doneEvent, record } from '../../clients/audit-trail.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { auditedAct, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { printClient } from './client-display.ts';
import { clientNamed } from './client-operand.ts';

/** Unlike `GET /clients/{id}` it leaves an expired secret as it is. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, secrets: { type: 'boolean', default: false } },
  });
  const [client_id = ''] = operands(positionals, ['ID']);
  const { config, mode, tenant, json, secrets } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { needs } = session;
    await auditedAct(session, 'client.read', async (trail) => {
      trail.client_id = client_id;
      const client = await clientNamed(session, client_id);
      await printClient(needs, client, { json, secrets }, context);
      record(needs, doneEvent(needs, trail, secrets ? 'with secrets' : 'without secrets'));
    });
    return 0;
  });
};
