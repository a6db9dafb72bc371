import type { TrustNeeds } from '../federation/trust-chain/resolve-trust.ts';
import { openOutbound, systemJose } from '../process/platform.ts';
import { ProcessCaches } from '../spec/caches.ts';
import { systemClock } from '../system/clock.ts';
import { openTrust } from '../tenant/federation.ts';
import type { OptionValues, Surroundings } from './command.ts';
import { developmentPorts } from './development.ts';
import { type CONFIG_OPTION, type MODE_OPTION, modeOf, settingsFor } from './settings.ts';

interface TrustCall extends Surroundings {
  readonly options: OptionValues<typeof CONFIG_OPTION & typeof MODE_OPTION>;
}

/** Opens what a command resolves trust with, from the settings. It opens no database. */
export async function commandTrust(call: TrustCall): Promise<TrustNeeds> {
  const mode = modeOf(call);
  const resolved = await settingsFor(mode, call);
  const settings =
    mode === 'development'
      ? { ...resolved.settings, 'outbound.ports': developmentPorts(resolved) }
      : resolved.settings;
  // No server of this process could be called in a loop, and operators resolve their own server.
  const outbound = openOutbound(settings, new Set());
  return openTrust(settings, {
    clock: systemClock,
    outbound,
    jose: systemJose,
    caches: new ProcessCaches(0),
  });
}
