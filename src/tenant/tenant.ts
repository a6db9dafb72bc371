import type { DocumentClients } from '../clients/metadata-document/document-clients.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { ClientUses } from '../clients/upkeep/client-uses.ts';
import type { ResolvedSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import type { AdminTokens } from '../endpoints/admin/authenticate.ts';
import type { DeliveryLoop } from '../events/delivery-loop.ts';
import type { WebhookActNeeds } from '../events/webhooks/webhook-acts.ts';
import type { FederatedClients } from '../federation/registration/federated-clients.ts';
import type { TrustAnchors } from '../federation/trust-anchors/trust-anchors.ts';
import type { AnchorExpiries } from '../federation/trust-chain/resolution-figures.ts';
import type { TrustNeeds } from '../federation/trust-chain/resolve-trust.ts';
import type { Issuing } from '../grants/grant.ts';
import type { Site } from '../http/router.ts';
import type { Log } from '../ports/log.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { LogoutDelivery } from '../sessions/logout-delivery.ts';
import type { TenantId } from '../spec/identifiers.ts';
import { administered } from './administered.ts';
import { openBackchannelDelivery } from './backchannel.ts';
import { managementSiteOf, ownStatement, siteOf } from './endpoints.ts';
import { type Issuer, openIssuer } from './issuer.ts';
import { openParts, type TenantKeys } from './parts.ts';
import type { Platform } from './platform.ts';
import type { EndUsers } from './sign-in.ts';

/** The parts that resolve trust in entities, and the keys of the trust anchors. */
export interface TenantFederation {
  readonly trust: TrustNeeds;
  readonly trustAnchors: TrustAnchors;
}

export interface TenantNeeds {
  readonly id: TenantId;
  readonly settings: Settings;
  /** The source of each setting of this tenant; absent for the default one, which has those of the process. */
  readonly origins?: ResolvedSettings['origins'];
}

/** One open tenant with everything that is its own. */
export interface Tenant {
  /** Returns the endpoints below one of the tenant's names; they call themselves by that name. */
  site(issuer: string): Promise<Site>;
  /** Returns the administration of one of the tenant's names, for the management listener. */
  managementSite(issuer: string): Promise<Site>;
  /** The tokens that open the administration, under the tenant's first name. */
  readonly adminTokens: AdminTokens;
  readonly storage: TenantStorage;
  /** Under the tenant's first name, as `issuing` is. */
  readonly registry: RegistryNeeds;
  readonly issuing: Issuing;
  readonly uses: ClientUses;
  readonly documents: DocumentClients;
  /** Undefined without a federation. */
  readonly federated: FederatedClients | undefined;
  readonly serverKeys: TenantKeys;
  /** Undefined without a federation. */
  readonly federation: TenantFederation | undefined;
  readonly endUsers: EndUsers;
  /** Returns the signed entity configuration under the tenant's first name; undefined without a federation. */
  entityStatement(): Promise<string | undefined>;
  readonly logoutDelivery: LogoutDelivery;
  /** Under the tenant's first name. */
  readonly webhooks: WebhookActNeeds;
  readonly webhookDelivery: DeliveryLoop;
  /** Undefined where streams of security events are off. */
  readonly signalDelivery: DeliveryLoop | undefined;
  /** Undefined where clients cannot ask without a browser. */
  readonly backchannelDelivery: DeliveryLoop | undefined;
  /** The expiries of trust anchors that resolutions have seen; undefined without a federation. */
  readonly anchorExpiries: AnchorExpiries | undefined;
  /** Records the uses of clients that are not recorded yet. */
  close(): Promise<void>;
}

/** Opens one tenant on a platform. Its endpoints never see its id, so none can forget it. */
export async function openTenant(
  platform: Platform,
  { id, settings, origins }: TenantNeeds,
): Promise<Tenant> {
  const log = tenantLog(platform.log, id);
  const opened = await openParts({ ...platform, log }, settings, id);
  const parts = {
    ...opened,
    administered: administered({
      id,
      isFirst: platform.superiorAdmins === undefined,
      settings,
      origins,
      server: platform.server,
    }),
  };
  const first = openIssuer(parts, settings.issuer);
  const { delivery, people, serverKeys, storage, trust, trustAnchors, uses } = parts;
  const named = (issuer: string): Issuer => (issuer === first.issuer ? first : openIssuer(parts, issuer));
  const notifications = openBackchannelDelivery(settings, { ...platform, log }, parts, named);
  return {
    site: async (issuer) => ({ tenant: id, ...(await siteOf(named(issuer))) }),
    managementSite: async (issuer) => ({ tenant: id, ...(await managementSiteOf(named(issuer))) }),
    adminTokens: first.adminTokens.own,
    storage,
    registry: first.registry,
    issuing: first,
    documents: first.documents,
    federated: first.federated,
    uses,
    serverKeys,
    federation: trust === undefined || trustAnchors === undefined ? undefined : { trust, trustAnchors },
    endUsers: people,
    entityStatement: async () => await ownStatement(first),
    logoutDelivery: delivery,
    webhooks: first,
    webhookDelivery: parts.webhookDelivery,
    signalDelivery: parts.signalDelivery,
    backchannelDelivery: notifications,
    anchorExpiries: parts.anchorExpiries,
    async close() {
      await delivery.close();
      await parts.webhookDelivery.close();
      await parts.signalDelivery?.close();
      await notifications?.close();
      await uses.flush();
    },
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
