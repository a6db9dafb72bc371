import type { Storage, TenantStorage } from '../../ports/storage.ts';
import { OTHER_TENANT, TENANT } from './stored-examples.ts';

/** A place where data is kept, empty at first. */
export interface Engine {
  /** Another process's view of the same data, or the same process's after a restart. */
  open(): Promise<Storage>;
  /** Removes the place and everything in it. */
  remove(): Promise<void>;
}

export type MakeEngine = () => Promise<Engine>;

export interface Stage {
  readonly engine: Engine;
  readonly storage: Storage;
  readonly tenant: TenantStorage;
  readonly other: TenantStorage;
}

/** Runs `act` on an empty storage, and closes and removes it whatever happens. */
export const onEmptyStorage =
  (make: MakeEngine, act: (stage: Stage) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const engine = await make();
    try {
      const storage = await engine.open();
      try {
        await act({
          engine,
          storage,
          tenant: storage.forTenant(TENANT),
          other: storage.forTenant(OTHER_TENANT),
        });
      } finally {
        await storage.close();
      }
    } finally {
      await engine.remove();
    }
  };

/** Opens the data of `engine` once more, and closes it whatever happens. */
export async function onSecondView(
  engine: Engine,
  act: (tenant: TenantStorage, storage: Storage) => Promise<void>,
): Promise<void> {
  const storage = await engine.open();
  try {
    await act(storage.forTenant(TENANT), storage);
  } finally {
    await storage.close();
  }
}
