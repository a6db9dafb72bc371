import { parseArgs } from 'node:util';
import { pruneIdleClients } from '../../clients/upkeep/prune-clients.ts';
import { calledWrongly } from '../command-failure.ts';
import { operands, secondsOption } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { ACTOR, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';

/** Ends clients that were registered openly and are not used. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      ...REGISTRY_OPTIONS,
      idle: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  operands(positionals, []);
  const asked = values.idle === undefined ? undefined : secondsOption('idle', values.idle);
  const { config, mode, tenant, json, 'dry-run': dryRun } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { needs, settings, request_id } = session;
    const idleSeconds = asked ?? settings['registration.idle-client-lifetime'];
    if (idleSeconds === 0) {
      throw calledWrongly('--idle must be a number of seconds: registration.idle-client-lifetime is not set');
    }
    const tokenLifetimeMax = settings['access-token.lifetime-max'];
    const options = { idleSeconds, tokenLifetimeMax, dryRun, actor: ACTOR, request_id };
    const pruned = await pruneIdleClients(needs, options);
    for (const client_id of pruned) context.print(json ? JSON.stringify({ client_id }) : client_id);
    if (!json) context.print(`${pruned.length} idle clients ${dryRun ? 'would be deleted' : 'deleted'}`);
    return 0;
  });
};
