import { parseArgs } from 'node:util';
import { resealClients } from '../../clients/secrets/client-secrets.ts';
import { resealServerKeys } from '../../keys/server-key-life.ts';
import { openStorage, requireRightKey, resealCanary, sealerOf } from '../../process/storage.ts';
import { DEFAULT_TENANT } from '../../spec/identifiers.ts';
import { sealerForTenant } from '../../system/sealer.ts';
import type { Run } from '../commands.ts';
import { CONFIG_OPTION, settingsFor } from '../settings-sources.ts';

/**
 * Seals everything with the first key of `encryption.key`, while servers that know both keys go on serving.
 * Interrupted, it is run again: what is sealed already is left as it is.
 */
export const run: Run = async (parameters, context) => {
  const { values } = parseArgs({ args: [...parameters], options: CONFIG_OPTION });
  const resolved = settingsFor('production', values.config, context);
  if (resolved === undefined) return 1;
  const sealer = sealerOf(resolved.settings);
  const storage = await openStorage(resolved.settings, { check: false, mode: 'production' });
  try {
    await requireRightKey(storage, sealer);
    let [keys, clients] = [0, 0];
    const tenants = (await storage.tenants.all()).map(({ id }) => id);
    for (const tenant of [DEFAULT_TENANT, ...tenants]) {
      const own = storage.forTenant(tenant);
      const bound = sealerForTenant(sealer, tenant);
      keys += await resealServerKeys(own.serverKeys, bound);
      clients += await resealClients(own.clients, bound);
    }
    await resealCanary(storage, sealer);
    context.print(
      `sealed with the first key: ${keys} server keys, ${clients} clients; the other keys can be removed`,
    );
    return 0;
  } finally {
    await storage.close();
  }
};
