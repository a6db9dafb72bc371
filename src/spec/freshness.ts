/** The headers that decide how long a response is fresh (RFC 9111 §4.2). */
export interface FreshnessHeaders {
  readonly age?: string;
  readonly 'cache-control'?: string;
  readonly date?: string;
  readonly expires?: string;
  readonly vary?: string;
}

export interface FreshnessBounds {
  /** Seconds. */
  readonly min: number;
  /** Seconds. */
  readonly max: number;
}

/** Seconds for a response that says nothing. RFC 9111 §4.2.2 leaves the time to the cache. */
const UNSTATED = 3600;

/**
 * Returns for how many seconds a shared cache may use a response that arrives now without asking again, within bounds (RFC 9111
 * §4.2, draft-ietf-oauth-client-id-metadata-document-02 §5.2: it "SHOULD respect HTTP cache headers … but MAY define its own upper
 * and/or lower bounds"). A value that cannot be read counts as stale.
 */
export function freshFor(headers: FreshnessHeaders, { min, max }: FreshnessBounds): number {
  const stated = statedSeconds(headers);
  return Math.max(min, Math.min(max, stated ?? UNSTATED));
}

function statedSeconds(headers: FreshnessHeaders): number | undefined {
  const directives = directivesOf(headers['cache-control'] ?? '');
  // One copy serves all end-users, so this cache is a shared one. Each request has the same headers: only `*` could vary.
  const again = ['no-store', 'no-cache', 'private'].some((name) => directives.has(name));
  if (again || headers.vary?.includes('*') === true) return 0;
  const age = secondsIn(headers.age ?? '0') ?? 0;
  const lifetime = directives.get('s-maxage') ?? directives.get('max-age');
  if (lifetime !== undefined) return Math.max(0, (secondsIn(lifetime) ?? 0) - age);
  if (headers.expires === undefined) return undefined;
  const until = Date.parse(headers.expires);
  const from = Date.parse(headers.date ?? '');
  // §5.3: an invalid date, "especially including the value "0"", means that the response has expired.
  return Number.isNaN(until) || Number.isNaN(from) ? 0 : Math.max(0, Math.floor((until - from) / 1000) - age);
}

/** The first of two equal directives counts (§4.2.1). */
function directivesOf(header: string): ReadonlyMap<string, string> {
  const directives = new Map<string, string>();
  for (const part of header.split(',')) {
    const [name = '', value = ''] = part.split('=', 2).map((word) => word.trim());
    const key = name.toLowerCase();
    if (!directives.has(key)) directives.set(key, value.replaceAll('"', ''));
  }
  return directives;
}

/** A number of seconds of any length (§1.2.2). */
const secondsIn = (text: string): number | undefined =>
  /^[0-9]+$/u.test(text.trim()) ? Math.min(Number(text), 2 ** 31) : undefined;
