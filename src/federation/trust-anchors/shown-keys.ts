import type { AnchorKey } from './anchor-record.ts';
import type { AnchorView } from './trust-anchors.ts';

/** A key of a trust anchor as an operator sees it. Times are seconds since the Unix epoch. */
export interface ShownAnchorKey {
  readonly kid: string;
  /** `pinned` keys are in the settings; `accepted` and `followed` ones were announced and are trusted. */
  readonly state: 'pinned' | 'accepted' | 'followed' | 'announced' | 'withdrawn';
  readonly since: number | null;
  readonly missing_since: number | null;
  readonly thumbprint: string;
}

/** Returns the keys that the record of an anchor has, and then those of the settings that were never seen. */
export function shownKeys({ pins, record, trusted }: AnchorView): readonly ShownAnchorKey[] {
  const names = new Set(trusted.map(({ thumbprint }) => thumbprint));
  const seen = record.keys.map((key) => ({
    kid: String(key.jwk['kid']),
    state: stateOf(key, pins.has(key.thumbprint), names.has(key.thumbprint)),
    since: key.since === 0 ? null : key.since,
    missing_since: key.missing_since,
    thumbprint: key.thumbprint,
  }));
  const unseen = [...pins.values()]
    .filter(({ thumbprint }) => record.keys.every((key) => key.thumbprint !== thumbprint))
    .map(({ thumbprint, jwk }) => ({
      kid: String(jwk['kid']),
      state: 'pinned' as const,
      since: null,
      missing_since: null,
      thumbprint,
    }));
  return [...seen, ...unseen];
}

function stateOf(
  { accepted, withdrawn_at }: AnchorKey,
  isPinned: boolean,
  isTrusted: boolean,
): ShownAnchorKey['state'] {
  if (!isTrusted) return withdrawn_at === null ? 'announced' : 'withdrawn';
  if (isPinned) return 'pinned';
  return accepted?.by === 'setting' ? 'followed' : 'accepted';
}
