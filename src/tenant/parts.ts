import { ContestedChanges } from '../clients/change-client.ts';
import { remoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import { withoutConsole } from '../clients/console-client.ts';
import { LogoImages } from '../clients/logo-images.ts';
import { networkLimits } from '../clients/rate-limits.ts';
import { liveClients } from '../clients/registered-client.ts';
import { clientUses } from '../clients/upkeep/client-uses.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { eventCursors } from '../events/event-cursor.ts';
import { referencedObjects } from '../grants/authorization/referenced-object.ts';
import { configuredServerKeys, ServerJwkSetRefused } from '../keys/server-jwk-set.ts';
import type { ServerKey } from '../keys/server-key.ts';
import type { KeyLifeNeeds } from '../keys/server-key-life.ts';
import { loadServerKeys, type ServerKeys, signingOnlyWith } from '../keys/server-keys.ts';
import type { KeyMaker } from '../ports/key-maker.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { ServerKeyStore } from '../ports/server-key-store.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import { signatureAlgorithms } from '../spec/server-capabilities.ts';
import { openLogoutDelivery } from './logout.ts';
import type { Jose, Platform, RecordLimits } from './platform.ts';
import { openEndUsers } from './sign-in.ts';
import { openSoftwareStatements } from './trusted-issuers.ts';
import { openWebhookDelivery } from './webhooks.ts';

/** The parts that a tenant has once, however many names it has. Platform and storage are among them. */
export type TenantParts = Awaited<ReturnType<typeof openParts>>;

/** Opens the parts of a tenant. @throws SettingsError for settings that could never work */
export async function openParts(platform: Platform, settings: Settings, id: TenantId) {
  const { clock, log, outbound, jose, caches } = platform;
  const kept = platform.cached(platform.storage.forTenant(id), recordLimits(settings), caches);
  const live = liveClients(kept.clients, clock);
  const storage = { ...kept, clients: settings['console.enabled'] ? live : withoutConsole(live) };
  const sealer = platform.sealerFor(id);
  const serverKeys = await openTenantKeys(settings, platform, { store: storage.serverKeys, sealer });
  const keys = signingOnlyWith(serverKeys.keys, settings['signatures.algorithms']);
  const keySetNeeds = { outbound, clock, settings, caches, verifier: jose.verifier };
  const jwkSets = remoteJwkSets(keySetNeeds);
  const trustedJwkSets = remoteJwkSets(keySetNeeds);
  const clientJwts = { keys, encrypter: jose.encrypter, jwkSets };
  const idTokens = { issuer: settings.issuer, clientJwts, pairwiseSecret: keys.pairwiseSecret };
  const signals = settings['signals.enabled'] ? await import('./signal-delivery.ts') : undefined;
  const federation = settings['federation.enabled'] ? await import('./federation.ts') : undefined;
  const trustAnchors = federation?.openTrustAnchors(settings, { ...platform, storage });
  // Opened here, so that a bad anchor shows at start and not at the first relying party.
  const measured = federation?.openMeasuredTrust(settings, platform, trustAnchors);
  const restoration = await platform.storage.restoration();
  const cursors = eventCursors('audit', id, restoration);
  return {
    ...platform,
    superiorAdmins: platform.superiorAdmins,
    tenants: platform.tenants,
    backups: platform.backups,
    settings,
    storage,
    trustAnchors,
    /** With the clients that have expired. */
    keptClients: kept.clients,
    sealer,
    clientPages: platform.clientPagesFor?.(id),
    serverKeys: { ...serverKeys, keys },
    keys,
    jwkSets,
    trustedJwkSets,
    clientJwts,
    /** Under the tenant's first name. */
    idTokens,
    restoration,
    eventCursors: cursors,
    /** Shared by all names. */
    contested: new ContestedChanges(),
    journalCursors: eventCursors('journal', id, restoration),
    isServed: servedAsBefore(platform.storage.tenants, id),
    uses: clientUses({ clients: storage.clients, clock, log, caches }),
    openLimits: networkLimits(
      {
        kind: 'open-registration',
        perNetwork: settings['registration.open-rate-per-network'],
        overall: settings['registration.open-rate'],
      },
      { store: storage.rates, clock, log, caches },
    ),
    softwareStatements: openSoftwareStatements(settings, { ...platform, trustedJwkSets }),
    // All names share one memory.
    trust: measured?.trust,
    /** Makes an issuer an entity of a federation; undefined without one. */
    federation,
    anchorExpiries: measured?.anchorExpiries,
    people: openEndUsers(settings, platform, storage),
    logos: new LogoImages({ outbound, clock, log, caches, settings }),
    referenced: referencedObjects({ outbound, clock, caches, settings }),
    /** For the page after a logout, under whatever name a client took part. */
    frontChannel: { clients: storage.clients, issuer: settings.issuer, settings },
    delivery: openLogoutDelivery(settings, platform, { storage, tokens: idTokens }),
    signalDelivery: signals?.openSignalDelivery(platform, settings, { storage, keys, sealer }),
    webhookDelivery: openWebhookDelivery(platform, {
      issuer: settings.issuer,
      settings,
      storage,
      keys,
      sealer,
      eventCursors: cursors,
    }),
  };
}

/** Returns whether a tenant is still served, and has not changed since the first question. The default tenant has no record. */
function servedAsBefore({ find }: Pick<TenantStore, 'find'>, id: TenantId): () => Promise<boolean> {
  let version: number | undefined;
  return async () => {
    if (id === DEFAULT_TENANT) return true;
    const found = await find(id);
    version ??= found?.version;
    return found !== undefined && found.disabled_at === null && found.version === version;
  };
}

function recordLimits(settings: Settings): RecordLimits {
  const { 'cache.clients': clients, 'cache.access-tokens': accessTokens } = settings;
  return { clients: clients || undefined, accessTokens: accessTokens || undefined };
}

export interface TenantKeysNeeds {
  readonly store: ServerKeyStore;
  /** Bound to this tenant. */
  readonly sealer: Sealer;
}

type KeyPlatform = Pick<Platform, 'clock' | 'random' | 'log' | 'metrics'> & {
  readonly jose: Pick<Jose, 'keyMaker' | 'signer'>;
};

export interface TenantKeys {
  readonly keys: ServerKeys;
  /** The keys of the setting; undefined where keys are generated. */
  readonly configured: readonly ServerKey[] | undefined;
  /** For the acts that change keys. */
  readonly life: KeyLifeNeeds;
}

/** Opens the keys of a tenant; makes them at its first start. @throws SettingsError for a configured set that cannot be used */
async function openTenantKeys(
  settings: Settings,
  { clock, random, jose: { keyMaker, signer }, log, metrics }: KeyPlatform,
  { store, sealer }: TenantKeysNeeds,
): Promise<TenantKeys> {
  const configured = await configuredKeys(settings, keyMaker);
  const made = { store, sealer, clock, keyMaker };
  const keys = await loadServerKeys({ ...made, random, signer, configured });
  const life: KeyLifeNeeds = {
    ...made,
    report(event, { kid, use }) {
      log.info({ event, kid, use }, 'a server key has changed');
      metrics.count('chancery_server_key_events_total', { event });
    },
    settings: {
      configured: configured !== undefined,
      announcement: settings['keys.announcement'],
      rotationInterval: settings['keys.rotation-interval'],
      retention: longestSignedLifetime(settings) + settings['keys.retention'],
    },
  };
  return { keys, configured, life };
}

/** Reads the configured keys; undefined where keys are generated. @throws SettingsError at start for a set that could not sign */
export async function configuredKeys(
  settings: Settings,
  keyMaker: KeyMaker,
): Promise<readonly ServerKey[] | undefined> {
  const text = settings['keys.jwk-set'];
  if (text === undefined) return undefined;
  try {
    const algorithms = signatureAlgorithms(settings['signatures.algorithms']);
    return await configuredServerKeys(text, keyMaker, algorithms);
  } catch (failure) {
    if (!(failure instanceof ServerJwkSetRefused)) throw failure;
    throw new SettingsError([{ path: 'keys.jwk-set', source: 'at start', rule: failure.message }]);
  }
}

/** Returns the longest lifetime of anything that a server key signs, in seconds. */
function longestSignedLifetime(settings: Settings): number {
  return Math.max(settings['access-token.lifetime-max'], settings['id-token.lifetime-max']);
}
