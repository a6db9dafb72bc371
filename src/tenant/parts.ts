import { remoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import { networkLimits } from '../clients/rate-limits.ts';
import { liveClients } from '../clients/registered-client.ts';
import { clientUses } from '../clients/upkeep/client-uses.ts';
import type { Settings } from '../config/settings.ts';
import type { TenantId } from '../spec/identifiers.ts';
import { openTrust } from './federation.ts';
import { openTenantKeys } from './keys.ts';
import { openLogoutDelivery } from './logout.ts';
import type { Platform } from './platform.ts';
import { openEndUsers } from './sign-in.ts';
import { openSoftwareStatements } from './trusted-issuers.ts';

/** The parts that a tenant has once, however many names it has. Platform and storage are among them. */
export type TenantParts = Awaited<ReturnType<typeof openParts>>;

/** Opens the parts of a tenant. @throws SettingsError for settings that could never work */
export async function openParts(platform: Platform, settings: Settings, id: TenantId) {
  const { clock, log, outbound, jose } = platform;
  const kept = platform.cached(platform.storage.forTenant(id), {
    clients: settings['cache.clients'],
    accessTokens: settings['cache.access-tokens'],
  });
  const storage = { ...kept, clients: liveClients(kept.clients, clock) };
  const sealer = platform.sealerFor(id);
  const serverKeys = await openTenantKeys(settings, platform, { store: storage.serverKeys, sealer });
  const { keys } = serverKeys;
  const jwkSets = remoteJwkSets({ outbound, clock });
  const trustedJwkSets = remoteJwkSets({ outbound, clock });
  const clientJwts = { keys, encrypter: jose.encrypter, jwkSets };
  const idTokens = { issuer: settings.issuer, clientJwts, pairwiseSecret: keys.pairwiseSecret };
  return {
    ...platform,
    settings,
    storage,
    /** With the clients that have expired. */
    keptClients: kept.clients,
    sealer,
    serverKeys,
    keys,
    jwkSets,
    trustedJwkSets,
    clientJwts,
    /** Under the tenant's first name. */
    idTokens,
    restoration: await platform.storage.restoration(),
    uses: clientUses({ clients: storage.clients, clock, log }),
    openLimits: networkLimits(
      {
        kind: 'open-registration',
        perNetwork: settings['registration.open-rate-per-network'],
        overall: settings['registration.open-rate'],
      },
      { store: storage.rates, clock, log },
    ),
    softwareStatements: openSoftwareStatements(settings, { ...platform, trustedJwkSets }),
    // All names share one memory. Opened here, so that a bad anchor shows at start and not at the first relying party.
    trust: settings['federation.enabled'] ? openTrust(settings, platform) : undefined,
    people: openEndUsers(settings, platform, storage),
    delivery: openLogoutDelivery(settings, platform, { storage, tokens: idTokens }),
  };
}
