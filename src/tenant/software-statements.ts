import { remoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import type {
  SoftwareStatementIssuer,
  SoftwareStatementNeeds,
} from '../clients/registration/software-statement.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { ConfiguredStatementIssuer } from '../config/software-statement-issuers.ts';
import { joseJwtVerifier } from '../jose/jwt-verifier.ts';
import type { Clock } from '../ports/clock.ts';
import type { OutboundHttp } from '../ports/outbound-http.ts';
import { issuerKeys, keyProblems } from './issuer-keys.ts';

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
  return {
    issuer: configured.issuer,
    keys: issuerKeys(configured),
    authorisesRegistration: configured['authorises-registration'],
    approvedSoftwareIds: configured['approved-software-ids'],
  };
}
