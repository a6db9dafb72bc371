import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { configuredServerKeys, ServerJwkSetRefused } from '../keys/server-jwk-set.ts';
import type { ServerKey } from '../keys/server-key.ts';
import type { KeyLifeNeeds } from '../keys/server-key-life.ts';
import { loadServerKeys, type ServerKeys } from '../keys/server-keys.ts';
import type { KeyMaker } from '../ports/key-maker.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { ServerKeyStore } from '../ports/server-key-store.ts';
import type { Jose, Platform } from './platform.ts';

export interface TenantKeysNeeds {
  readonly store: ServerKeyStore;
  /** Bound to this tenant. */
  readonly sealer: Sealer;
}

type KeyPlatform = Pick<Platform, 'clock' | 'random' | 'log' | 'metrics'> & {
  readonly jose: Pick<Jose, 'keyMaker' | 'signer'>;
};

export interface TenantKeys {
  readonly keys: ServerKeys;
  /** For the acts that change keys. */
  readonly life: KeyLifeNeeds;
}

/** Opens the keys of a tenant; makes them at its first start. @throws SettingsError for a configured set that cannot be used */
export async function openTenantKeys(
  settings: Settings,
  { clock, random, jose: { keyMaker, signer }, log, metrics }: KeyPlatform,
  { store, sealer }: TenantKeysNeeds,
): Promise<TenantKeys> {
  const configured = await configuredKeys(settings, keyMaker);
  const made = { store, sealer, clock, keyMaker };
  const keys = await loadServerKeys({ ...made, random, signer, configured });
  const life: KeyLifeNeeds = {
    ...made,
    report(event, { kid, use }) {
      log.info({ event, kid, use }, 'a server key has changed');
      metrics.countServerKeyEvent(event);
    },
    settings: {
      configured: configured !== undefined,
      announcement: settings['keys.announcement'],
      rotationInterval: settings['keys.rotation-interval'],
      retention: longestSignedLifetime(settings) + settings['keys.retention'],
    },
  };
  return { keys, life };
}

/** Reads the configured keys; undefined where keys are generated. @throws SettingsError at start for a set that could not sign */
export async function configuredKeys(
  settings: Settings,
  keyMaker: KeyMaker,
): Promise<readonly ServerKey[] | undefined> {
  const text = settings['keys.jwk-set'];
  if (text === undefined) return undefined;
  try {
    return await configuredServerKeys(text, keyMaker);
  } catch (failure) {
    if (!(failure instanceof ServerJwkSetRefused)) throw failure;
    throw new SettingsError([{ path: 'keys.jwk-set', source: 'at start', rule: failure.message }]);
  }
}

/** Returns the longest lifetime of anything that a server key signs, in seconds. */
function longestSignedLifetime(settings: Settings): number {
  return Math.max(settings['access-token.lifetime-max'], settings['id-token.lifetime-max']);
}
