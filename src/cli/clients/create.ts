import { parseArgs } from 'node:util';
import { dryRun } from '../../clients/registration/dry-run.ts';
import { registerClient } from '../../clients/registration/register-client.ts';
import type { Registrant } from '../../clients/registration/registration-authority.ts';
import { applySoftwareStatement } from '../../clients/registration/software-statement.ts';
import { parseJsonObject } from '../../spec/json.ts';
import { ALL_PRIVILEGES } from '../../spec/registration-privileges.ts';
import { operands, readInput } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { ACTOR, auditedAct, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { printClient } from './client-display.ts';

/** With the privileges of the master token. */
const REGISTRANT: Registrant = { kind: 'master', name: ACTOR, privileges: ALL_PRIVILEGES };

/** Registers what `POST /clients` would register for the master token. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, 'dry-run': { type: 'boolean', default: false } },
  });
  const [file = ''] = operands(positionals, ['FILE']);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: true }, context, async (session) => {
    const { needs, settings } = session;
    const body = await readInput(file, settings['limits.body']);
    await auditedAct(session, 'client.create', async (trail) => {
      const sent = parseJsonObject(body, needs.settings.json);
      const { request } = await applySoftwareStatement(needs, sent);
      if (values['dry-run']) {
        context.print(await dryRun(needs, REGISTRANT, request, trail));
        return;
      }
      const client = await registerClient(needs, REGISTRANT, request, trail);
      await printClient(needs, client, { json, secrets: true }, context);
    });
    return 0;
  });
};
