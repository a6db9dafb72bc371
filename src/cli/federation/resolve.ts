import { parseArgs } from 'node:util';
import { entityIdProblem } from '../../federation/entity-id.ts';
import { resolutionAsJson } from '../../federation/explain/json.ts';
import { resolutionAsSvg } from '../../federation/explain/svg.ts';
import { resolutionAsText } from '../../federation/explain/text.ts';
import {
  type Resolution,
  resolveTrust,
  type TrustNeeds,
} from '../../federation/trust-chain/resolve-trust.ts';
import { openOutbound, systemJose } from '../../process/platform.ts';
import { systemClock } from '../../system/clock.ts';
import { openTrust } from '../../tenant/federation.ts';
import { CommandFailure, calledWrongly } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { askedSettings } from '../config/config-options.ts';
import { developmentPorts } from '../dev/development-settings.ts';
import { CONFIG_OPTION } from '../settings-sources.ts';

/** Searches for a trust chain as the server would, and shows everything that it met. Needs no database. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      ...CONFIG_OPTION,
      mode: { type: 'string', default: 'production' },
      anchor: { type: 'string' },
      json: { type: 'boolean', default: false },
      svg: { type: 'boolean', default: false },
    },
  });
  const [entity_id = ''] = operands(positionals, ['ENTITY']);
  const { anchor, json, svg, mode, config } = values;
  if (json && svg) throw calledWrongly('--json and --svg exclude each other');
  const options = ['--mode', mode, ...(config === undefined ? [] : ['--config', config])];
  const asked = askedSettings(options, context);
  if (typeof asked === 'number') return asked;
  const settings =
    asked.mode === 'development'
      ? { ...asked.resolved.settings, 'outbound.ports': developmentPorts(asked.resolved) }
      : asked.resolved.settings;
  const problem = entityIdProblem(entity_id, settings['outbound.allow-http']);
  if (problem !== undefined) throw calledWrongly(`ENTITY ${problem}`);
  const outbound = openOutbound(settings, new Set([new URL(settings.issuer).origin]));
  const needs = withAnchor(openTrust(settings, { clock: systemClock, outbound, jose: systemJose }), anchor);
  const resolution = await resolveTrust(needs, { subject: { entity_id }, entityType: undefined });
  for (const line of shown(resolution, { json, svg })) context.print(line);
  return resolution.chain === undefined ? 1 : 0;
};

function withAnchor(needs: TrustNeeds, wanted: string | undefined): TrustNeeds {
  if (needs.anchors.length === 0) throw new CommandFailure('federation.trust-anchors names nobody');
  if (wanted === undefined) return needs;
  const anchors = needs.anchors.filter(({ entity_id }) => entity_id === wanted);
  if (anchors.length === 0) throw new CommandFailure(`federation.trust-anchors does not name ${wanted}`);
  return { ...needs, anchors };
}

function shown(
  resolution: Resolution,
  { json, svg }: { readonly json: boolean; readonly svg: boolean },
): readonly string[] {
  if (json) return [JSON.stringify(resolutionAsJson(resolution), null, 2)];
  return svg ? [resolutionAsSvg(resolution).trimEnd()] : resolutionAsText(resolution);
}
