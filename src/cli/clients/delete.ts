import { deleteClient } from '../../clients/manage-client.ts';
import { onRegistry } from '../on-registry.ts';
import { auditedAct } from '../registry-session.ts';
import { managing } from './client-operand.ts';

/** Ends a client with its secret, its registration token and every token of it. */
export const run = onRegistry(['ID'], async (session, { operands: [client_id = ''], json, context }) => {
  await auditedAct(session, 'client.delete', async (trail) => {
    trail.client_id = client_id;
    await deleteClient(session.needs, managing(session, client_id), trail);
  });
  context.print(json ? JSON.stringify({ client_id, deleted: true }) : `deleted ${client_id}`);
});
