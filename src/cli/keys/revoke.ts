import { parseArgs } from 'node:util';
import { revokeServerKey } from '../../keys/server-key-life.ts';
import { CommandFailure, calledWrongly } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { ACTOR, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';

const FAILURES = {
  unknown: 'there is no such key, or not any more (chancery keys list shows what there is)',
  configured: 'the key is configured (keys.jwk-set): take it out of that set, and restart',
} as const;

/** Ends a key that somebody else may have. Whoever only wants another one rotates. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, compromised: { type: 'boolean', default: false } },
  });
  const [kid = ''] = operands(positionals, ['KID']);
  const { config, mode, tenant, json, compromised } = values;
  if (!compromised) {
    throw calledWrongly(
      '--compromised is missing: everything that the key signed is refused from now on; chancery keys rotate replaces a key in peace',
    );
  }
  return await withRegistry(
    { config, mode, tenant, create: false },
    context,
    async ({ tenant, request_id }) => {
      const outcome = await revokeServerKey(tenant.serverKeys.life, kid, { actor: ACTOR, request_id });
      if (outcome !== 'revoked') throw new CommandFailure(FAILURES[outcome]);
      context.print(json ? JSON.stringify({ kid, revoked: true }) : `revoked ${kid}`);
      return 0;
    },
  );
};
