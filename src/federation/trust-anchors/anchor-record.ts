import type { JsonWebKey } from '../../spec/jwk.ts';

/** A federation key under its RFC 7638 thumbprint: two keys can have one `kid`. */
export interface NamedKey {
  readonly thumbprint: string;
  readonly jwk: JsonWebKey;
}

/** A key of a trust anchor, as its configurations have shown it. All times are seconds since the Unix epoch. */
export interface AnchorKey extends NamedKey {
  /** When the server first saw it, in an unbroken row of configurations with it. */
  readonly since: number;
  /** When a configuration first lacked it; null while the newest one has it. */
  readonly missing_since: number | null;
  /** The trusted key that signed the configuration in which it was new; null for a key of the settings. */
  readonly vouched_by: string | null;
  /** The keys of the past through which that trust came, the newest first: one of them may come into the settings. */
  readonly vouched_before?: readonly string[];
  /** Why it is trusted without being in the settings. */
  readonly accepted: { readonly by: 'operator' | 'setting'; readonly at: number } | null;
  /** When trust in it ended, although the settings have it or it was accepted. */
  readonly withdrawn_at: number | null;
}

/** The observations of one trust anchor. */
export interface AnchorRecord {
  /** `iat` and `exp` of the newest configuration. Older ones announce nothing: they may be replayed. */
  readonly iat: number;
  readonly exp: number;
  readonly keys: readonly AnchorKey[];
}

export const NOTHING_SEEN: AnchorRecord = { iat: 0, exp: 0, keys: [] };

/** The keys of the settings, by thumbprint. */
export type Pins = ReadonlyMap<string, NamedKey>;

/**
 * Returns the keys that are trusted: those of the settings that were not withdrawn, and the accepted ones. An accepted key counts as
 * long as the settings have the key that vouched for it, directly or over other accepted keys. So an operator who replaces a stolen
 * key in the settings also ends the trust in what it announced.
 */
export function trustedKeys(pins: Pins, { keys }: AnchorRecord): readonly NamedKey[] {
  const withdrawn = new Set(keys.filter(({ withdrawn_at }) => withdrawn_at !== null).map(nameOf));
  const rooted = rootedKeys(pins, keys);
  const accepted = keys.filter((key) => key.accepted !== null && rooted.has(key.thumbprint));
  return [...new Map([...pins.values(), ...accepted].map((key) => [key.thumbprint, key])).values()].filter(
    ({ thumbprint }) => !withdrawn.has(thumbprint),
  );
}

const nameOf = ({ thumbprint }: NamedKey): string => thumbprint;

/** Returns the thumbprints whose vouchers lead to a key of the settings. */
export function rootedKeys(pins: Pins, keys: readonly AnchorKey[]): ReadonlySet<string> {
  const rooted = new Set(pins.keys());
  for (let before = 0; before !== rooted.size; ) {
    before = rooted.size;
    for (const { thumbprint, vouched_by, vouched_before = [] } of keys)
      if ([vouched_by, ...vouched_before].some((voucher) => voucher !== null && rooted.has(voucher)))
        rooted.add(thumbprint);
  }
  return rooted;
}

/** Reads what `JSON.stringify` has written. */
export function parseRecord(content: string): AnchorRecord {
  return JSON.parse(content) as AnchorRecord;
}
