import type { AssertionNeeds, AuthenticationNeeds } from '../clients/client-authentication/method.ts';
import { rememberedOutcomes } from '../clients/client-authentication/remembered-outcomes.ts';
import { remoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import { networkLimits } from '../clients/rate-limits.ts';
import { liveClients } from '../clients/registered-client.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import { type ClientUses, clientUses } from '../clients/upkeep/client-uses.ts';
import type { Settings } from '../config/settings.ts';
import type { DirectAuthorizationNeeds } from '../grants/direct-authorization/authorize-directly.ts';
import type { Site } from '../http/site.ts';
import { joseJweEncrypter } from '../jose/jwe.ts';
import { joseJwtVerifier } from '../jose/jwt-verifier.ts';
import { macForAlias } from '../keys/alias-mac.ts';
import type { KeyEvent } from '../keys/server-key-life.ts';
import type { Log } from '../ports/log.ts';
import type { LogoutAttempt } from '../ports/logout-notification-store.ts';
import type { OutboundForms, OutboundHttp } from '../ports/outbound-http.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { Storage, TenantStorage } from '../ports/storage.ts';
import type { LogoutDelivery } from '../sessions/logout-delivery.ts';
import { BoundedMap } from '../spec/bounded-map.ts';
import type { TenantId } from '../spec/identifiers.ts';
import { withRecordCache } from '../storage/record-cache.ts';
import { systemClock } from '../system/clock.ts';
import { systemRandom } from '../system/random.ts';
import { sealerForTenant } from '../system/sealer.ts';
import type { AccessTokenNeeds } from '../tokens/access-token.ts';
import { openAssertionGrants } from './assertion-issuers.ts';
import { type EndUsers, openEndUsers } from './end-users.ts';
import { automaticRegistration, explicitRegistration } from './federation-registration.ts';
import { openTrust } from './federation-trust.ts';
import { issuerSite } from './issuer.ts';
import { openTenantKeys, type TenantKeys } from './keys.ts';
import { logoutEndpoints, openLogoutDelivery } from './logout.ts';
import {
  assertionAudience,
  directLifetimes,
  registrySettings,
  selfContainedTokens,
  tokenSettings,
} from './settings.ts';
import { openAuthorization, pagesUnder } from './sign-in.ts';
import { openSoftwareStatements } from './software-statements.ts';

export interface TenantNeeds {
  readonly id: TenantId;
  readonly settings: Settings;
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly outbound: OutboundHttp & OutboundForms;
  readonly log: Log;
  /** The process's: one queue for the passwords of all tenants. */
  readonly passwords: PasswordHasher;
  /** Is told of each change that this process makes to a server key. */
  readonly onKeyEvent?: (event: KeyEvent) => void;
  /** Is told how each attempt of this process to tell a client of a logout went. */
  readonly onLogoutAttempt?: (outcome: LogoutAttempt['outcome']) => void;
  /** Who may vouch for the certificates of clients, as configured now. */
  readonly certificateAuthorities: AuthenticationNeeds['certificateAuthorities'];
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

/** Opens one tenant. Its endpoints never see its id, so none can forget it. */
export async function openTenant(needs: TenantNeeds): Promise<Tenant> {
  const shared = await openShared(needs);
  const { uses, storage, serverKeys } = shared;
  const registry = registryUnder(shared, needs.settings.issuer);
  const endUsers = openEndUsers(needs.settings, { storage, passwords: needs.passwords, log: registry.log });
  const direct = directUnder(shared, registry);
  const delivery = openLogoutDelivery(needs.settings, {
    storage,
    tokens: direct.idTokens,
    outbound: needs.outbound,
    log: registry.log,
    onLogoutAttempt: needs.onLogoutAttempt ?? (() => undefined),
  });
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

/** What a tenant has once, however many names it has. */
async function openShared(needs: TenantNeeds) {
  const { id, settings, storage: whole, sealer, outbound, log, certificateAuthorities } = needs;
  const { onKeyEvent = () => undefined } = needs;
  const kept = withRecordCache(whole.forTenant(id), {
    clients: settings['cache.clients'],
    accessTokens: settings['cache.access-tokens'],
  });
  const storage = { ...kept, clients: liveClients(kept.clients, systemClock) };
  const bound = { sealer: sealerForTenant(sealer, id), clock: systemClock, random: systemRandom };
  const serverKeys = await openTenantKeys({
    settings,
    store: storage.serverKeys,
    ...bound,
    log: tenantLog(log, id),
    onKeyEvent,
  });
  const restoration = await whole.restoration();
  const jwkSets = remoteJwkSets({ outbound, clock: systemClock });
  const openLimits = networkLimits(
    {
      kind: 'open-registration',
      perNetwork: settings['registration.open-rate-per-network'],
      overall: settings['registration.open-rate'],
    },
    { store: storage.rates, clock: systemClock, log: tenantLog(log, id) },
  );
  return {
    settings,
    storage,
    /** The expired among them. */
    keptClients: kept.clients,
    bound,
    serverKeys,
    outbound,
    certificateAuthorities,
    openLimits,
    softwareStatements: openSoftwareStatements(settings, outbound, systemClock),
    restoration,
    log: tenantLog(log, id),
    uses: clientUses({ clients: storage.clients, clock: systemClock, log }),
    jwkSets,
    clientJwts: { keys: serverKeys.keys, encrypter: joseJweEncrypter, jwkSets },
    // With one memory for all names; what is wrong with the anchors shows here and not at the first relying party.
    trust: settings['federation.enabled'] ? openTrust(settings, outbound, systemClock) : undefined,
  };
}

function registryUnder(shared: Shared, issuer: string): RegistryNeeds {
  const { settings, storage, bound, outbound, openLimits, softwareStatements, log } = shared;
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
  { settings, storage, serverKeys: { keys }, bound }: Shared,
  issuer: string,
): AccessTokenNeeds {
  const { clock, random } = bound;
  const mac = keys.accessTokenMac;
  return {
    issuer,
    mac: issuer === settings.issuer ? mac : macForAlias(mac, issuer),
    genuine: new BoundedMap(settings['cache.access-tokens']),
    selfContained: selfContainedTokens({ ...settings, issuer }, keys, joseJwtVerifier(clock)),
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
  const {
    serverKeys,
    uses,
    jwkSets,
    storage,
    outbound,
    certificateAuthorities,
    clientJwts,
    trust,
    keptClients,
  } = shared;
  const settings = { ...shared.settings, issuer: registry.issuer };
  const { replays } = storage;
  const { keys } = serverKeys;
  const authentication = clientAuthentication(settings, registry, {
    uses,
    jwkSets,
    replays,
    certificateAuthorities,
  });
  const pages = pagesUnder(settings);
  return issuerSite({
    settings,
    registry,
    direct,
    keys,
    removedKeys: async () => await storage.serverKeys.removed(),
    authentication,
    logout: logoutEndpoints({ settings, storage, keys, pages, endUsers, delivery, log: registry.log }),
    clientJwts,
    federation:
      trust === undefined ? undefined : explicitRegistration({ settings, registry, keys, replays, trust }),
    assertions: openAssertionGrants(settings, { outbound, clock: systemClock, ...storage }),
    authorization: openAuthorization({
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
  needs: Pick<AuthenticationNeeds, 'uses' | 'certificateAuthorities'> &
    Pick<AssertionNeeds, 'jwkSets' | 'replays'>,
): AuthenticationNeeds {
  const { uses, jwkSets, replays, certificateAuthorities } = needs;
  const verifier = joseJwtVerifier(clock);
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
