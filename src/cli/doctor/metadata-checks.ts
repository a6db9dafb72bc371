import { type Finding, good, problem, warning } from './finding.ts';
import { isLoopbackHost } from './issuer-url.ts';
import { type Answer, isAnswer, type Unreachable, type Visit } from './visit.ts';

export type Metadata = Readonly<Record<string, unknown>>;

const ABOUT = 'discovery';

export interface Discovered {
  /** Absent if nothing else can be examined. */
  readonly metadata?: Metadata;
  readonly answer?: Answer;
  readonly findings: readonly Finding[];
}

/** Reads the discovery document of an issuer (OpenID Connect Discovery 1.0 §4, RFC 8414 §3). */
export async function discover(issuer: string, visit: Visit): Promise<Discovered> {
  const url = `${issuer}/.well-known/openid-configuration`;
  const answer = await visit(url);
  const metadata = isAnswer(answer) ? answer.json : undefined;
  if (!isAnswer(answer) || answer.status !== 200 || !isObject(metadata))
    return { findings: [noDiscovery(answer, url)] };
  const findings = [issuerFinding(metadata, issuer), ...addressFindings(metadata, issuer)];
  return { metadata, answer, findings: [...findings, ...(await oauthMetadata(issuer, metadata, visit))] };
}

const isObject = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function noDiscovery(answer: Answer | Unreachable, url: string): Finding {
  const found = isAnswer(answer) ? `answers ${answer.status} without a JSON object` : answer.failure;
  return problem(ABOUT, `${url}: ${found}`, {
    reason: 'Clients find every address of the server there.',
    remedy:
      'Compare the issuer with `issuer` in the settings, path included. Behind a proxy, pass the path on unchanged.',
  });
}

function issuerFinding(metadata: Metadata, issuer: string): Finding {
  if (metadata['issuer'] === issuer) return good(ABOUT, `the document names ${issuer}`);
  return problem(ABOUT, `the document names the issuer ${JSON.stringify(metadata['issuer'])}`, {
    reason: `Clients compare it with ${issuer}, octet for octet (OpenID Connect Discovery 1.0 §4.3).`,
    remedy: 'Ask for the server by the issuer that it has, or set `issuer` (or `issuer-aliases`).',
  });
}

/** Members with addresses that clients call. */
export function endpointsOf(metadata: Metadata): readonly (readonly [name: string, url: string])[] {
  return Object.entries(metadata).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    return (name.endsWith('_endpoint') || name === 'jwks_uri') && typeof value === 'string';
  });
}

function addressFindings(metadata: Metadata, issuer: string): readonly Finding[] {
  const endpoints = endpointsOf(metadata);
  const strangers = endpoints.filter(([, url]) => !isBelow(url, issuer));
  const findings: Finding[] = strangers.map(([name, url]) =>
    warning(ABOUT, `${name} is at another host: ${url}`, {
      reason: 'A proxy that invents host names, or a copied setting, sends clients to the wrong place.',
      remedy: 'Set `issuer` to the public address. The server makes every address from it.',
    }),
  );
  const plain = endpoints.filter(
    ([, url]) => url.startsWith('http:') && !isLoopbackHost(new URL(url).hostname),
  );
  if (plain.length > 0)
    findings.push(
      problem(ABOUT, `${plain.map(([name]) => name).join(', ')} use plain http`, {
        reason: 'Tokens and secrets would cross the network in clear (RFC 6749 §3.1, §3.2).',
        remedy: 'Give the server an https issuer.',
      }),
    );
  if (findings.length === 0)
    findings.push(good(ABOUT, `${endpoints.length} addresses below the issuer's host`));
  return [...findings, ...valueFindings(metadata)];
}

function isBelow(url: string, issuer: string): boolean {
  return URL.parse(url)?.host === new URL(issuer).host;
}

/** Values that only weak clients use. */
function valueFindings(metadata: Metadata): readonly Finding[] {
  const has = (name: string, value: string): boolean => {
    const list = metadata[name];
    return Array.isArray(list) && list.includes(value);
  };
  const findings: Finding[] = [];
  if (!has('code_challenge_methods_supported', 'S256'))
    findings.push(
      warning(ABOUT, 'code_challenge_methods_supported lacks S256', {
        reason: 'Clients that look there first do not use PKCE (RFC 8414 §2, RFC 9700 §2.1.1).',
        remedy: 'Use a server that supports and announces PKCE.',
      }),
    );
  if (has('id_token_signing_alg_values_supported', 'none'))
    findings.push(
      warning(ABOUT, 'ID tokens may be unsigned (`none`)', {
        reason: 'A client that is registered for it accepts what anyone writes on the way.',
        remedy: 'Remove `none` from the algorithms for ID tokens.',
      }),
    );
  return findings;
}

/** RFC 8414 §3.1 inserts the well-known path between host and path; some clients read only that document. */
async function oauthMetadata(issuer: string, metadata: Metadata, visit: Visit): Promise<readonly Finding[]> {
  const { origin, pathname } = new URL(issuer);
  const url = `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`;
  const answer = await visit(url);
  if (!isAnswer(answer) || answer.status !== 200)
    return [
      warning(ABOUT, `${url} is not there`, {
        reason: 'Clients of RFC 8414, such as those of MCP, look there first.',
        remedy:
          'Pass the whole path `/.well-known/` on to the server, also the one before the path of the issuer.',
      }),
    ];
  if (isObject(answer.json) && answer.json['issuer'] === metadata['issuer'])
    return [good(ABOUT, 'the document of RFC 8414 names the same issuer')];
  return [
    problem(ABOUT, `${url} names another issuer`, {
      reason: 'Clients of RFC 8414 refuse it (§3.3).',
      remedy: 'Serve both documents from one server.',
    }),
  ];
}
