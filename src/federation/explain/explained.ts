import type { Resolution, TrustChain } from '../trust-chain/resolve-trust.ts';
import type { resolutionAsJson } from './json.ts';

/** The parts of a resolution that an explanation needs. */
export interface Explained extends Pick<Resolution, 'search' | 'reason' | 'fetches'> {
  readonly chain:
    | Pick<TrustChain, 'trust_anchor' | 'immediate_superior' | 'expires_at' | 'metadata'>
    | undefined;
}

type JsonMembers = Readonly<Record<string, unknown>>;

/** Reads a resolution that `resolutionAsJson` wrote, for example that of another server. The JSON is not checked. */
export function explainedOfJson(json: ReturnType<typeof resolutionAsJson>): Explained {
  const { search, chain, reason, fetches } = json as unknown as Explained & {
    readonly chain:
      | (Omit<NonNullable<Explained['chain']>, 'metadata'> & { readonly metadata: JsonMembers })
      | null;
  };
  if (chain === null) return { search, chain: undefined, reason, fetches };
  const metadata = new Map(
    Object.entries(chain.metadata).map(([type, members]) => [
      type,
      new Map(Object.entries(members as JsonMembers)),
    ]),
  ) as unknown as TrustChain['metadata'];
  return { search, chain: { ...chain, metadata }, reason, fetches };
}
