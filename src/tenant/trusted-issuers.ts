import type { RemoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import type {
  SoftwareStatementIssuer,
  SoftwareStatementNeeds,
} from '../clients/registration/software-statement.ts';
import type { ConfiguredAssertionIssuer } from '../config/assertion-grant-settings.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError, type SettingsProblem } from '../config/settings-error.ts';
import type { ConfiguredStatementIssuer } from '../config/software-statement-issuers.ts';
import { contract as tokenContract } from '../endpoints/token/contract.ts';
import type {
  AssertionGrantNeeds,
  AssertionIssuer,
  JwtIssuer,
  SamlIssuer,
} from '../grants/assertion-grant.ts';
import { certificateKey } from '../keys/certificate.ts';
import { clientJwkProblem, duplicateKeyId } from '../keys/client-jwk.ts';
import type { OutboundHttp } from '../ports/outbound-http.ts';
import type { TenantStorage } from '../ports/storage.ts';
import { issuerPath } from '../spec/issuer.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { SIGNING_ALGORITHMS, XML_SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import type { Platform } from './platform.ts';

const ASSERTIONS = 'assertion-grants.issuers';
const STATEMENTS = 'registration.software-statement-issuers';

interface Trusting extends Pick<Platform, 'outbound' | 'jose'> {
  /** Key sets of trusted issuers: apart from those of clients, which could displace them. */
  readonly trustedJwkSets: RemoteJwkSets;
}

type Configured<Kind extends ConfiguredAssertionIssuer['kind']> = Extract<
  ConfiguredAssertionIssuer,
  { readonly kind: Kind }
>;

/**
 * Opens what the assertion grants need; undefined without a configured issuer.
 * @throws SettingsError at start for keys and addresses that no assertion could ever be verified with
 */
export function openAssertionGrants(
  settings: Settings,
  { clock, outbound, jose, saml, trustedJwkSets: jwkSets }: Trusting & Pick<Platform, 'clock' | 'saml'>,
  { clients, replays }: Pick<TenantStorage, 'clients' | 'replays'>,
): AssertionGrantNeeds | undefined {
  const configured = settings[ASSERTIONS];
  if (configured.length === 0) return undefined;
  const problems = configured.flatMap((issuer, index) =>
    issuer.kind === 'jwt'
      ? keyProblems(issuer, `${ASSERTIONS}[${index}]`, outbound)
      : certificateProblems(issuer, `${ASSERTIONS}[${index}]`),
  );
  if (problems.length > 0) throw new SettingsError(problems);
  return {
    issuer: settings.issuer,
    tokenEndpoint: `${settings.issuer}${tokenContract.path}`,
    tokenEndpointAlias: aliasOf(settings),
    audience: settings['client-authentication.assertion-audience'] === 'legacy' ? 'legacy' : 'issuer',
    jwtIssuers: configured.filter((one) => one.kind === 'jwt').map(jwtIssuer),
    samlIssuers: configured.filter((one) => one.kind === 'saml').map(samlIssuer),
    samlLengthMax: settings['assertion-grants.assertion-length'],
    samlVerifier: saml,
    clock,
    lifetimeMax: settings['assertion-grants.lifetime-max'],
    clockSkew: settings['assertion-grants.clock-skew'],
    verifier: jose.verifier,
    jwkSets,
    clients,
    replays,
  };
}

/** Returns the address of the token endpoint below the origin of `client-authentication.mtls-origin`. */
function aliasOf(settings: Settings): string | undefined {
  const origin = settings['client-authentication.mtls-origin'];
  return origin === 'none' ? undefined : `${origin}${issuerPath(settings.issuer)}${tokenContract.path}`;
}

function jwtIssuer(configured: Configured<'jwt'>): JwtIssuer {
  return {
    ...assertionIssuer(configured),
    keys: issuerKeys(configured),
    algorithms: configured.algorithms ?? SIGNING_ALGORITHMS,
    requireJti: configured['require-jti'],
    uses: configured.uses ?? ['grant'],
    claims: configured.claims ?? {},
  };
}

function samlIssuer(configured: Configured<'saml'>): SamlIssuer {
  return {
    ...assertionIssuer(configured),
    keys: configured.certificates.map(certificateKey).flatMap((one) => ('key' in one ? [one.key] : [])),
    algorithms: configured.algorithms ?? XML_SIGNING_ALGORITHMS,
  };
}

function certificateProblems({ certificates }: Configured<'saml'>, path: string): readonly SettingsProblem[] {
  return certificates.flatMap((pem, index) => {
    const read = certificateKey(pem);
    const at = `${path}.certificates[${index}]`;
    return 'key' in read ? [] : [{ path: at, source: 'at start', rule: read.problem }];
  });
}

function assertionIssuer(configured: ConfiguredAssertionIssuer): AssertionIssuer {
  return {
    issuer: configured.issuer,
    subjectFrom: configured['subject-from'],
    subjectPrefix: configured['subject-prefix'] ?? '',
    subjects: configured.subjects,
    scope: configured.scope,
    clients: configured.clients,
    audiences: configured.audiences ?? [],
  };
}

/**
 * Opens what software statements are verified with; undefined without a trusted issuer.
 * @throws SettingsError at start for keys and addresses that no statement could ever be verified with
 */
export function openSoftwareStatements(
  settings: Settings,
  { outbound, jose, trustedJwkSets: jwkSets }: Trusting,
): SoftwareStatementNeeds | undefined {
  const configured = settings[STATEMENTS];
  if (configured.length === 0) return undefined;
  const problems = configured.flatMap((issuer, index) =>
    keyProblems(issuer, `${STATEMENTS}[${index}]`, outbound),
  );
  if (problems.length > 0) throw new SettingsError(problems);
  return {
    issuers: configured.map(trustedIssuer),
    verifier: jose.verifier,
    jwkSets,
  };
}

function trustedIssuer(configured: ConfiguredStatementIssuer): SoftwareStatementIssuer {
  return {
    issuer: configured.issuer,
    keys: issuerKeys(configured),
    authorisesRegistration: configured['authorises-registration'],
    approvedSoftwareIds: configured['approved-software-ids'],
  };
}

/** The public keys of a trusted issuer, or the address of its key set, as `chancery.yaml` has them. */
interface ConfiguredKeys {
  readonly jwks?: { readonly keys: readonly JsonWebKey[] } | undefined;
  readonly 'jwks-uri'?: string | undefined;
}

function issuerKeys({
  jwks,
  'jwks-uri': jwks_uri,
}: ConfiguredKeys): { readonly jwks: readonly JsonWebKey[] } | { readonly jwks_uri: string } {
  return jwks_uri === undefined ? { jwks: jwks?.keys ?? [] } : { jwks_uri };
}

/** Returns a problem for each key and address that could never be used. */
function keyProblems(
  { jwks, 'jwks-uri': jwks_uri }: ConfiguredKeys,
  path: string,
  outbound: OutboundHttp,
): readonly SettingsProblem[] {
  const refused = (at: string, rule: string): SettingsProblem => ({
    path: path + at,
    source: 'at start',
    rule,
  });
  const keys = jwks?.keys ?? [];
  const unsound = keys.flatMap((key, index) => {
    const problem = clientJwkProblem(key);
    return problem === undefined ? [] : [refused(`.jwks.keys[${index}]`, problem)];
  });
  const twice = duplicateKeyId(keys) ? [refused('.jwks', 'has two keys with the same kid and use')] : [];
  const address = jwks_uri === undefined ? undefined : outbound.urlProblem(jwks_uri);
  const uncallable =
    address === undefined
      ? []
      : [refused('.jwks-uri', `cannot be called: ${address.reason} (${address.detail})`)];
  return [...unsound, ...twice, ...uncallable];
}
