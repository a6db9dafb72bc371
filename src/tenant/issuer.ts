import type { AuthenticationNeeds } from '../clients/client-authentication/method.ts';
import { rememberedOutcomes } from '../clients/client-authentication/remembered-outcomes.ts';
import { DocumentClients } from '../clients/metadata-document/document-clients.ts';
import { ProvisionalClients } from '../clients/metadata-document/provisional-clients.ts';
import { networkLimits } from '../clients/rate-limits.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import { managementBases } from '../config/management-address.ts';
import { settingsUnder } from '../config/profiles.ts';
import { macForAlias } from '../keys/digest.ts';
import { signingOnlyWith } from '../keys/server-keys.ts';
import { SLOT_BYTES } from '../spec/caches.ts';
import { issuerPath } from '../spec/issuer.ts';
import { signatureAlgorithms } from '../spec/server-capabilities.ts';
import { type AccessTokenNeeds, verifiedTokens } from '../tokens/access-token.ts';
import { masterTokens } from '../tokens/bearer-token.ts';
import type { DpopNeeds } from '../tokens/dpop-proof.ts';
import type { Administered } from './administered.ts';
import { openDetailTypes } from './detail-types.ts';
import { openLogout } from './logout.ts';
import type { TenantParts as OpenedParts } from './parts.ts';
import { newerClient, type RenewedClients } from './renewed-clients.ts';
import { acceptedMethods, assertionAudience, metadataLimits, selfContainedTokens } from './settings.ts';
import { openPagesOf, openSignIn } from './sign-in.ts';
import { openAssertionGrants } from './trusted-issuers.ts';

/** The parts of a tenant, and the server around it. */
type TenantParts = OpenedParts & { readonly administered: Administered };

/**
 * Everything that the endpoints below one name of a tenant take from. Each endpoint names in its own needs what it
 * takes, so that a part is passed on once and under one name.
 */
export type Issuer = ReturnType<typeof openIssuer>;

/** Opens a tenant under one of its names: what is issued under one name is not valid under another. */
export function openIssuer(tenant: TenantParts, issuer: string) {
  const parts = partsUnder(tenant, issuer);
  const registry = openRegistry(parts);
  const documents = openDocumentClients({ ...parts, registry });
  const { federated, entity } = openFederation({ ...parts, registry });
  const authentication = openAuthentication(parts, { documents, federated });
  /**
   * With the clients that wait for the first consent of an end-user, and those of a federation whose registration has expired.
   * For requests that show a token, or belong to an interaction: a page that was open meanwhile goes on.
   */
  const clients = federated?.renewing(documents.clients) ?? documents.clients;
  return {
    ...parts,
    clients,
    registry,
    documents,
    federated,
    authentication,
    assertions: openAssertionGrants(parts.settings, tenant, tenant.storage),
    audit: tenant.storage.audit,
    idTokenHints: { issuer, keys: parts.keys, ...tenant.jose },
    ...openLogout(parts),
    /** The issuer in a federation; undefined without one. */
    entity,
    ...openSignIn({ ...parts, clients, authentication, federated, documents, registry }),
  };
}

type Parts = ReturnType<typeof partsUnder>;

function partsUnder(tenant: TenantParts, issuer: string) {
  const { clients, grants, accounts } = tenant.storage;
  const settings = { ...tenant.settings, issuer };
  const accessTokens = openAccessTokens(tenant, issuer);
  const dpop = openDpop(tenant, issuer, accessTokens);
  return {
    ...tenant,
    issuer,
    settings,
    clients,
    grants,
    accounts,
    accessTokens,
    adminTokens: {
      own: {
        issuer,
        accessTokens,
        breakGlass: masterTokens(settings['admin.token-sha256']),
        dpop: { ...dpop, bases: [...dpop.bases, ...managementBases(settings)] },
      },
      superior: tenant.superiorAdmins,
    },
    dpop,
    idTokens: { ...tenant.idTokens, issuer },
    pages: openPagesOf(settings, tenant),
    detailTypes: openDetailTypes(settings, tenant),
    /** Limits of request bodies and of forms. */
    json: { depth: settings['limits.json-depth'], members: settings['limits.json-members'] },
    form: { parameters: settings['limits.form-parameters'] },
    /** Seconds for which key sets and metadata may be cached. */
    maxAge: settings['key-set.max-age'],
  };
}

/** The key of a record. */
const VERIFIED_TOKEN_BYTES = SLOT_BYTES + 120;

function openAccessTokens(
  { settings, storage, keys, clock, random, jose, caches }: TenantParts,
  issuer: string,
): AccessTokenNeeds {
  const mac = keys.accessTokenMac;
  return {
    issuer,
    mac: issuer === settings.issuer ? mac : macForAlias(mac, issuer),
    genuine: verifiedTokens(caches, VERIFIED_TOKEN_BYTES),
    selfContained: selfContainedTokens({ ...settings, issuer }, { keys, verifier: jose.verifier, caches }),
    store: storage.accessTokens,
    clock,
    random,
  };
}

/** Proofs of keys, under one name of the issuer. */
function openDpop(
  { settings, storage, clock, jose }: TenantParts,
  issuer: string,
  { mac }: AccessTokenNeeds,
): DpopNeeds {
  const alias = settings['client-authentication.mtls-origin'];
  return {
    bases: alias === 'none' ? [issuer] : [issuer, alias + issuerPath(issuer)],
    inspector: jose.inspector,
    replays: storage.replays,
    clock,
    nonce: { mac, clock, lifetime: settings['dpop.nonce-lifetime'] },
    settings,
  };
}

function openRegistry({ softwareStatements, restoration, ...parts }: Parts): RegistryNeeds {
  const { settings } = parts;
  return {
    ...parts,
    audit: parts.storage.audit,
    clientHistory: parts.storage.clientHistory,
    ...(softwareStatements === undefined ? {} : { softwareStatements }),
    ...(restoration === undefined ? {} : { restoration }),
    masterTokens: masterTokens(settings['registration.master-token-sha256']),
    metadataLimits: metadataLimits(settings, parts.keys),
    limitsUnder: (profile) => {
      const stricter = settingsUnder(settings, profile);
      return metadataLimits(stricter, signingOnlyWith(parts.keys, stricter['signatures.algorithms']));
    },
  };
}

/** Opens what an issuer has in a federation only. */
function openFederation({ federation, trust, ...parts }: Parts & { readonly registry: RegistryNeeds }) {
  if (federation === undefined || trust === undefined) return { federated: undefined, entity: undefined };
  const needs = { ...parts, trust };
  return { federated: federation.openFederatedClients(needs), entity: federation.openEntity(needs) };
}

function openDocumentClients({
  registry,
  storage: { interactions, rates },
  settings,
  clock,
  log,
  caches,
}: Parts & { readonly registry: RegistryNeeds }): DocumentClients {
  const lifetime = Math.max(settings['interaction.lifetime'], settings['pushed-request.lifetime']);
  return new DocumentClients({
    registry,
    provisional: new ProvisionalClients({ interactions, clock, lifetime }),
    limits: networkLimits(
      {
        kind: 'client-document',
        perNetwork: settings['client-document.rate-per-network'],
        overall: settings['client-document.rate'],
      },
      { store: rates, clock, log, caches },
    ),
    caches,
  });
}

function openAuthentication(
  { sealer, jwkSets, storage: { replays }, ...parts }: Parts,
  { documents, federated }: RenewedClients,
): AuthenticationNeeds {
  const { issuer, clock, uses, certificateAuthorities, jose, settings, caches, tracing } = parts;
  const audience = assertionAudience(settings);
  const lifetimeMax = settings['client-authentication.assertion-lifetime-max'];
  const algorithms = signatureAlgorithms(settings['signatures.algorithms']);
  return {
    issuer,
    clients: documents.clients,
    current: (found, client_id, remoteAddress) => {
      if (found === undefined) return federated?.returning(client_id, remoteAddress);
      // No promise for the others: this is the path of every introspection.
      return found.document === null ? found : documents.current(found, remoteAddress);
    },
    newer: async (client, remoteAddress) =>
      await newerClient({ documents, federated }, client, remoteAddress),
    clock,
    uses,
    remembered: rememberedOutcomes(caches),
    assertions: { verifier: jose.verifier, jwkSets, sealer, replays, audience, lifetimeMax, algorithms },
    methods: acceptedMethods(settings),
    anySecretTransport: settings['client-authentication.secret-transport'] === 'any',
    openRegistration: settings['registration.allow-open-registration'],
    certificateAuthorities,
    ...(tracing === undefined ? {} : { tracing }),
  };
}
