import type { AssertionNeeds, AuthenticationNeeds } from '../clients/client-authentication/method.ts';
import { rememberedOutcomes } from '../clients/client-authentication/remembered-outcomes.ts';
import { remoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import { networkLimits } from '../clients/rate-limits.ts';
import { liveClients } from '../clients/registered-client.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import { type ClientUses, clientUses } from '../clients/upkeep/client-uses.ts';
import type { Settings } from '../config/settings.ts';
import type { DirectAuthorizationNeeds } from '../grants/direct-authorization/authorize-directly.ts';
import type { Site } from '../http/router.ts';
import { macForAlias } from '../keys/digest.ts';
import type { Log } from '../ports/log.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { LogoutDelivery } from '../sessions/logout-delivery.ts';
import { BoundedMap } from '../spec/bounded-map.ts';
import type { TenantId } from '../spec/identifiers.ts';
import type { AccessTokenNeeds } from '../tokens/access-token.ts';
import { type EndUsers, openEndUsers } from './end-users.ts';
import { automaticRegistration, explicitRegistration, openTrust } from './federation.ts';
import { issuerSite } from './issuer.ts';
import { openTenantKeys, type TenantKeys } from './keys.ts';
import { logoutEndpoints, openLogoutDelivery } from './logout.ts';
import type { Platform } from './platform.ts';
import {
  assertionAudience,
  directLifetimes,
  registrySettings,
  selfContainedTokens,
  tokenSettings,
} from './settings.ts';
import { openAuthorization, pagesUnder } from './sign-in.ts';
import { openAssertionGrants, openSoftwareStatements } from './trusted-issuers.ts';

export interface TenantNeeds {
  readonly id: TenantId;
  readonly settings: Settings;
}

/** One tenant with everything that is its own. */
export interface Tenant {
  /** What stands below one of its names, and calls itself by that name. */
  site(issuer: string): Site;
  readonly storage: TenantStorage;
  /** Under its issuer. */
  readonly registry: RegistryNeeds;
  readonly uses: ClientUses;
  readonly serverKeys: TenantKeys;
  readonly endUsers: EndUsers;
  readonly direct: DirectAuthorizationNeeds;
  readonly logoutDelivery: LogoutDelivery;
  /** Records what is not recorded yet. */
  close(): Promise<void>;
}

/** Opens one tenant on a platform. Its endpoints never see its id, so none can forget it. */
export async function openTenant(platform: Platform, needs: TenantNeeds): Promise<Tenant> {
  const shared = await openShared(platform, needs);
  const { uses, storage, serverKeys, settings } = shared;
  const registry = registryUnder(shared, settings.issuer);
  const endUsers = openEndUsers(settings, shared.platform, storage);
  const direct = directUnder(shared, registry);
  const delivery = openLogoutDelivery(settings, shared.platform, { storage, tokens: direct.idTokens });
  return {
    site(issuer) {
      const isFirst = issuer === registry.issuer;
      const own = isFirst ? registry : registryUnder(shared, issuer);
      const ownDirect = isFirst ? direct : directUnder(shared, own);
      return { tenant: needs.id, ...siteUnder(shared, own, ownDirect, endUsers, delivery) };
    },
    storage,
    registry,
    uses,
    serverKeys,
    direct,
    endUsers,
    logoutDelivery: delivery,
    async close() {
      await delivery.close();
      await uses.flush();
    },
  };
}

type Shared = Awaited<ReturnType<typeof openShared>>;

/** Opens what a tenant has once, however many names it has. */
async function openShared(whole: Platform, { id, settings }: TenantNeeds) {
  const platform: Platform = { ...whole, log: tenantLog(whole.log, id) };
  const { clock, random, outbound, log, jose } = platform;
  const kept = platform.cached(platform.storage.forTenant(id), {
    clients: settings['cache.clients'],
    accessTokens: settings['cache.access-tokens'],
  });
  const storage = { ...kept, clients: liveClients(kept.clients, clock) };
  const sealer = platform.sealerFor(id);
  const serverKeys = await openTenantKeys(settings, platform, { store: storage.serverKeys, sealer });
  const restoration = await platform.storage.restoration();
  const jwkSets = remoteJwkSets({ outbound, clock });
  const openLimits = networkLimits(
    {
      kind: 'open-registration',
      perNetwork: settings['registration.open-rate-per-network'],
      overall: settings['registration.open-rate'],
    },
    { store: storage.rates, clock, log },
  );
  return {
    platform,
    settings,
    storage,
    /** With the clients that have expired. */
    keptClients: kept.clients,
    bound: { sealer, clock, random },
    serverKeys,
    openLimits,
    softwareStatements: openSoftwareStatements(settings, platform),
    restoration,
    uses: clientUses({ clients: storage.clients, clock, log }),
    jwkSets,
    clientJwts: { keys: serverKeys.keys, encrypter: jose.encrypter, jwkSets },
    // All names share one memory. Opened here, so that a bad anchor shows at start and not at the first relying party.
    trust: settings['federation.enabled'] ? openTrust(settings, platform) : undefined,
  };
}

function registryUnder(shared: Shared, issuer: string): RegistryNeeds {
  const { settings, storage, bound, openLimits, softwareStatements } = shared;
  const { outbound, log } = shared.platform;
  return {
    issuer,
    clients: storage.clients,
    accessTokens: accessTokensUnder(shared, issuer),
    ...bound,
    outbound,
    openLimits,
    ...(softwareStatements === undefined ? {} : { softwareStatements }),
    ...(shared.restoration === undefined ? {} : { restoration: shared.restoration }),
    audit: storage.audit,
    log,
    settings: registrySettings(settings, shared.serverKeys.keys),
  };
}

/** What was issued under one name is not valid under another. */
function accessTokensUnder(
  { platform, settings, storage, serverKeys: { keys }, bound }: Shared,
  issuer: string,
): AccessTokenNeeds {
  const { clock, random } = bound;
  const mac = keys.accessTokenMac;
  return {
    issuer,
    mac: issuer === settings.issuer ? mac : macForAlias(mac, issuer),
    genuine: new BoundedMap(settings['cache.access-tokens']),
    selfContained: selfContainedTokens({ ...settings, issuer }, keys, platform.jose.verifier),
    store: storage.accessTokens,
    clock,
    random,
  };
}

function siteUnder(
  shared: Shared,
  registry: RegistryNeeds,
  direct: DirectAuthorizationNeeds,
  endUsers: EndUsers,
  delivery: LogoutDelivery,
): Site {
  const { platform, serverKeys, uses, jwkSets, storage, clientJwts, trust, keptClients } = shared;
  const settings = { ...shared.settings, issuer: registry.issuer };
  const { replays } = storage;
  const { keys } = serverKeys;
  const authentication = clientAuthentication(settings, registry, platform, { uses, jwkSets, replays });
  const pages = pagesUnder(settings, platform);
  return issuerSite({
    settings,
    registry,
    direct,
    keys,
    removedKeys: async () => await storage.serverKeys.removed(),
    authentication,
    logout: logoutEndpoints({ settings, storage, keys, pages, endUsers, delivery, platform }),
    clientJwts,
    federation:
      trust === undefined ? undefined : explicitRegistration({ settings, registry, keys, replays, trust }),
    assertions: openAssertionGrants(settings, platform, storage),
    authorization: openAuthorization({
      platform,
      settings,
      storage,
      keys,
      pages,
      jwkSets,
      direct,
      endUsers,
      authentication,
      automatic:
        trust === undefined
          ? undefined
          : automaticRegistration({ settings, registry, trust, clients: keptClients }),
    }),
  });
}

function directUnder(
  { settings, storage, uses, clientJwts, serverKeys }: Shared,
  { issuer, clients, accessTokens, log }: RegistryNeeds,
): DirectAuthorizationNeeds {
  const { pairwiseSecret } = serverKeys.keys;
  return {
    accessTokens,
    tokenSettings: tokenSettings(settings),
    grants: storage.grants,
    log,
    clients,
    uses,
    idTokens: { issuer, clientJwts, pairwiseSecret },
    lifetimes: directLifetimes(settings),
  };
}

function clientAuthentication(
  settings: Settings,
  { issuer, clients, clock, sealer }: RegistryNeeds,
  { jose: { verifier }, certificateAuthorities }: Platform,
  { uses, jwkSets, replays }: Pick<AuthenticationNeeds, 'uses'> & Pick<AssertionNeeds, 'jwkSets' | 'replays'>,
): AuthenticationNeeds {
  return {
    issuer,
    clients,
    clock,
    uses,
    remembered: rememberedOutcomes(),
    assertions: { verifier, jwkSets, sealer, replays, audience: assertionAudience(settings) },
    certificateAuthorities,
  };
}

/** Names the tenant in every line, as the table of audit events does. */
function tenantLog(log: Log, tenant: TenantId): Log {
  return {
    info: (members, message) => log.info({ tenant, ...members }, message),
    warn: (members, message) => log.warn({ tenant, ...members }, message),
    error: (members, message) => log.error({ tenant, ...members }, message),
  };
}
