import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { Mode } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { settingsOfTenant, type TenantOverrides } from '../config/tenant-overrides.ts';
import { bringsCertificates } from '../config/tls-rules.ts';
import { contract as introspectionContract } from '../endpoints/introspection/contract.ts';
import { contract as parContract } from '../endpoints/pushed-authorization-request/contract.ts';
import { contract as tokenContract } from '../endpoints/token/contract.ts';
import type { DirectAuthorizationNeeds } from '../grants/direct-authorization/authorize-directly.ts';
import type { TokenSettings } from '../grants/grant.ts';
import { digestFromHex } from '../keys/digest.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { AudienceRule, JwtVerifier } from '../ports/jwt-verifier.ts';
import type { StoredTenant } from '../ports/tenant-store.ts';
import { BoundedMap } from '../spec/bounded-map.ts';
import type { SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import { type CertificateTrust, SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import type { MasterToken } from '../tokens/bearer-token.ts';
import type { SelfContainedTokenNeeds } from '../tokens/self-contained-token.ts';

/** What client assertions must be meant for (decision 18). */
export function assertionAudience(settings: Settings): AudienceRule {
  const { issuer } = settings;
  if (settings['client-authentication.assertion-audience'] === 'issuer')
    return { kind: 'sole', values: [issuer] };
  const addresses = [tokenContract, introspectionContract, parContract].map(({ path }) => `${issuer}${path}`);
  return { kind: 'where-present', values: [issuer, ...addresses] };
}

/** Each `LABEL:DIGEST` or bare digest; one without a label is named by its first digits. */
export function masterTokens(configured: readonly string[]): readonly MasterToken[] {
  return configured.map((entry) => {
    const [hex = '', label = hex.slice(0, 8)] = entry.split(':').reverse();
    return { label, digest: digestFromHex(hex) };
  });
}

export function registrySettings(
  settings: Settings,
  keys: Pick<ServerKeys, 'canSign'>,
): RegistryNeeds['settings'] {
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
      certificateTrust: certificateTrust(settings),
      signingAlgorithms: signingAlgorithms(keys),
    },
  };
}

/** What can be promised to be signed: with configured keys that may be less than what the server knows. */
function signingAlgorithms({ canSign }: Pick<ServerKeys, 'canSign'>): readonly SignatureAlgorithm[] {
  return SIGNING_ALGORITHMS.filter((alg) => canSign(alg));
}

export function selfContainedTokens(
  settings: Settings,
  keys: ServerKeys,
  verifier: JwtVerifier,
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
    genuine: new BoundedMap(settings['cache.access-tokens']),
  };
}

/** What certificates of clients are good for: those of authorities only where there are some (RFC 8705 §2.1, §2.2). */
export function certificateTrust(settings: Settings): CertificateTrust {
  if (!bringsCertificates(settings)) return 'none';
  return settings['listen.tls-client-ca'] === 'none' ? 'keys' : 'chains';
}

export function tokenSettings(settings: Settings): TokenSettings {
  return {
    accessToken: {
      format: settings['access-token.format'],
      lifetime: settings['access-token.lifetime'],
      lifetimeMax: settings['access-token.lifetime-max'],
      resources: settings['access-token.resources'],
      resourceLengthMax: settings['limits.uri-length'],
    },
    refreshToken: {
      lifetime: settings['refresh-token.lifetime'],
      lifetimeMax: settings['refresh-token.lifetime-max'],
      maxIdle: settings['refresh-token.max-idle'],
      rotate: settings['refresh-token.rotate'],
    },
  };
}

export function directLifetimes(settings: Settings): DirectAuthorizationNeeds['lifetimes'] {
  return {
    initialAccessToken: settings['initial-access-token.lifetime'],
    initialAccessTokenMax: settings['initial-access-token.lifetime-max'],
    idToken: settings['id-token.lifetime'],
    idTokenMax: settings['id-token.lifetime-max'],
  };
}

/**
 * What a tenant of the table runs with.
 * @throws SettingsError where what is stored is not valid: as its row is now, and with what the process has
 */
export function tenantSettings(settings: Settings, stored: StoredTenant, mode: Mode): Settings {
  const { id, issuer, aliases } = stored;
  const overrides = JSON.parse(stored.settings) as TenantOverrides;
  return settingsOfTenant(settings, { issuer, aliases }, overrides, mode, `tenant ${id}`);
}
