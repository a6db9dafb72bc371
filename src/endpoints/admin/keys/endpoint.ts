import { importServerKeys } from '../../../keys/import-server-keys.ts';
import { type ListedKey, listServerKeys } from '../../../keys/list-server-keys.ts';
import {
  type PlannedRotation,
  plannedRotation,
  type RotationRequest,
  rotateServerKeys,
} from '../../../keys/rotate-server-keys.ts';
import { readServerJwkSet, ServerJwkSetRefused } from '../../../keys/server-jwk-set.ts';
import { revokeServerKey } from '../../../keys/server-key-life.ts';
import type { RemovedServerKey, ServerKeyStore } from '../../../ports/server-key-store.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { timeOrNever, timeText } from '../../../spec/time-text.ts';
import { type AdminKeyNeeds, keyListNeeds } from '../key-list.ts';
import { type AdminCall, acting, type Item, listing, reading, type WriteCall } from '../operation.ts';
import { pageIn } from '../page-in-memory.ts';
import { keyImport, keyList, keyRead, keyRevoke, keyRotate, removedKeyList } from './contract.ts';

type RemovedKeyNeeds = AdminKeyNeeds & {
  readonly storage: { readonly serverKeys: Pick<ServerKeyStore, 'removed'> };
};

export const adminKeys = [
  listing<AdminKeyNeeds>(keyList, async (needs, { page, query: { use, state } }) => {
    const keys = (await keysOf(needs)).filter(
      (key) => (use === undefined || key['use'] === use) && (state === undefined || key['state'] === state),
    );
    return pageIn(keys, page, 'kid');
  }),
  listing<RemovedKeyNeeds>(removedKeyList, async ({ storage }, { page }) =>
    pageIn((await storage.serverKeys.removed()).map(removedItem), page, 'kid'),
  ),
  reading<AdminKeyNeeds>(keyRead, async (needs, call) => ({ item: await keyAt(needs, call) })),
  acting<AdminKeyNeeds>(keyRotate, async (needs, call) => {
    const { life } = needs.serverKeys;
    const request = rotationOf(call);
    const planned = await plannedRotation(life, request);
    if (planned.length === 0) throw nothingToRotate(life.settings.configured);
    return {
      before: { rotated: [] },
      after: { rotated: planned.map((each) => rotatedItem(null, each)) },
      warnings: request.at_once ? [AT_ONCE] : [],
      commit: async () => {
        const rotated = await rotateServerKeys(life, request, call.by);
        return { item: { rotated: rotated.map(({ kid, ...each }) => rotatedItem(kid, each)) } };
      },
    };
  }),
  acting<AdminKeyNeeds>(keyImport, async (needs, call) => {
    const { life } = needs.serverKeys;
    const text = JSON.stringify(call.body['jwks']);
    if (life.settings.configured) throw CONFIGURED;
    const brought = await readServerJwkSet(text, life.keyMaker).catch(refusedSet);
    const atOnce = call.body['now'] === true;
    return {
      before: { imported: [] },
      after: {
        imported: brought.map(({ kid, use }) => ({ kid, use, outcome: 'to be imported', active_at: null })),
      },
      warnings: atOnce ? [AT_ONCE] : [],
      commit: async () => {
        const imported = await importServerKeys(life, text, atOnce, call.by).catch(refusedSet);
        const items = imported.map(({ active_at = null, ...key }) => ({
          ...key,
          active_at: timeOrNever(active_at),
        }));
        return { item: { imported: items } };
      },
    };
  }),
  acting<AdminKeyNeeds>(keyRevoke, async (needs, call) => {
    const before = await keyAt(needs, call);
    if (isConfigured(before)) throw CONFIGURED;
    return {
      before,
      after: null,
      warnings: ['everything that the key signed becomes invalid; this cannot be undone'],
      commit: async () => {
        const outcome = await revokeServerKey(needs.serverKeys.life, call.segments['kid'] ?? '', call.by);
        if (outcome !== 'revoked') throw notFound('key');
        return {};
      },
    };
  }),
];

const AT_ONCE = 'clients that cache the key set refuse new tokens until they read it again';
const CONFIGURED = new Problem('conflict', 'the keys are configured (keys.jwk-set): change that set instead');

function refusedSet(failure: unknown): never {
  if (!(failure instanceof ServerJwkSetRefused)) throw failure;
  const detail = `is refused: ${failure.message}`;
  throw new Problem('invalid_body', `/jwks ${detail}`, { errors: [{ pointer: '/jwks', detail }] });
}

function rotationOf({ body }: WriteCall): RotationRequest {
  const { use, kind, now } = body;
  return {
    uses: use === 'sig' || use === 'enc' || use === 'federation' ? [use] : ['sig', 'enc'],
    kind: typeof kind === 'string' ? kind : undefined,
    at_once: now === true,
  };
}

const nothingToRotate = (configured: boolean): Problem =>
  configured ? CONFIGURED : new Problem('conflict', 'there is no such key');

/** @param kid null before the key is made */
const rotatedItem = (kid: string | null, { active_at, ...key }: PlannedRotation): Item => ({
  kid,
  ...key,
  active_at: timeText(active_at),
});

async function keysOf(needs: AdminKeyNeeds): Promise<readonly Item[]> {
  return (await listServerKeys(keyListNeeds(needs))).map(rendered);
}

function rendered({ active_at, retired_at, removed_at, ...key }: ListedKey): Item {
  return {
    ...key,
    active_at: timeOrNever(active_at),
    retired_at: timeOrNever(retired_at),
    removed_at: timeOrNever(removed_at),
  };
}

function removedItem({ kid, use, active_at, retired_at, removed_at, reason }: RemovedServerKey): Item {
  return {
    kid,
    use,
    active_at: timeText(active_at),
    retired_at: timeOrNever(retired_at),
    removed_at: timeText(removed_at),
    reason,
  };
}

async function keyAt(needs: AdminKeyNeeds, { segments }: AdminCall): Promise<Item> {
  const key = (await keysOf(needs)).find(({ kid }) => kid === segments['kid']);
  if (key === undefined) throw notFound('key');
  return key;
}

const isConfigured = ({ state }: Item): boolean =>
  state === 'configured' || state === 'published' || state === 'unused';
