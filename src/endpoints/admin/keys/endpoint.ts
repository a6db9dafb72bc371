import { type ListedKey, listServerKeys } from '../../../keys/list-server-keys.ts';
import type { ServerKey } from '../../../keys/server-key.ts';
import { type KeyLifeNeeds, revokeServerKey } from '../../../keys/server-key-life.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { timeOrNever } from '../../../spec/time-text.ts';
import { type AdminCall, acting, type Item, listing, reading } from '../operation.ts';
import { pageIn } from '../page-in-memory.ts';
import { keyList, keyRead, keyRevoke } from './contract.ts';

export interface AdminKeyNeeds {
  readonly serverKeys: {
    readonly life: KeyLifeNeeds;
    /** The keys of the setting; undefined where keys are generated. */
    readonly configured: readonly ServerKey[] | undefined;
  };
}

export const adminKeys = [
  listing<AdminKeyNeeds>(keyList, async (needs, { page }) => pageIn(await keysOf(needs), page, 'kid')),
  reading<AdminKeyNeeds>(keyRead, async (needs, call) => ({ item: await keyAt(needs, call) })),
  acting<AdminKeyNeeds>(keyRevoke, async (needs, call) => {
    const before = await keyAt(needs, call);
    if (isConfigured(before))
      throw new Problem('conflict', 'the key is configured (keys.jwk-set): take it out of that set');
    return {
      before,
      after: null,
      commit: async () => {
        const outcome = await revokeServerKey(needs.serverKeys.life, call.segments['kid'] ?? '', call.by);
        if (outcome !== 'revoked') throw notFound('key');
        return {};
      },
    };
  }),
];

async function keysOf({ serverKeys: { life, configured } }: AdminKeyNeeds): Promise<readonly Item[]> {
  const { store, clock, settings } = life;
  return (await listServerKeys({ store, clock, retention: settings.retention, configured })).map(rendered);
}

function rendered({ active_at, retired_at, removed_at, ...key }: ListedKey): Item {
  return {
    ...key,
    active_at: timeOrNever(active_at),
    retired_at: timeOrNever(retired_at),
    removed_at: timeOrNever(removed_at),
  };
}

async function keyAt(needs: AdminKeyNeeds, { segments }: AdminCall): Promise<Item> {
  const key = (await keysOf(needs)).find(({ kid }) => kid === segments['kid']);
  if (key === undefined) throw notFound('key');
  return key;
}

const isConfigured = ({ state }: Item): boolean =>
  state === 'configured' || state === 'published' || state === 'unused';
