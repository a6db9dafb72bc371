import { keyState, kindOf, type ServerKey } from '../../keys/server-key.ts';
import { isKeyPair, jwkOf } from '../../keys/server-key-life.ts';
import { configuredKeys } from '../../tenant/keys.ts';
import type { CommandContext } from '../commands.ts';
import { onRegistry } from '../on-registry.ts';
import type { RegistrySession } from '../registry-session.ts';
import { table, timeText } from '../table.ts';

/** Every key that is there, in the order in which they were added. */
export const run = onRegistry([], async (session, { json, context }) => {
  const rows = await listedKeys(session);
  if (json) for (const row of rows) context.print(JSON.stringify(row));
  else printTable(context, rows);
});

interface ListedKey {
  readonly kid: string;
  readonly use: string;
  readonly kind: string;
  /** `configured` and `published` for keys of `keys.jwk-set`; `unused` for generated ones that it replaces. */
  readonly state: string;
  readonly active_at: number | null;
  readonly retired_at: number | null;
  /** When it will be removed, as settings are now. */
  readonly removed_at: number | null;
  readonly jwk: unknown;
}

async function listedKeys({ settings, tenant, needs }: RegistrySession): Promise<readonly ListedKey[]> {
  const { store, settings: life } = tenant.serverKeys.life;
  const now = needs.clock.now();
  const configured = await configuredKeys(settings, tenant.serverKeys.life.keyMaker);
  const stored = (await store.all()).filter(isKeyPair).map((key): ListedKey => {
    const { kid, use, active_at, retired_at } = key;
    const jwk = jwkOf(key);
    const state = configured !== undefined && use !== 'federation' ? 'unused' : keyState(key, now);
    const removed_at = retired_at === null ? null : retired_at + life.retention;
    return { kid, use, kind: kindOf(jwk), state, active_at, retired_at, removed_at, jwk };
  });
  return [...(configured ?? []).map(configuredKey), ...stored];
}

function configuredKey({ use, publicJwk, privateJwk }: ServerKey): ListedKey {
  return {
    kid: String(publicJwk['kid']),
    use,
    kind: kindOf(publicJwk),
    state: privateJwk === undefined ? 'published' : 'configured',
    active_at: null,
    retired_at: null,
    removed_at: null,
    jwk: publicJwk,
  };
}

function printTable({ print }: CommandContext, keys: readonly ListedKey[]): void {
  table(print, ['KID', 'USE', 'KIND', 'STATE', 'ACTIVE FROM', 'RETIRED FROM', 'REMOVED FROM']).print(
    keys.map(({ kid, use, kind, state, active_at, retired_at, removed_at }) => [
      kid,
      use,
      kind,
      state,
      timeText(active_at, '-'),
      timeText(retired_at, '-'),
      timeText(removed_at, '-'),
    ]),
  );
}
