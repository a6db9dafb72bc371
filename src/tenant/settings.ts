import type { ResolvedSettings } from '../config/load-settings.ts';
import type { Mode } from '../config/rules.ts';
import { SETTING_PATHS, type Settings, settingAt } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { resolveTenant, type TenantOverrides } from '../config/tenant-overrides.ts';
import { bringsCertificates } from '../config/tls-rules.ts';
import { contract as backchannelContract } from '../endpoints/backchannel-authentication/contract.ts';
import { contract as deviceContract } from '../endpoints/device-authorization/contract.ts';
import { contract as introspectionContract } from '../endpoints/introspection/contract.ts';
import { contract as parContract } from '../endpoints/pushed-authorization-request/contract.ts';
import { contract as revocationContract } from '../endpoints/revocation/contract.ts';
import { contract as tokenContract } from '../endpoints/token/contract.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { AudienceRule } from '../ports/jwt-verifier.ts';
import type { StoredTenant } from '../ports/tenant-store.ts';
import { type Caches, SLOT_BYTES } from '../spec/caches.ts';
import { type AuthMethod, authMethods } from '../spec/client-metadata.ts';
import type { MetadataLimits } from '../spec/client-metadata-checks.ts';
import { CIBA_GRANT, isGrantType, TOKEN_EXCHANGE_GRANT } from '../spec/grant-types.ts';
import { issuerPath } from '../spec/issuer.ts';
import { type CertificateTrust, SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import type { SelfContainedTokenNeeds } from '../tokens/self-contained-token.ts';

/**
 * Endpoints where clients authenticate. RFC 9126 §2 and OpenID Connect CIBA Core 1.0 §7.1 want an assertion accepted that names the
 * endpoint which it is sent to, or the token endpoint.
 */
const AUTHENTICATING = [
  tokenContract,
  introspectionContract,
  revocationContract,
  parContract,
  deviceContract,
  backchannelContract,
];

/** Returns the audience that client assertions must have (decision 18). */
export function assertionAudience(settings: Settings): AudienceRule {
  const { issuer } = settings;
  const form = settings['client-authentication.assertion-audience'];
  if (form !== 'legacy') return { kind: 'sole', values: [issuer], asText: form === 'issuer-string' };
  const alias = settings['client-authentication.mtls-origin'];
  const bases = alias === 'none' ? [issuer] : [issuer, `${alias}${issuerPath(issuer)}`];
  const addresses = AUTHENTICATING.flatMap(({ path }) => bases.map((base) => `${base}${path}`));
  return { kind: 'where-present', values: [issuer, ...addresses] };
}

/** Returns the limits of client metadata, with what this server can judge and sign. */
export function metadataLimits(settings: Settings, keys: Pick<ServerKeys, 'canSign'>): MetadataLimits {
  return {
    redirectUris: settings['limits.redirect-uris'],
    uriLength: settings['limits.uri-length'],
    httpAllowed: settings['outbound.allow-http'],
    certificateTrust: certificateTrust(settings),
    dpop: settings['dpop.enabled'],
    detailTypes: settings['authorization-details.types'].map(({ type }) => type),
    frontChannelLogout: offersFrontChannelLogout(settings),
    deliveryModes: settings['ciba.enabled'] ? settings['ciba.delivery-modes'] : [],
    signingAlgorithms: SIGNING_ALGORITHMS.filter((alg) => keys.canSign(alg)),
    clientAlgorithms: settings['signatures.algorithms'],
    authMethods: acceptedMethods(settings),
    boundTokens: settings['access-token.binding'] === 'all-clients',
    signedRequests: settings['authorization.signed-requests'] === 'all-clients',
    responseModes: settings['authorization.response-modes'],
    httpForWeb: settings['authorization.http-redirects'] === 'loopback',
    grantTypes: settings['authorization.grant-types']
      .filter(isGrantType)
      .filter((grant) => grant !== TOKEN_EXCHANGE_GRANT || settings['token-exchange.enabled'])
      .filter((grant) => grant !== CIBA_GRANT || settings['ciba.enabled']),
    privateSchemes: settings['registration.private-schemes'],
  };
}

/** A digest, a key and a key id. */
const GENUINE_JWT_BYTES = SLOT_BYTES + 264;

/** @throws SettingsError at start for an algorithm that no key of the server signs with */
export function selfContainedTokens(
  settings: Settings,
  {
    keys,
    verifier,
    caches,
  }: Pick<SelfContainedTokenNeeds, 'verifier'> & {
    readonly keys: ServerKeys;
    readonly caches: Caches;
  },
): SelfContainedTokenNeeds {
  const algorithm = settings['access-token.signature-algorithm'];
  if (!keys.canSign(algorithm)) {
    const rule = 'must be an algorithm that a key of the server signs with';
    throw new SettingsError([
      { path: 'access-token.signature-algorithm', source: 'settings', rule, found: algorithm },
    ]);
  }
  const audience = settings['access-token.default-audience'];
  return {
    keys,
    verifier,
    algorithm,
    defaultAudience: audience.length === 0 ? [settings.issuer] : audience,
    genuine: caches.open('verified-tokens', { weigh: () => GENUINE_JWT_BYTES }),
  };
}

/** Returns the methods by which clients can register and authenticate. */
export function acceptedMethods(settings: Settings): readonly AuthMethod[] {
  const allowed = settings['client-authentication.methods'];
  return authMethods(certificateTrust(settings)).filter((method) => allowed.includes(method));
}

/** Says whether the page after a logout may have frames. */
export function offersFrontChannelLogout(settings: Settings): boolean {
  return settings['logout.endpoint'] && settings['logout.frames-max'] > 0;
}

/** Returns which certificates of clients this server can judge: chains only with configured authorities (RFC 8705 §2.1, §2.2). */
export function certificateTrust(settings: Settings): CertificateTrust {
  if (!bringsCertificates(settings)) return 'none';
  return settings['listen.tls-client-ca'] === 'none' ? 'keys' : 'chains';
}

/**
 * Returns the settings of a stored tenant.
 * @throws SettingsError where its row is not valid with the settings of the process as they are now
 */
export function tenantSettings(settings: Settings, stored: StoredTenant, mode: Mode): Settings {
  return resolveTenant(settings, stored, overridesOf(stored), mode, sourceOf(stored)).settings;
}

/** Returns the settings of a stored tenant with the source of each value. Throws like `tenantSettings`. */
export function resolvedTenant(
  process: ResolvedSettings,
  stored: StoredTenant,
  mode: Mode,
): ResolvedSettings {
  const given = resolveTenant(process.settings, stored, overridesOf(stored), mode, sourceOf(stored));
  const origins = SETTING_PATHS.map((path) => {
    const inherited = settingAt(path).tenants === 'own' ? 'default' : process.origins[path];
    return [path, given.sources.get(path) ?? inherited] as const;
  });
  return {
    settings: given.settings,
    origins: Object.fromEntries(origins) as ResolvedSettings['origins'],
  };
}

const sourceOf = ({ id }: StoredTenant): string => `tenant ${id}`;

const overridesOf = ({ settings }: StoredTenant): TenantOverrides => JSON.parse(settings) as TenantOverrides;
