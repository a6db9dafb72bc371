import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { ConfiguredTrustAnchor } from '../config/federation-settings.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError, type SettingsProblem } from '../config/settings-error.ts';
import { contract as historicalKeysContract } from '../endpoints/federation-historical-keys/contract.ts';
import type { FederationRegistrationNeeds } from '../endpoints/federation-registration/endpoint.ts';
import { entityIdProblem } from '../federation/entity-id.ts';
import { FederatedClients } from '../federation/registration/federated-clients.ts';
import { federationKeysProblem } from '../federation/statement-checks/key-checks.ts';
import { trustMarkType } from '../federation/statement-checks/trust-mark-checks.ts';
import { type AnchorKeys, PINNED_ONLY, TrustAnchors } from '../federation/trust-anchors/trust-anchors.ts';
import { AnchorExpiries, outcomeOf } from '../federation/trust-chain/resolution-figures.ts';
import type { TrustLimits, TrustNeeds } from '../federation/trust-chain/resolve-trust.ts';
import { statementSource } from '../federation/trust-chain/statement-source.ts';
import type { TrustAnchor } from '../federation/trust-chain/validate-chain.ts';
import { TrustMarkStatuses } from '../federation/trust-marks/trust-mark-status.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { Caches } from '../spec/caches.ts';
import type { JsonValue } from '../spec/json.ts';
import type { RegistrationPrivileges } from '../spec/registration-privileges.ts';
import { type Entity, entityOf } from './entity.ts';
import type { Jose, Platform } from './platform.ts';

const ANCHORS = 'federation.trust-anchors';
const MARKS = 'federation.trust-marks';

/** Bounds the hints of one entity, followed or not: an entity with more superiors is an attack. */
const AUTHORITY_HINTS_MAX = 50;

/** Paths that one resolution looks at: few statements of a net of superiors make many paths. */
const PATHS_MAX = 100;

type TrustPlatform = Pick<Platform, 'clock' | 'outbound' | 'caches'> & {
  readonly jose: Pick<Jose, 'inspector'>;
};

/** The place that keeps which keys of the anchors were accepted since the settings were written. */
type AnchorPlatform = Pick<Platform, 'clock' | 'log'> & {
  readonly metrics: Pick<Platform['metrics'], 'count'>;
  readonly jose: Pick<Jose, 'inspector' | 'keyMaker'>;
  readonly storage: Pick<TenantStorage, 'trustAnchors'>;
};

/** Opens the keys of the configured trust anchors, which the storage of the tenant extends. */
export function openTrustAnchors(
  settings: Settings,
  { clock, log, metrics, jose: { inspector, keyMaker }, storage }: AnchorPlatform,
): TrustAnchors {
  return new TrustAnchors({
    anchors: settings[ANCHORS].map(trustAnchor),
    store: storage.trustAnchors,
    clock,
    log,
    inspector,
    keyMaker,
    count: (event) => metrics.count('chancery_federation_trust_anchor_key_events_total', { event }),
    follow: settings['federation.follow-trust-anchor-keys'],
    delay: settings['federation.trust-anchor-key-delay'],
  });
}

/**
 * Opens what trust chains are resolved with.
 * @param anchorKeys the keys of the anchors; without them those of the settings
 * @throws SettingsError at start for anchors that no chain could ever end at
 */
export function openTrust(
  settings: Settings,
  { clock, outbound, jose, caches }: TrustPlatform,
  anchorKeys: AnchorKeys = PINNED_ONLY,
): TrustNeeds {
  const allowHttp = settings['outbound.allow-http'];
  const configured = settings[ANCHORS];
  const problems = configured.flatMap((anchor, index) =>
    anchorProblems(anchor, `${ANCHORS}[${index}]`, settings['federation.statement-keys'], allowHttp),
  );
  if (problems.length > 0) throw new SettingsError(problems);
  const keptMs = settings['federation.statement-cache'] * 1000;
  const failedMs = settings['federation.failure-cache'] * 1000;
  return {
    inspector: jose.inspector,
    source: statementSource({ outbound, clock, keptMs, failedMs, caches }),
    clock,
    outbound,
    anchors: configured.map(trustAnchor),
    anchorKeys,
    limits: trustLimits(settings),
    allowHttp,
    constraints: {
      maxPathLength: settings['federation.max-path-length'],
      permittedNames: settings['federation.permitted-names'],
      excludedNames: settings['federation.excluded-names'],
      requiredEntityTypes: settings['federation.required-entity-types'],
    },
    requiredTrustMarks: settings['federation.required-trust-marks'],
    markStatuses: new TrustMarkStatuses({
      outbound,
      inspector: jose.inspector,
      clock,
      caches,
      rule: {
        asks: settings['federation.trust-mark-status'],
        unknown: settings['federation.trust-mark-status-unknown'],
      },
      keptMs: settings['federation.trust-mark-status-cache'] * 1000,
      failedMs,
    }),
  };
}

function trustAnchor({ 'entity-id': entity_id, jwks: { keys } }: ConfiguredTrustAnchor): TrustAnchor {
  return { entity_id, keys };
}

function anchorProblems(
  { 'entity-id': entityId, jwks }: ConfiguredTrustAnchor,
  path: string,
  keysMax: number,
  allowHttp: boolean,
): readonly SettingsProblem[] {
  const refused = (at: string, rule: string | undefined): readonly SettingsProblem[] =>
    rule === undefined ? [] : [{ path: path + at, source: 'at start', rule }];
  return [
    ...refused('.entity-id', entityIdProblem(entityId, allowHttp)),
    // Without kids, the one in the header of a statement would name none of them.
    ...refused('.jwks', federationKeysProblem(jwks as JsonValue, keysMax, true)),
  ];
}

function trustLimits(settings: Settings): TrustLimits {
  return {
    lookMs: settings['federation.look-interval'] * 1000,
    statement: {
      length: settings['federation.statement-length'],
      keys: settings['federation.statement-keys'],
      authorityHints: AUTHORITY_HINTS_MAX,
    },
    search: { hints: settings['federation.hints'], depth: settings['federation.depth'], paths: PATHS_MAX },
    budget: {
      fetches: settings['federation.fetches'],
      bytes: settings['federation.bytes'],
      timeMs: settings['federation.timeout'] * 1000,
    },
  };
}

/** Seconds for which one signature serves. */
const KEPT_FOR = 300;

/** The needs of resolutions, with what their metrics are about. */
export interface MeasuredTrust {
  readonly trust: TrustNeeds;
  readonly anchorExpiries: AnchorExpiries;
}

/** Opens what trust chains are resolved with, so that each resolution is counted. @throws SettingsError like `openTrust` */
export function openMeasuredTrust(
  settings: Settings,
  platform: TrustPlatform & Pick<Platform, 'metrics'>,
  anchorKeys: AnchorKeys | undefined,
): MeasuredTrust {
  const anchorExpiries = new AnchorExpiries();
  const measure: TrustNeeds['measure'] = (resolution, seconds) => {
    anchorExpiries.note(resolution);
    const reason =
      resolution.chain === undefined ? (resolution.reason?.code ?? 'unknown_trust_anchor') : 'none';
    platform.metrics.count('chancery_federation_resolutions_total', {
      outcome: outcomeOf(resolution),
      reason,
    });
    platform.metrics.observe('chancery_federation_resolution_duration_seconds', {}, seconds);
  };
  return { trust: { ...openTrust(settings, platform, anchorKeys), measure }, anchorExpiries };
}

interface EntityParts {
  readonly issuer: string;
  readonly settings: Settings;
  readonly keys: ServerKeys;
  readonly clock: Clock;
  readonly storage: Pick<TenantStorage, 'replays' | 'serverKeys'>;
  readonly registry: RegistryNeeds;
  readonly trust: TrustNeeds;
}

/** Opens one issuer as an entity of a federation. @throws SettingsError at start for trust marks that are none */
export function openEntity(parts: EntityParts): Entity {
  const { issuer, settings, keys, clock, storage } = parts;
  const problems = settings[MARKS].flatMap((mark, index) =>
    typeof trustMarkType(mark) === 'string'
      ? []
      : [{ path: `${MARKS}[${index}]`, source: 'at start', rule: 'is a JWT without trust_mark_type' }],
  );
  if (problems.length > 0) throw new SettingsError(problems);
  return entityOf({
    issuer,
    entity: {
      entity_id: issuer,
      authority_hints: settings['federation.authority-hints'],
      trust_anchor_hints: settings[ANCHORS].map((anchor) => anchor['entity-id']),
      trust_marks: settings[MARKS],
      organization_name: settings['federation.organization-name'],
      contacts: settings['federation.contacts'],
      historical_keys_endpoint: `${issuer}${historicalKeysContract.path}`,
      lifetime: settings['federation.configuration-lifetime'],
    },
    document: { keys: keys.federation, clock, keptFor: KEPT_FOR },
    removed: async () => await storage.serverKeys.removed(),
    registration: explicitRegistration(parts),
    maxAge: settings['key-set.max-age'],
  });
}

/** Returns the members that a federation adds to the provider metadata (OpenID Federation 1.0 §5.1.3, §5.2.2). */
export function federationMembers(settings: Settings): Readonly<Record<string, unknown>> {
  const organization_name = settings['federation.organization-name'];
  return {
    client_registration_types_supported: [
      'explicit',
      ...(settings['federation.automatic-registration'] ? ['automatic'] : []),
    ],
    ...(organization_name === undefined ? {} : { organization_name }),
  };
}

function explicitRegistration({
  settings,
  registry,
  keys,
  storage: { replays },
  trust,
}: EntityParts): FederationRegistrationNeeds {
  return {
    registry,
    trust,
    replays,
    keys: keys.federation,
    request: {
      entity_id: registry.issuer,
      requireAudience: settings['federation.require-audience'],
      ageMax: settings['federation.request-age'],
      lifetimeMax: settings['federation.request-lifetime'],
    },
    privileges: privileges(settings),
    parallel: settings['federation.registrations'],
    retryAfter: settings['federation.timeout'],
  };
}

interface FederatedClientParts extends Pick<EntityParts, 'settings' | 'registry' | 'trust' | 'keys'> {
  readonly jose: Pick<Jose, 'decrypter'>;
  /** With the clients that have expired. */
  readonly keptClients: ClientStore;
  readonly caches: Caches;
}

/** Opens the clients that a federation vouches for, under one issuer. */
export function openFederatedClients({
  settings,
  registry,
  trust,
  keys,
  jose: { decrypter },
  keptClients: clients,
  caches,
}: FederatedClientParts): FederatedClients {
  return new FederatedClients({
    registry,
    clients,
    trust,
    requestObjects: { decrypter, keys },
    privileges: privileges(settings),
    caches,
  });
}

function privileges(settings: Settings): RegistrationPrivileges {
  return {
    grant_types: settings['federation.grant-types'],
    scope: settings['federation.scope-values'],
    data: false,
    set_id: false,
    set_secret: false,
    redirect_hosts: 'any',
  };
}
