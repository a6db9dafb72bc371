import { parseArgs } from 'node:util';
import { type Rotated, rotateServerKeys } from '../../keys/rotate-server-keys.ts';
import { CommandFailure, calledWrongly } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { ACTOR, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { timeText } from '../table.ts';

const KINDS = ['RSA', 'P-256', 'P-384', 'P-521', 'Ed25519', 'X25519'];

/** Appoints successors. Federation keys have superiors who vouch for them, and change only when they are named. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      ...REGISTRY_OPTIONS,
      use: { type: 'string' },
      kind: { type: 'string' },
      now: { type: 'boolean', default: false },
    },
  });
  operands(positionals, []);
  const { config, mode, tenant, json, use, kind, now } = values;
  if (kind !== undefined && !KINDS.includes(kind))
    throw calledWrongly(`--kind must be one of ${KINDS.join(', ')}, found ${JSON.stringify(kind)}`);
  const request = { uses: usesOf(use), kind, at_once: now };
  return await withRegistry(
    { config, mode, tenant, create: false },
    context,
    async ({ tenant, request_id }) => {
      const { life } = tenant.serverKeys;
      const rotated = await rotateServerKeys(life, request, { actor: ACTOR, request_id });
      if (rotated.length === 0) throw new CommandFailure(nothing(life.settings.configured));
      for (const key of rotated) context.print(json ? JSON.stringify(key) : sentence(key));
      return 0;
    },
  );
};

function usesOf(use: string | undefined): readonly ('sig' | 'enc' | 'federation')[] {
  if (use === undefined) return ['sig', 'enc'];
  if (use === 'sig' || use === 'enc' || use === 'federation') return [use];
  throw calledWrongly(`--use must be sig, enc or federation, found ${JSON.stringify(use)}`);
}

function nothing(configured: boolean): string {
  return configured
    ? 'the keys are configured (keys.jwk-set): change that set instead'
    : 'there is no such key';
}

function sentence({ kid, use, kind, succeeds, active_at, change }: Rotated): string {
  const name = `${use} ${kind}: ${kid}`;
  const from = timeText(active_at, 'now');
  if (change === 'activated') return `${name} has taken over${succeeds === null ? '' : ` from ${succeeds}`}`;
  return `${name} ${change === 'known' ? 'was announced before and' : 'is announced and'} takes over at ${from}`;
}
