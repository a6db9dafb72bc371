import type { KeyListNeeds } from '../../keys/list-server-keys.ts';
import type { ServerKey } from '../../keys/server-key.ts';
import type { KeyLifeNeeds } from '../../keys/server-key-life.ts';

/** The server keys of a tenant, for the operations that show them. */
export interface AdminKeyNeeds {
  readonly serverKeys: {
    readonly life: KeyLifeNeeds;
    /** The keys of the setting; undefined where keys are generated. */
    readonly configured: readonly ServerKey[] | undefined;
  };
}

export function keyListNeeds({ serverKeys: { life, configured } }: AdminKeyNeeds): KeyListNeeds {
  const { store, clock, settings } = life;
  return { store, clock, retention: settings.retention, configured };
}
