import type { Settings } from './config/settings.ts';
import { SealBroken, type Sealer } from './ports/sealer.ts';
import { type Storage, StorageUnavailable } from './ports/storage.ts';
import { openSqliteStorage } from './storage/sqlite/open.ts';
import { sealerWith } from './system/sealer.ts';

const CANARY_PLACE = 'canary';

export function sealerOf(settings: Settings): Sealer {
  return sealerWith((settings['encryption.key'] ?? []).map((key) => Buffer.from(key, 'hex')));
}

export async function openStorage(
  settings: Settings,
  options: { readonly check: boolean },
): Promise<Storage> {
  return await openSqliteStorage(settings['storage.url'].slice('sqlite:'.length), options);
}

/** A wrong key is noticed here, in one clear line, and not by the first client that reads its secret. */
export async function requireRightKey(storage: Storage, sealer: Sealer): Promise<void> {
  const kept = await storage.sealCanary(sealer.seal(CANARY_PLACE, CANARY_PLACE));
  try {
    sealer.open(kept, CANARY_PLACE);
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause;
    throw new StorageUnavailable(
      'encryption.key does not open what the database holds: it was sealed with another key',
      { cause },
    );
  }
}

export async function resealCanary(storage: Storage, sealer: Sealer): Promise<void> {
  await storage.replaceSealCanary(sealer.seal(CANARY_PLACE, CANARY_PLACE));
}
