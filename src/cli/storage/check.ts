import { parseArgs } from 'node:util';
import { openRegistrationToken, openSecret } from '../../clients/secrets/client-secrets.ts';
import type { Settings } from '../../config/settings.ts';
import { keyPlace } from '../../keys/make-server-keys.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { SealBroken, type Sealer } from '../../ports/sealer.ts';
import type { Storage } from '../../ports/storage.ts';
import { openStorage, requireKeyOpens, sealerOf, sqlitePath, tablesAt } from '../../process/storage.ts';
import { type ClientId, DEFAULT_TENANT, type TenantId } from '../../spec/identifiers.ts';
import { sealedCanary } from '../../storage/backup-manifest.ts';
import { checkTables } from '../../storage/check-tables.ts';
import { sqliteDamage } from '../../storage/sqlite/damage.ts';
import { sealerForTenant } from '../../system/sealer.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { CONFIG_OPTION, settingsFor } from '../settings-sources.ts';

const PAGE = 100;

/** Reads a database through, beside the servers that use it; ends with 1 where something is wrong. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...CONFIG_OPTION, json: { type: 'boolean', default: false } },
  });
  operands(positionals, []);
  const resolved = settingsFor('production', values.config, context);
  if (resolved === undefined) return 1;
  const { settings } = resolved;
  const path = sqlitePath(settings);
  const damage = path === undefined ? [] : sqliteDamage(path);
  const reader = await tablesAt(settings['storage.url']).snapshot();
  try {
    const sealer = sealerOf(settings);
    const canary = await sealedCanary(reader);
    if (canary !== undefined) requireKeyOpens(canary, sealer, 'the database');
    const { rows, findings } = await checkTables(reader);
    // Where the rows cannot be relied on, what is sealed in them says nothing.
    const sound = damage.length + findings.length === 0;
    const sealed = sound ? await brokenSealsAt(settings, sealer) : [];
    const all = [...damage, ...findings, ...sealed];
    if (values.json) context.print(JSON.stringify({ rows, findings: all }));
    else {
      for (const finding of all) context.print(finding);
      context.print(
        all.length === 0 ? `${rows} rows: nothing wrong` : `${rows} rows read, ${all.length} findings`,
      );
    }
    return all.length === 0 ? 0 : 1;
  } finally {
    await reader.close();
  }
};

async function brokenSealsAt(settings: Settings, sealer: Sealer): Promise<readonly string[]> {
  const storage = await openStorage(settings, { check: false, mode: 'production' });
  try {
    return await brokenSeals(storage, sealer);
  } finally {
    await storage.close();
  }
}

async function brokenSeals(storage: Storage, sealer: Sealer): Promise<readonly string[]> {
  const broken: string[] = [];
  const tenants: readonly TenantId[] = [DEFAULT_TENANT, ...(await storage.tenants.all()).map(({ id }) => id)];
  for (const tenant of tenants) {
    const bound = sealerForTenant(sealer, tenant);
    const own = storage.forTenant(tenant);
    for (const { kid, sealed_jwk } of await own.serverKeys.all()) {
      const opens = sealed_jwk === null || isOpened(() => bound.open(sealed_jwk, keyPlace(kid)));
      if (!opens) broken.push(`server key ${kid} of ${tenant} does not open`);
    }
    let after: ClientId | undefined;
    while (true) {
      const page: readonly StoredClient[] = await own.clients.page(after, PAGE);
      for (const client of page) {
        if (!isOpened(() => openAll(bound, client)))
          broken.push(`client ${client.client_id} of ${tenant}: a secret does not open`);
      }
      after = page.at(-1)?.client_id;
      if (page.length < PAGE) break;
    }
  }
  return broken;
}

function openAll(sealer: Sealer, client: StoredClient): void {
  openRegistrationToken(sealer, client);
  for (const secret of client.secrets) openSecret(sealer, client, secret);
}

function isOpened(open: () => unknown): boolean {
  try {
    open();
    return true;
  } catch (error) {
    if (error instanceof SealBroken) return false;
    throw error;
  }
}
