import type { Mode } from '../../config/rules.ts';
import type { Settings } from '../../config/settings.ts';
import { type Finding, good, warning } from './finding.ts';

const ABOUT = 'settings';

const LOOPBACK = /^(?:localhost|127\.|::1$)/u;

/** Examines settings that are valid, and nevertheless surprise operators. */
export function settingsFindings(
  settings: Settings,
  mode: Mode,
  concerns: readonly string[],
): readonly Finding[] {
  const findings = [...proxyFindings(settings), ...(mode === 'production' ? accessFindings(settings) : [])];
  for (const concern of concerns)
    findings.push(
      warning(ABOUT, concern, {
        reason: 'A server starts with it, and fails later.',
        remedy: 'Change the settings that the line names.',
      }),
    );
  return findings.length === 0 ? [good(ABOUT, 'no surprises')] : findings;
}

function proxyFindings(settings: Settings): Finding[] {
  const findings: Finding[] = [];
  const behindProxy = settings.issuer.startsWith('https:') && settings['listen.tls-certificate'] === 'none';
  if (behindProxy && settings['listen.trusted-proxies'].length === 0)
    findings.push(
      warning(ABOUT, 'a proxy must end TLS for this issuer, and listen.trusted-proxies is empty', {
        reason:
          'The server ignores X-Forwarded-For: all people count as one network, share its limits, and have one address in the log.',
        remedy: 'Set listen.trusted-proxies to the addresses of the proxy, such as 127.0.0.1/32.',
      }),
    );
  if (!LOOPBACK.test(settings['management.listen-host']))
    findings.push(
      warning(ABOUT, `health and metrics listen on ${settings['management.listen-host']} without a token`, {
        reason: 'Anyone at that port reads how many people sign in, and how often that fails.',
        remedy:
          'Set management.listen-host to an address of an inner network, or close the port in the firewall.',
      }),
    );
  return findings;
}

function accessFindings(settings: Settings): Finding[] {
  const master = settings['registration.master-token-sha256'].length > 0;
  if (master || settings['registration.allow-open-registration']) return [];
  return [
    warning(ABOUT, 'there is no master token, and registration is closed', {
      reason: 'Clients can be registered with this command line and with initial access tokens alone.',
      remedy: 'Set registration.master-token-sha256 if programs shall manage clients over HTTP.',
    }),
  ];
}
