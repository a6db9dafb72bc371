import { remoteJwkSets } from './clients/remote-jwk-set.ts';
import type { SoftwareStatementIssuer, SoftwareStatementNeeds } from './clients/software-statement.ts';
import type { Settings } from './config/settings.ts';
import { SettingsError, type SettingsProblem } from './config/settings-error.ts';
import type { ConfiguredStatementIssuer } from './config/software-statement-issuers.ts';
import { joseJwtVerifier } from './jose/jwt-verifier.ts';
import { clientJwkProblem } from './keys/client-jwk.ts';
import { duplicateKeyId } from './keys/client-jwk-set.ts';
import type { Clock } from './ports/clock.ts';
import type { OutboundHttp } from './ports/outbound-http.ts';

const PATH = 'registration.software-statement-issuers';

/**
 * What software statements are verified with; undefined where nobody is trusted.
 * @throws SettingsError for keys and addresses that could never be used: better at start than at the first statement
 */
export function openSoftwareStatements(
  settings: Settings,
  outbound: OutboundHttp,
  clock: Clock,
): SoftwareStatementNeeds | undefined {
  const configured = settings[PATH];
  if (configured.length === 0) return undefined;
  const problems = configured.flatMap((issuer, index) => keyProblems(issuer, `${PATH}[${index}]`, outbound));
  if (problems.length > 0) throw new SettingsError(problems);
  return {
    issuers: configured.map(trustedIssuer),
    verifier: joseJwtVerifier(clock),
    jwkSets: remoteJwkSets({ outbound, clock }),
  };
}

function trustedIssuer(configured: ConfiguredStatementIssuer): SoftwareStatementIssuer {
  const jwks_uri = configured['jwks-uri'];
  return {
    issuer: configured.issuer,
    keys: jwks_uri === undefined ? { jwks: configured.jwks?.keys ?? [] } : { jwks_uri },
    authorisesRegistration: configured['authorises-registration'],
    approvedSoftwareIds: configured['approved-software-ids'],
  };
}

function keyProblems(
  { jwks, 'jwks-uri': jwks_uri }: ConfiguredStatementIssuer,
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
