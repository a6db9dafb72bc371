import { remoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import type { ConfiguredAssertionIssuer } from '../config/assertion-grant-settings.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError, type SettingsProblem } from '../config/settings-error.ts';
import { contract as tokenContract } from '../endpoints/token/contract.ts';
import type {
  AssertionGrantNeeds,
  AssertionIssuer,
  JwtIssuer,
  SamlIssuer,
} from '../grants/assertion-grant.ts';
import { joseJwtVerifier } from '../jose/jwt-verifier.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { OutboundHttp } from '../ports/outbound-http.ts';
import type { ReplayStore } from '../ports/replay-store.ts';
import { samlAssertionVerifier } from '../saml/assertion-verifier.ts';
import { certificateKey } from '../saml/certificate-key.ts';
import { SIGNING_ALGORITHMS, XML_SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { issuerKeys, keyProblems } from './issuer-keys.ts';

const PATH = 'assertion-grants.issuers';

interface Opened {
  readonly outbound: OutboundHttp;
  readonly clock: Clock;
  readonly clients: ClientStore;
  readonly replays: ReplayStore;
}

type Configured<Kind extends ConfiguredAssertionIssuer['kind']> = Extract<
  ConfiguredAssertionIssuer,
  { readonly kind: Kind }
>;

/**
 * What assertions are taken as grants; undefined where nobody's are.
 * @throws SettingsError for keys and addresses that could never be used: better at start than at the first assertion
 */
export function openAssertionGrants(
  settings: Settings,
  { outbound, clock, clients, replays }: Opened,
): AssertionGrantNeeds | undefined {
  const configured = settings[PATH];
  if (configured.length === 0) return undefined;
  const problems = configured.flatMap((issuer, index) =>
    issuer.kind === 'jwt'
      ? keyProblems(issuer, `${PATH}[${index}]`, outbound)
      : certificateProblems(issuer, `${PATH}[${index}]`),
  );
  if (problems.length > 0) throw new SettingsError(problems);
  return {
    issuer: settings.issuer,
    tokenEndpoint: `${settings.issuer}${tokenContract.path}`,
    audience: settings['client-authentication.assertion-audience'],
    jwtIssuers: configured.filter((one) => one.kind === 'jwt').map(jwtIssuer),
    samlIssuers: configured.filter((one) => one.kind === 'saml').map(samlIssuer),
    samlLengthMax: settings['assertion-grants.assertion-length'],
    samlVerifier: samlAssertionVerifier(),
    clock,
    lifetimeMax: settings['assertion-grants.lifetime-max'],
    clockSkew: settings['assertion-grants.clock-skew'],
    verifier: joseJwtVerifier(clock),
    jwkSets: remoteJwkSets({ outbound, clock }),
    clients,
    replays,
  };
}

function jwtIssuer(configured: Configured<'jwt'>): JwtIssuer {
  return {
    ...assertionIssuer(configured),
    keys: issuerKeys(configured),
    algorithms: configured.algorithms ?? SIGNING_ALGORITHMS,
    requireJti: configured['require-jti'],
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
