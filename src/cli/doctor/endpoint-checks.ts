import { type Finding, good, problem, warning } from './finding.ts';
import { endpointsOf, type Metadata } from './metadata-checks.ts';
import { type Answer, isAnswer, type Visit } from './visit.ts';

const ABOUT = 'endpoints';

/** A client and an address that no server knows. */
const STRANGER = 'chancery-doctor-unknown-client';
const ELSEWHERE = 'https://chancery-doctor.invalid/callback';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

type Probe = (url: string, visit: Visit) => Promise<readonly Finding[]>;

/** Calls each announced endpoint without credentials, in a way that changes nothing. */
export async function endpointFindings(metadata: Metadata, visit: Visit): Promise<readonly Finding[]> {
  const endpoints = endpointsOf(metadata);
  const probed = await Promise.all(
    endpoints.map(async ([name, url]) => {
      const probe = PROBES[name];
      return probe === undefined ? await answers(name, url, visit) : await probe(url, visit);
    }),
  );
  const findings = probed.flat();
  return findings.length === 0
    ? [good(ABOUT, `${endpoints.length} announced endpoints answer, and refuse strangers`)]
    : findings;
}

const PROBES: Readonly<Partial<Record<string, Probe>>> = {
  authorization_endpoint: probeAuthorization,
  token_endpoint: probeToken,
  introspection_endpoint: probeIntrospection,
  userinfo_endpoint: probeUserinfo,
  registration_endpoint: probeRegistration,
};

async function answers(name: string, url: string, visit: Visit): Promise<readonly Finding[]> {
  const answer = await visit(url);
  return isAnswer(answer) ? absent(name, answer) : [unreachable(name, `${url}: ${answer.failure}`)];
}

function absent(name: string, { status, url }: Answer): readonly Finding[] {
  return status === 404 || status >= 500 ? [unreachable(name, `${url} answers ${status}`)] : [];
}

const unreachable = (name: string, found: string): Finding =>
  problem(ABOUT, `${name} is announced, but ${found}`, {
    reason: 'Clients believe discovery.',
    remedy: 'Pass the path on to the server, or switch the endpoint off in the settings.',
  });

/** RFC 6749 §3.1.2.4: "MUST NOT automatically redirect the user-agent to the invalid redirection URI". */
async function probeAuthorization(url: string, visit: Visit): Promise<readonly Finding[]> {
  const query = new URLSearchParams({
    client_id: STRANGER,
    redirect_uri: ELSEWHERE,
    response_type: 'code',
    scope: 'openid',
  });
  const answer = await visit(`${url}${url.includes('?') ? '&' : '?'}${query.toString()}`);
  if (!isAnswer(answer)) return [unreachable('authorization_endpoint', `${url}: ${answer.failure}`)];
  const location = answer.headers.get('location') ?? '';
  if (location.startsWith(ELSEWHERE))
    return [
      problem(ABOUT, 'the authorisation endpoint redirects an unknown client to an address of its choice', {
        reason: 'The server is an open redirector: links to it lead people to any site (RFC 9700 §4.11).',
        remedy: 'Refuse unknown clients and redirection URIs with a page.',
      }),
    ];
  return absent('authorization_endpoint', answer);
}

async function probeToken(url: string, visit: Visit): Promise<readonly Finding[]> {
  const wrong = await visit(url, {
    method: 'POST',
    headers: FORM,
    body: `grant_type=client_credentials&client_id=${STRANGER}&client_secret=wrong`,
  });
  if (!isAnswer(wrong)) return [unreachable('token_endpoint', `${url}: ${wrong.failure}`)];
  if (wrong.status === 200) return [answersStrangers('token_endpoint')];
  const findings = [...absent('token_endpoint', wrong)];
  if (!/no-store/u.test(wrong.headers.get('cache-control') ?? ''))
    findings.push(
      problem(ABOUT, 'the token endpoint does not say `Cache-Control: no-store`', {
        reason: 'A cache on the way may keep tokens (RFC 6749 §5.1).',
        remedy: 'Let the header of the server through.',
      }),
    );
  const got = await visit(url);
  if (isAnswer(got) && got.status === 200)
    findings.push(
      warning(ABOUT, 'the token endpoint answers GET with 200', {
        reason: 'Secrets in an address end in logs (RFC 6749 §3.2: "MUST use the HTTP POST method").',
        remedy: 'Answer 405.',
      }),
    );
  return findings;
}

async function probeIntrospection(url: string, visit: Visit): Promise<readonly Finding[]> {
  const answer = await visit(url, { method: 'POST', headers: FORM, body: 'token=x' });
  if (!isAnswer(answer)) return [unreachable('introspection_endpoint', `${url}: ${answer.failure}`)];
  // RFC 7662 §2.1: "the endpoint MUST also require some form of authorization".
  return answer.status === 200
    ? [answersStrangers('introspection_endpoint')]
    : absent('introspection_endpoint', answer);
}

async function probeUserinfo(url: string, visit: Visit): Promise<readonly Finding[]> {
  const answer = await visit(url);
  if (!isAnswer(answer)) return [unreachable('userinfo_endpoint', `${url}: ${answer.failure}`)];
  return answer.status === 200
    ? [answersStrangers('userinfo_endpoint')]
    : absent('userinfo_endpoint', answer);
}

/** Sends metadata that no server can take, so that nothing is registered. */
async function probeRegistration(url: string, visit: Visit): Promise<readonly Finding[]> {
  const answer = await visit(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"redirect_uris":"not a list"}',
  });
  if (!isAnswer(answer)) return [unreachable('registration_endpoint', `${url}: ${answer.failure}`)];
  const findings = [...absent('registration_endpoint', answer)];
  if (answer.status === 400)
    findings.push(
      warning(ABOUT, 'everyone may register a client', {
        reason: 'That is right for open federations and MCP servers, and a surprise elsewhere.',
        remedy: 'Set `registration.allow-open-registration: false`, or keep it on purpose.',
      }),
    );
  const list = await visit(url);
  if (isAnswer(list) && list.status === 200) findings.push(answersStrangers('GET registration_endpoint'));
  return findings;
}

const answersStrangers = (name: string): Finding =>
  problem(ABOUT, `${name} answers 200 to a stranger`, {
    reason: 'It must refuse requests without credentials.',
    remedy: 'Look for a proxy that adds credentials, and for an answer from a cache.',
  });
