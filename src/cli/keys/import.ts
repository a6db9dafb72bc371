import { parseArgs } from 'node:util';
import { type ImportedKey, importServerKeys } from '../../keys/import-server-keys.ts';
import { ServerJwkSetRefused } from '../../keys/server-jwk-set.ts';
import { CommandFailure } from '../command-failure.ts';
import { operands, readInput } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { ACTOR, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { timeText } from '../table.ts';

/** Brings keys that were made elsewhere, or that another server signs with. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, now: { type: 'boolean', default: false } },
  });
  const [file = ''] = operands(positionals, ['FILE']);
  const { config, mode, tenant, json, now } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { settings, tenant, request_id } = session;
    const text = Buffer.from(await readInput(file, settings['limits.body'])).toString('utf8');
    const imported = await imports(
      async () => await importServerKeys(tenant.serverKeys.life, text, now, { actor: ACTOR, request_id }),
    );
    for (const key of imported) context.print(json ? JSON.stringify(key) : sentence(key));
    return 0;
  });
};

async function imports(act: () => Promise<readonly ImportedKey[]>): Promise<readonly ImportedKey[]> {
  try {
    return await act();
  } catch (failure) {
    throw failure instanceof ServerJwkSetRefused
      ? new CommandFailure(`the set is refused: ${failure.message}`)
      : failure;
  }
}

function sentence({ kid, use, outcome, active_at }: ImportedKey): string {
  switch (outcome) {
    case 'announced':
      return `${use} ${kid} is announced and takes over at ${timeText(active_at ?? 0, 'once')}`;
    case 'activated':
      return `${use} ${kid} has taken over`;
    case 'published':
      return `${use} ${kid} is published`;
    case 'known':
      return `${use} ${kid} is known already: nothing has changed`;
  }
}
