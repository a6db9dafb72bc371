import { openAssertionGrants } from './assertion-grants.ts';
import type { AssertionNeeds, AuthenticationNeeds } from './clients/client-authentication/method.ts';
import { rememberedOutcomes } from './clients/client-authentication/remembered-outcomes.ts';
import { type ClientUses, clientUses } from './clients/client-uses.ts';
import type { IdTokenNeeds } from './clients/issue-id-token.ts';
import { openRegistrationLimits } from './clients/open-registration-limits.ts';
import type { RegistryNeeds } from './clients/registry-needs.ts';
import { remoteJwkSets } from './clients/remote-jwk-set.ts';
import type { Settings } from './config/settings.ts';
import { type EndUsers, openEndUsers } from './end-users.ts';
import type { DirectAuthorizationNeeds } from './grants/direct-authorization/authorize-directly.ts';
import type { Site } from './http/site.ts';
import { issuerSite } from './issuer-site.ts';
import { joseJweEncrypter } from './jose/jwe.ts';
import { joseJwtVerifier } from './jose/jwt-verifier.ts';
import { pairwiseSecret } from './keys/pairwise-secret.ts';
import type { KeyEvent } from './keys/server-key-life.ts';
import type { ServerKeys } from './keys/server-keys.ts';
import type { AccessTokenStore } from './ports/access-token-store.ts';
import type { Log } from './ports/log.ts';
import type { OutboundHttp } from './ports/outbound-http.ts';
import type { PasswordHasher } from './ports/password-hasher.ts';
import type { Sealer } from './ports/sealer.ts';
import type { Storage, TenantStorage } from './ports/storage.ts';
import { openSoftwareStatements } from './software-statements.ts';
import { BoundedMap } from './spec/bounded-map.ts';
import type { TenantId } from './spec/identifiers.ts';
import { withRecordCache } from './storage/record-cache.ts';
import { systemClock } from './system/clock.ts';
import { systemRandom } from './system/random.ts';
import { sealerForTenant } from './system/sealer.ts';
import { openTenantKeys, type TenantKeys } from './tenant-keys.ts';
import {
  assertionAudience,
  directLifetimes,
  registrySettings,
  selfContainedTokens,
  tokenSettings,
} from './tenant-settings.ts';
import type { AccessTokenNeeds } from './tokens/access-token.ts';

export interface TenantNeeds {
  readonly id: TenantId;
  readonly settings: Settings;
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly outbound: OutboundHttp;
  /** The process's: one queue for the passwords of all tenants. */
  readonly passwords: PasswordHasher;
  readonly log: Log;
  /** Is told of each change that this process makes to a server key. */
  readonly onKeyEvent?: (event: KeyEvent) => void;
  /** Who may vouch for the certificates of clients, as configured now. */
  readonly certificateAuthorities: AuthenticationNeeds['certificateAuthorities'];
}

/** One issuer with everything that is its own. */
export interface Tenant {
  readonly site: Site;
  readonly storage: TenantStorage;
  readonly registry: RegistryNeeds;
  readonly uses: ClientUses;
  readonly serverKeys: TenantKeys;
  readonly endUsers: EndUsers;
  readonly direct: DirectAuthorizationNeeds;
  /** Records what is not recorded yet. */
  close(): Promise<void>;
}

/** Builds the endpoints of one tenant. They never see its id, so none can forget it. */
export async function openTenant(needs: TenantNeeds): Promise<Tenant> {
  const { id, settings, storage, sealer, outbound, passwords, log, certificateAuthorities } = needs;
  const { onKeyEvent = () => undefined } = needs;
  const own = withRecordCache(storage.forTenant(id), {
    clients: settings['cache.clients'],
    accessTokens: settings['cache.access-tokens'],
  });
  const bound = { sealer: sealerForTenant(sealer, id), clock: systemClock, random: systemRandom };
  const serverKeys = await openTenantKeys({
    settings,
    store: own.serverKeys,
    ...bound,
    log: tenantLog(log, id),
    onKeyEvent,
  });
  const { keys } = serverKeys;
  const accessTokens = accessTokenNeeds(settings, keys, own.accessTokens);
  const softwareStatements = openSoftwareStatements(settings, outbound, systemClock);
  const registry: RegistryNeeds = {
    issuer: settings.issuer,
    clients: own.clients,
    accessTokens,
    ...bound,
    outbound,
    openLimits: openRegistrationLimits(
      {
        perNetwork: settings['registration.open-rate-per-network'],
        overall: settings['registration.open-rate'],
      },
      () => performance.now(),
    ),
    ...(softwareStatements === undefined ? {} : { softwareStatements }),
    audit: own.audit,
    log: tenantLog(log, id),
    settings: registrySettings(settings),
  };
  const uses = clientUses({ clients: own.clients, clock: systemClock, log });
  const jwkSets = remoteJwkSets({ outbound, clock: systemClock });
  const authentication = clientAuthentication(settings, registry, {
    uses,
    jwkSets,
    replays: own.replays,
    certificateAuthorities,
  });
  const assertions = openAssertionGrants(settings, { outbound, clock: systemClock, ...own });
  const clientJwts = { keys, encrypter: joseJweEncrypter, jwkSets };
  const direct = directNeeds(settings, registry, { grants: own.grants, uses, clientJwts, keys });
  return {
    site: issuerSite({
      settings,
      registry,
      direct,
      keys,
      authentication,
      clientJwts,
      assertions,
    }),
    storage: own,
    registry,
    uses,
    serverKeys,
    endUsers: openEndUsers(settings, { storage: own, passwords, log: registry.log }),
    direct,
    close: async () => await uses.flush(),
  };
}

function directNeeds(
  settings: Settings,
  { issuer, clients, accessTokens, log }: RegistryNeeds,
  needs: Pick<DirectAuthorizationNeeds, 'grants' | 'uses'> &
    Pick<IdTokenNeeds, 'clientJwts'> & { readonly keys: ServerKeys },
): DirectAuthorizationNeeds {
  const { grants, uses, clientJwts, keys } = needs;
  return {
    accessTokens,
    tokenSettings: tokenSettings(settings),
    grants,
    log,
    clients,
    uses,
    idTokens: { issuer, clientJwts, pairwiseSecret: pairwiseSecret(keys.accessTokenMac) },
    lifetimes: directLifetimes(settings),
  };
}

function accessTokenNeeds(settings: Settings, keys: ServerKeys, store: AccessTokenStore): AccessTokenNeeds {
  return {
    issuer: settings.issuer,
    mac: keys.accessTokenMac,
    genuine: new BoundedMap(settings['cache.access-tokens']),
    selfContained: selfContainedTokens(settings, keys, joseJwtVerifier(systemClock)),
    store,
    clock: systemClock,
    random: systemRandom,
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
