import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { joseJwtSigner } from '../jose/jwt-signer.ts';
import { keyMaker } from '../jose/key-maker.ts';
import { configuredServerKeys } from '../keys/configured-server-keys.ts';
import { ServerJwkSetRefused } from '../keys/server-jwk-set.ts';
import type { ServerKey } from '../keys/server-key.ts';
import type { KeyEvent, KeyLifeNeeds } from '../keys/server-key-life.ts';
import { loadServerKeys, type ServerKeys } from '../keys/server-keys.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { ServerKeyStore } from '../ports/server-key-store.ts';

export interface TenantKeysNeeds {
  readonly settings: Settings;
  readonly store: ServerKeyStore;
  /** Of this tenant. */
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly onKeyEvent: (event: KeyEvent) => void;
}

export interface TenantKeys {
  readonly keys: ServerKeys;
  /** For what changes them. */
  readonly life: KeyLifeNeeds;
}

/** The keys of a tenant, made where there are none. @throws SettingsError for a configured set that cannot be used */
export async function openTenantKeys(needs: TenantKeysNeeds): Promise<TenantKeys> {
  const { settings, store, sealer, clock, random, log } = needs;
  const configured = await configuredKeys(settings);
  const made = { store, sealer, clock, keyMaker };
  const keys = await loadServerKeys({ ...made, random, signer: joseJwtSigner(), configured });
  const life: KeyLifeNeeds = {
    ...made,
    report(event, { kid, use }) {
      log.info({ event, kid, use }, 'a server key has changed');
      needs.onKeyEvent(event);
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

/** Undefined where keys are generated. @throws SettingsError: better at start than at the first signature */
export async function configuredKeys(settings: Settings): Promise<readonly ServerKey[] | undefined> {
  const text = settings['keys.jwk-set'];
  if (text === undefined) return undefined;
  try {
    return await configuredServerKeys(text, keyMaker);
  } catch (failure) {
    if (!(failure instanceof ServerJwkSetRefused)) throw failure;
    throw new SettingsError([{ path: 'keys.jwk-set', source: 'at start', rule: failure.message }]);
  }
}

/** The longest life of anything that a server key signs, in seconds. */
function longestSignedLifetime(settings: Settings): number {
  return Math.max(settings['access-token.lifetime-max'], settings['id-token.lifetime-max']);
}
