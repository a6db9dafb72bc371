import type { TrustNeeds } from '../federation/trust-chain/resolve-trust.ts';
import type { Log } from '../ports/log.ts';
import type { StoredTrustAnchor } from '../ports/trust-anchor-store.ts';
import { openOutbound, systemJose } from '../process/platform.ts';
import { ProcessCaches } from '../spec/caches.ts';
import { DEFAULT_TENANT } from '../spec/identifiers.ts';
import { systemClock } from '../system/clock.ts';
import { openTrust, openTrustAnchors } from '../tenant/federation.ts';
import type { OptionValues, Surroundings } from './command.ts';
import { developmentPorts } from './development.ts';
import { explain } from './failure.ts';
import { withStorage } from './session.ts';
import { type CONFIG_OPTION, type MODE_OPTION, modeOf, type StorageCall, settingsFor } from './settings.ts';

interface TrustCall extends Surroundings {
  readonly options: OptionValues<typeof CONFIG_OPTION & typeof MODE_OPTION>;
}

/**
 * Opens what a command resolves trust with, from the settings.
 * @param stored the records about trust anchors that servers keep: the accepted keys count as well
 */
export async function commandTrust(
  call: TrustCall,
  stored: readonly StoredTrustAnchor[] = [],
): Promise<TrustNeeds> {
  const mode = modeOf(call);
  const resolved = await settingsFor(mode, call);
  const settings =
    mode === 'development'
      ? { ...resolved.settings, 'outbound.ports': developmentPorts(resolved) }
      : resolved.settings;
  // No server of this process could be called in a loop, and operators resolve their own server.
  const outbound = openOutbound(settings, new Set());
  const platform = { clock: systemClock, outbound, jose: systemJose, caches: new ProcessCaches(0) };
  if (stored.length === 0) return openTrust(settings, platform);
  const nothing = { ...platform, log: SILENT, metrics: { count: () => undefined } };
  const storage = {
    trustAnchors: { all: async () => stored, put: async () => false, remove: async () => false },
  };
  return openTrust(settings, platform, openTrustAnchors(settings, { ...nothing, storage }));
}

/** The command shows what it finds, and records nothing. */
const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Reads the records about trust anchors. Returns none, and says why, without a database that this command can open. */
export async function storedAnchors(call: StorageCall): Promise<readonly StoredTrustAnchor[]> {
  try {
    return await withStorage(
      call,
      { create: false },
      async ({ storage }) => await storage.forTenant(DEFAULT_TENANT).trustAnchors.all(),
    );
  } catch (failure) {
    const [why = ''] = explain('federation resolve', failure).lines;
    call.complain(`${why} (accepted keys of trust anchors are not known)`);
    return [];
  }
}
