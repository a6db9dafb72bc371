import { type Registry, startRegistry } from './registry.ts';
import type { Scale } from './subject.ts';

export interface Registries {
  open(clients: number): Promise<Registry>;
  close(): Promise<void>;
}

/** Servers with registries of different sizes, each made once, for all benchmarks that want it. */
export function openRegistries(folder: string, scale: Scale): Registries {
  const opened = new Map<number, Promise<Registry>>();
  return {
    async open(clients) {
      const known = opened.get(clients);
      if (known !== undefined) return await known;
      const starting = startRegistry(folder, clients, Math.min(clients - 1, scale.loadedClients));
      opened.set(clients, starting);
      return await starting;
    },
    async close() {
      for (const starting of await Promise.allSettled(opened.values())) {
        if (starting.status === 'fulfilled') await starting.value.program.stop();
      }
    },
  };
}
