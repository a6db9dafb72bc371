import { type Finding, good, problem, warning } from './finding.ts';
import type { Metadata } from './metadata-checks.ts';
import { type Answer, isAnswer, type Visit } from './visit.ts';

/** More than a server and a client may differ: Chancery accepts 60 s by default. */
const CLOCK_PROBLEM = 60;
const CLOCK_WARNING = 5;

/** Compares the `Date` of an answer with the clock of this machine. The header has whole seconds. */
export function clockFindings({ headers }: Answer, now: number): readonly Finding[] {
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date)) return [];
  const apart = Math.abs(Math.round(date / 1000) - now);
  if (apart < CLOCK_WARNING) return [good('clock', `the server's clock agrees with this machine's`)];
  const advice = {
    reason: 'Assertions, request objects and tokens with times are refused as too old or not yet valid.',
    remedy: 'Run a time service (NTP) on both machines.',
  };
  const says = `the server's clock and this machine's differ by ${apart} s`;
  return [apart < CLOCK_PROBLEM ? warning('clock', says, advice) : problem('clock', says, advice)];
}

/** Headers of an answer that every deployment needs, whichever proxies stand in front. */
export function headerFindings({ headers, url }: Answer): readonly Finding[] {
  const findings: Finding[] = [];
  const hsts = headers.get('strict-transport-security');
  if (url.startsWith('https:') && hsts === null)
    findings.push(
      warning('headers', 'Strict-Transport-Security is missing', {
        reason: 'The first visit over http can be diverted (RFC 6797).',
        remedy: 'Send it from the proxy that ends TLS, or set `listen.tls-hsts-max-age`.',
      }),
    );
  if (headers.get('x-content-type-options') !== 'nosniff')
    findings.push(
      warning('headers', 'X-Content-Type-Options: nosniff is missing', {
        reason: 'Browsers may take an answer for a script or a page.',
        remedy: 'Let the header of the server through.',
      }),
    );
  const server = ['server', 'x-powered-by'].flatMap((name) => {
    const value = headers.get(name);
    return value !== null && /\d+\.\d/u.test(value) ? [`${name}: ${value}`] : [];
  });
  if (server.length > 0)
    findings.push(
      warning('headers', `an answer tells versions: ${server.join(', ')}`, {
        reason: 'It tells an attacker which known faults to try.',
        remedy: 'Switch it off at the proxy (nginx: `server_tokens off`).',
      }),
    );
  return findings.length === 0 ? [good('headers', 'the answers have the usual protection')] : findings;
}

const STRANGE_ORIGIN = 'https://chancery-doctor.invalid';

/** RFC 9700 §2.6 and the Fetch standard: public documents for every origin, and never credentials for every origin. */
export async function corsFindings(
  metadata: Metadata,
  discovery: string,
  visit: Visit,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const publicly = await visit(discovery, { headers: { origin: STRANGE_ORIGIN } });
  if (isAnswer(publicly) && publicly.headers.get('access-control-allow-origin') === null)
    findings.push(
      warning('cors', 'scripts of other origins cannot read the discovery document', {
        reason: 'Single-page applications and browser tools need it.',
        remedy: 'Let `Access-Control-Allow-Origin` of the server through.',
      }),
    );
  const endpoints = [
    'token_endpoint',
    'introspection_endpoint',
    'userinfo_endpoint',
    'registration_endpoint',
  ];
  for (const name of endpoints) {
    const url = metadata[name];
    if (typeof url !== 'string') continue;
    const answer = await visit(url, {
      method: 'OPTIONS',
      headers: { origin: STRANGE_ORIGIN, 'access-control-request-method': 'POST' },
    });
    if (isAnswer(answer) && letsCookiesIn(answer.headers))
      findings.push(
        problem('cors', `${name} lets scripts of any origin use the cookies of its visitors`, {
          reason: 'Any website can act in the name of a person who is signed in.',
          remedy: 'Remove `Access-Control-Allow-Credentials`, at the server or at the proxy.',
        }),
      );
  }
  return findings.length === 0
    ? [good('cors', 'public documents are open, and nothing takes cookies')]
    : findings;
}

function letsCookiesIn(headers: Headers): boolean {
  const origin = headers.get('access-control-allow-origin');
  return (
    headers.get('access-control-allow-credentials') === 'true' &&
    (origin === STRANGE_ORIGIN || origin === '*')
  );
}

/** The request of a browser to the authorisation endpoint, and to the page that it is sent to. */
export async function cookieFindings(metadata: Metadata, visit: Visit): Promise<readonly Finding[]> {
  const { authorization_endpoint: url } = metadata;
  if (typeof url !== 'string') return [];
  const answer = await visit(url, { headers: { accept: 'text/html' } });
  if (!isAnswer(answer)) return [];
  const secure = url.startsWith('https:');
  const weak = answer.headers.getSetCookie().filter((cookie) => {
    const attributes = cookie.toLowerCase();
    const needed = ['httponly', 'samesite=', ...(secure ? ['secure'] : [])];
    return needed.some((attribute) => !attributes.includes(attribute));
  });
  const findings = weak.map((cookie) =>
    problem('cookies', `the cookie ${cookie.split('=')[0]} lacks Secure, HttpOnly or SameSite`, {
      reason: 'Scripts, plain http or other sites can use it.',
      remedy: 'Look for a proxy that rewrites cookies.',
    }),
  );
  if (
    answer.headers.get('content-security-policy') === null &&
    answer.headers.get('x-frame-options') === null
  )
    findings.push(
      problem('cookies', 'pages may be shown in frames of other sites', {
        reason: 'People can be led to click on them unseen (RFC 9700 §4.16).',
        remedy: 'Let `Content-Security-Policy` of the server through.',
      }),
    );
  return findings.length === 0 ? [good('cookies', 'pages and cookies are protected')] : findings;
}

const FORGED_HOST = 'chancery-doctor.invalid';

/** A stranger's forwarding headers must not change what the server says of itself. */
export async function forwardingFindings(discovery: string, visit: Visit): Promise<readonly Finding[]> {
  const answer = await visit(discovery, {
    headers: {
      'x-forwarded-host': FORGED_HOST,
      'x-forwarded-proto': 'gopher',
      forwarded: `host=${FORGED_HOST};proto=gopher`,
    },
  });
  if (!isAnswer(answer) || !/chancery-doctor\.invalid|gopher:/u.test(answer.text))
    return [good('proxy', 'forwarding headers of strangers change nothing')];
  return [
    problem('proxy', 'the server takes its own name from headers that anyone can send', {
      reason: 'With a shared cache, one request makes all clients talk to another host.',
      remedy: 'Let the proxy replace X-Forwarded-* and Forwarded, and fix the issuer in the settings.',
    }),
  ];
}

/** Endpoints for operators that must not be reachable from outside. */
const INTERNAL_PATHS = ['/metrics', '/health/ready', '/health/live', '/actuator', '/debug/pprof/'];

export async function internalFindings(issuer: string, visit: Visit): Promise<readonly Finding[]> {
  const { origin } = new URL(issuer);
  const visited = await Promise.all(INTERNAL_PATHS.map(async (path) => await visit(`${origin}${path}`)));
  const open = visited.filter((one): one is Answer => isAnswer(one) && one.status === 200);
  if (open.length === 0) return [good('management', 'health and metrics are not reachable here')];
  return [
    warning('management', `${open.map(({ url }) => new URL(url).pathname).join(', ')} answer 200 here`, {
      reason: 'Metrics tell strangers how many people sign in, and how often that fails.',
      remedy: 'Keep the management listener off public networks.',
    }),
  ];
}
