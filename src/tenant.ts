import type { AuthenticationNeeds } from './clients/client-authentication/method.ts';
import { rememberedOutcomes } from './clients/client-authentication/remembered-outcomes.ts';
import { type ClientUses, clientUses } from './clients/client-uses.ts';
import { openRegistrationLimits } from './clients/open-registration-limits.ts';
import type { RegistryNeeds } from './clients/registry-needs.ts';
import { remoteJwkSets } from './clients/remote-jwk-set.ts';
import type { Settings } from './config/settings.ts';
import { clientDelete } from './endpoints/client-delete/endpoint.ts';
import { clientList } from './endpoints/client-list/endpoint.ts';
import { clientRead } from './endpoints/client-read/endpoint.ts';
import { ADDRESSES, clientRegistration } from './endpoints/client-registration/endpoint.ts';
import { clientUpdate } from './endpoints/client-update/endpoint.ts';
import type { Endpoint } from './endpoints/contract.ts';
import { directAuthorization } from './endpoints/direct-authorization/endpoint.ts';
import { authorizationServerContract, contract as openidContract } from './endpoints/discovery/contract.ts';
import { discovery } from './endpoints/discovery/endpoint.ts';
import { providerMetadata } from './endpoints/discovery/provider-metadata.ts';
import { contract as introspectionContract } from './endpoints/introspection/contract.ts';
import { introspection } from './endpoints/introspection/endpoint.ts';
import { jwkSet } from './endpoints/jwk-set/endpoint.ts';
import { contract as tokenContract } from './endpoints/token/contract.ts';
import { token } from './endpoints/token/endpoint.ts';
import type { DirectAuthorizationNeeds } from './grants/direct-authorization.ts';
import type { Site } from './http/site.ts';
import { joseJwtSigner } from './jose/jwt-signer.ts';
import { joseJwtVerifier } from './jose/jwt-verifier.ts';
import { keyMaker } from './jose/key-maker.ts';
import { digestFromHex } from './keys/digest.ts';
import { loadServerKeys, type ServerKeys } from './keys/server-keys.ts';
import type { AudienceRule } from './ports/jwt-verifier.ts';
import type { Log } from './ports/log.ts';
import type { OutboundHttp } from './ports/outbound-http.ts';
import type { Sealer } from './ports/sealer.ts';
import type { Storage, TenantStorage } from './ports/storage.ts';
import { openSoftwareStatements } from './software-statements.ts';
import { BoundedMap } from './spec/bounded-map.ts';
import type { TenantId } from './spec/identifiers.ts';
import { withRecordCache } from './storage/record-cache.ts';
import { systemClock } from './system/clock.ts';
import { systemRandom } from './system/random.ts';
import { sealerForTenant } from './system/sealer.ts';
import type { AccessTokenNeeds } from './tokens/access-token.ts';
import type { MasterToken } from './tokens/bearer-token.ts';

export interface TenantNeeds {
  readonly id: TenantId;
  readonly settings: Settings;
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly outbound: OutboundHttp;
  readonly log: Log;
}

/** One issuer with everything that is its own. */
export interface Tenant {
  readonly site: Site;
  readonly storage: TenantStorage;
  readonly registry: RegistryNeeds;
  readonly uses: ClientUses;
  /** Records what is not recorded yet. */
  close(): Promise<void>;
}

/** Builds the endpoints of one tenant. They never see its id, so none can forget it. */
export async function openTenant({
  id,
  settings,
  storage,
  sealer,
  outbound,
  log,
}: TenantNeeds): Promise<Tenant> {
  const own = withRecordCache(storage.forTenant(id), {
    clients: settings['cache.clients'],
    accessTokens: settings['cache.access-tokens'],
  });
  const bound = { sealer: sealerForTenant(sealer, id), clock: systemClock, random: systemRandom };
  const keys = await loadServerKeys({
    store: own.serverKeys,
    keyMaker,
    signer: joseJwtSigner(),
    ...bound,
  });
  const accessTokens: AccessTokenNeeds = {
    issuer: settings.issuer,
    mac: keys.accessTokenMac,
    genuine: new BoundedMap(settings['cache.access-tokens']),
    store: own.accessTokens,
    clock: systemClock,
    random: systemRandom,
  };
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
  const authentication: AuthenticationNeeds = {
    issuer: settings.issuer,
    clients: own.clients,
    clock: systemClock,
    uses,
    remembered: rememberedOutcomes(),
    assertions: {
      verifier: joseJwtVerifier(systemClock),
      jwkSets: remoteJwkSets({ outbound, clock: systemClock }),
      sealer: bound.sealer,
      replays: own.replays,
      audience: assertionAudience(settings),
    },
  };
  return {
    site: site(settings, endpoints(settings, registry, keys, authentication)),
    storage: own,
    registry,
    uses,
    close: async () => await uses.flush(),
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

/** What client assertions must be meant for (decision 18). */
function assertionAudience(settings: Settings): AudienceRule {
  const { issuer } = settings;
  if (settings['client-authentication.assertion-audience'] === 'issuer')
    return { kind: 'sole', values: [issuer] };
  const addresses = [tokenContract, introspectionContract].map(({ path }) => `${issuer}${path}`);
  return { kind: 'where-present', values: [issuer, ...addresses] };
}

/** Each `LABEL:DIGEST` or bare digest; one without a label is named by its first digits. */
function masterTokens(configured: readonly string[]): readonly MasterToken[] {
  return configured.map((entry) => {
    const [hex = '', label = hex.slice(0, 8)] = entry.split(':').reverse();
    return { label, digest: digestFromHex(hex) };
  });
}

function registrySettings(settings: Settings): RegistryNeeds['settings'] {
  return {
    allowOpenRegistration: settings['registration.allow-open-registration'],
    openScopeValues: settings['registration.open-scope-values'],
    masterTokens: masterTokens(settings['registration.master-token-sha256']),
    openClientsMax: settings['registration.open-clients-max'] || undefined,
    openIdempotent: settings['registration.open-idempotent'],
    clientSecretLifetime: settings['registration.client-secret-lifetime'],
    previousSecretGrace: settings['registration.previous-secret-grace'],
    clientIdLength: settings['registration.client-id-length'],
    clientSecretLength: settings['registration.client-secret-length'],
    registrationTokenLength: settings['registration.registration-token-length'],
    bearerTokenLengthMax: settings['limits.bearer-token'],
    json: { depth: settings['limits.json-depth'], members: settings['limits.json-members'] },
    metadata: {
      redirectUris: settings['limits.redirect-uris'],
      uriLength: settings['limits.uri-length'],
      httpAllowed: settings['outbound.allow-http'],
    },
  };
}

export function tokenLifetimes(settings: Settings): DirectAuthorizationNeeds['lifetimes'] {
  return {
    accessToken: settings['access-token.lifetime'],
    accessTokenMax: settings['access-token.lifetime-max'],
    initialAccessToken: settings['initial-access-token.lifetime'],
    initialAccessTokenMax: settings['initial-access-token.lifetime-max'],
  };
}

function endpoints(
  settings: Settings,
  registry: RegistryNeeds,
  keys: ServerKeys,
  authentication: AuthenticationNeeds,
): readonly Endpoint[] {
  const { issuer, clients, accessTokens } = registry;
  const { uses } = authentication;
  const form = { parameters: settings['limits.form-parameters'] };
  const advertised = settings['registration.advertise'];
  return [
    clientRegistration(registry, { ...ADDRESSES.clients, advertised: advertised === 'clients' }),
    clientRegistration(registry, { ...ADDRESSES.register, advertised: advertised === 'register' }),
    clientList(registry),
    clientRead(registry),
    clientUpdate(registry),
    clientDelete(registry),
    directAuthorization({
      accessTokens,
      log: registry.log,
      clients,
      uses,
      lifetimes: tokenLifetimes(settings),
      masterTokens: masterTokens(settings['direct-authorization.token-sha256']),
      bearerTokenLengthMax: settings['limits.bearer-token'],
      json: registry.settings.json,
    }),
    token({ accessTokens, accessTokenLifetime: settings['access-token.lifetime'], authentication, form }),
    introspection({ issuer, authentication, accessTokens, form }),
    jwkSet({ keys, maxAge: settings['key-set.max-age'] }),
  ];
}

/** Adds discovery, which is derived from the endpoints, at its three addresses (decision 3). */
function site(settings: Settings, own: readonly Endpoint[]): Site {
  const issuerPath = new URL(settings.issuer).pathname.replace(/\/$/, '');
  const metadata = providerMetadata(settings.issuer, own);
  const maxAge = settings['key-set.max-age'];
  const infix = { ...authorizationServerContract, path: `${authorizationServerContract.path}${issuerPath}` };
  return {
    issuerPath,
    endpoints: [
      ...own,
      discovery(openidContract, metadata, maxAge),
      discovery(authorizationServerContract, metadata, maxAge),
    ],
    endpointsOutsideIssuer: issuerPath === '' ? [] : [discovery(infix, metadata, maxAge)],
    allowedOrigins: settings['cors.origins'],
  };
}
