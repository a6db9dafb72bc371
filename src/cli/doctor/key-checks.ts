import { type Finding, good, problem, warning } from './finding.ts';
import type { Metadata } from './metadata-checks.ts';
import { isAnswer, type Visit } from './visit.ts';

const ABOUT = 'keys';

/** RFC 7518 §6.2.2, §6.3.2 and §6.4: members that only the owner of a key may know. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const;

/** RFC 7518 §3.3: "A key of size 2048 bits or larger MUST be used". */
const RSA_BITS_MIN = 2048;

type Jwk = Readonly<Record<string, unknown>>;

/** The key type that a signing algorithm needs (RFC 7518 §3.1, RFC 8037, RFC 9864). */
function keyTypeOf(algorithm: string): string | undefined {
  if (/^(?:RS|PS)\d+$/u.test(algorithm)) return 'RSA';
  if (/^ES\d+K?$/u.test(algorithm)) return 'EC';
  return algorithm.startsWith('Ed') ? 'OKP' : undefined;
}

/** Examines the published key set (RFC 7517). */
export async function keyFindings(metadata: Metadata, visit: Visit): Promise<readonly Finding[]> {
  const { jwks_uri } = metadata;
  if (typeof jwks_uri !== 'string') return [unusable('discovery names no jwks_uri')];
  const answer = await visit(jwks_uri);
  const keys = isAnswer(answer) ? (answer.json as { readonly keys?: unknown } | undefined)?.keys : undefined;
  if (!Array.isArray(keys) || keys.length === 0)
    return [
      unusable(`${jwks_uri} ${isAnswer(answer) ? `answers ${answer.status} without keys` : answer.failure}`),
    ];
  const found = [
    ...exposed(keys as Jwk[]),
    ...named(keys as Jwk[]),
    ...weak(keys as Jwk[]),
    ...announced(metadata, keys as Jwk[]),
  ];
  const cached = isAnswer(answer) && /max-age=[1-9]/u.test(answer.headers.get('cache-control') ?? '');
  if (!cached)
    found.push(
      warning(ABOUT, 'the key set says nothing about caching', {
        reason: 'Clients either ask for each token or keep keys for ever.',
        remedy: 'Let `Cache-Control` of the server through, with a max-age.',
      }),
    );
  return found.length === 0 ? [good(ABOUT, `${keys.length} public keys, each with a kid`)] : found;
}

const unusable = (says: string): Finding =>
  problem(ABOUT, says, {
    reason: 'Clients cannot check ID tokens and self-contained access tokens.',
    remedy: 'Make jwks_uri reachable for clients.',
  });

function exposed(keys: readonly Jwk[]): Finding[] {
  return keys
    .filter((key) => PRIVATE_MEMBERS.some((member) => member in key))
    .map((key) =>
      problem(ABOUT, `the key ${JSON.stringify(key['kid'])} is published with its private part`, {
        reason: 'Everyone who reads it can sign tokens in the name of this server.',
        remedy: 'Revoke the key at once (`chancery keys revoke`), and look for tokens made with it.',
      }),
    );
}

function named(keys: readonly Jwk[]): Finding[] {
  const kids = keys.map((key) => key['kid']);
  if (kids.every((kid) => typeof kid === 'string') && new Set(kids).size === kids.length) return [];
  return [
    problem(ABOUT, 'keys lack a kid, or share one', {
      reason: 'Clients cannot tell the keys apart while keys rotate (OpenID Connect Core 1.0 §10.1).',
      remedy: 'Give each key a kid of its own.',
    }),
  ];
}

function weak(keys: readonly Jwk[]): Finding[] {
  return keys
    .filter((key) => key['kty'] === 'RSA' && modulusBits(key['n']) < RSA_BITS_MIN)
    .map((key) =>
      problem(ABOUT, `the RSA key ${JSON.stringify(key['kid'])} has ${modulusBits(key['n'])} bits`, {
        reason: 'Keys below 2048 bits can be factored (RFC 7518 §3.3).',
        remedy: 'Rotate to a longer key.',
      }),
    );
}

function modulusBits(n: unknown): number {
  const octets = Buffer.from(typeof n === 'string' ? n : '', 'base64url');
  const first = octets.findIndex((octet) => octet !== 0);
  return first === -1 ? 0 : (octets.length - first - 1) * 8 + (32 - Math.clz32(octets[first] ?? 0));
}

/** An announced algorithm without a key makes each client fail that chose it. */
function announced(metadata: Metadata, keys: readonly Jwk[]): Finding[] {
  const algorithms = metadata['id_token_signing_alg_values_supported'];
  if (!Array.isArray(algorithms)) return [];
  const types = new Set(keys.map((key) => key['kty']));
  const lacking = algorithms.filter((one: unknown) => {
    const type = typeof one === 'string' ? keyTypeOf(one) : undefined;
    return type !== undefined && !types.has(type);
  });
  if (lacking.length === 0) return [];
  return [
    problem(ABOUT, `no published key can sign ${lacking.join(', ')}`, {
      reason: 'Discovery announces the algorithm; a client that registers for it cannot check its ID tokens.',
      remedy: 'Publish a key for it, or stop announcing it.',
    }),
  ];
}
