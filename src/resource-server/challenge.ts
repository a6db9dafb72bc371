/** A refusal of a request, in plain data. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 503;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON: `error` and `error_description`; empty for a request without a token (RFC 6750 §3.1). */
  readonly body: string;
}

export interface RefusalWords {
  readonly status: Refusal['status'];
  readonly error?: string;
  readonly words?: string;
  /** The scope values that the request needs. */
  readonly scope?: string | undefined;
  /** The scheme of the credentials that were refused; both schemes are offered without. */
  readonly scheme?: 'Bearer' | 'DPoP' | undefined;
  readonly nonce?: string | undefined;
}

export interface ChallengeOptions {
  /** The address of the metadata of this API (RFC 9728 §5.1). */
  readonly resourceMetadata?: string | undefined;
  readonly schemes: readonly ('Bearer' | 'DPoP')[];
  /** The algorithms of proofs (RFC 9449 §7.1). */
  readonly algorithms: readonly string[];
}

const RETRY_SECONDS = '1';

/** Renders a refusal with its challenges (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1). */
export function refusalOf(
  { resourceMetadata, schemes, algorithms }: ChallengeOptions,
  { status, error, words, scope, scheme, nonce }: RefusalWords,
): Refusal {
  const body =
    error === undefined
      ? ''
      : JSON.stringify({ error, ...(words === undefined ? {} : { error_description: words }) });
  const plain = {
    'cache-control': 'no-store',
    ...(body === '' ? {} : { 'content-type': 'application/json' }),
  };
  if (status === 503) return { status, headers: { ...plain, 'retry-after': RETRY_SECONDS }, body };
  const isWanted = (each: string): boolean =>
    scheme === undefined || scheme === each || !schemes.includes(scheme);
  const challenges = schemes.filter(isWanted).map((each) => {
    const parameters = {
      ...(error === undefined ? {} : { error }),
      ...(words === undefined ? {} : { error_description: words }),
      ...(scope === undefined ? {} : { scope }),
      ...(each === 'DPoP' ? { algs: algorithms.join(' ') } : {}),
      ...(resourceMetadata === undefined ? {} : { resource_metadata: resourceMetadata }),
    };
    const text = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
    return [each, text.join(', ')].filter((part) => part !== '').join(' ');
  });
  return {
    status,
    headers: {
      ...plain,
      'www-authenticate': challenges.join(', '),
      ...(nonce === undefined ? {} : { 'dpop-nonce': nonce }),
    },
    body,
  };
}
