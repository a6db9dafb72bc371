import {
  type AnchorKey,
  type AnchorRecord,
  type NamedKey,
  type Pins,
  rootedKeys,
  trustedKeys,
} from './anchor-record.ts';

/** A configuration of a trust anchor that a trusted key signed. */
export interface Observation {
  readonly iat: number;
  readonly exp: number;
  readonly keys: readonly NamedKey[];
  /** The thumbprint of the trusted key. */
  readonly signer: string;
}

export interface RolloverRules {
  readonly now: number;
  /** Whether keys are accepted and withdrawn without an operator. */
  readonly follow: boolean;
  /** Seconds for which configurations must announce a key, or lack it, before the server follows. */
  readonly delay: number;
}

/** `announced`: new and not trusted. `missing`: trusted, and not in the newest configuration. */
export type AnchorEventKind = 'announced' | 'accepted' | 'missing' | 'withdrawn';

export interface AnchorEvent {
  readonly kind: AnchorEventKind;
  readonly key: NamedKey;
}

export interface Rollover {
  readonly record: AnchorRecord;
  readonly events: readonly AnchorEvent[];
}

/**
 * Returns the record after a configuration of the trust anchor (§11.2). An older configuration than the last changes nothing. Only
 * with `follow` does the trust change, as in RFC 5011 §2: a key must be announced for a while without a break, and a trusted key
 * must be missing for as long.
 */
export function observed(
  pins: Pins,
  before: AnchorRecord,
  seen: Observation,
  rules: RolloverRules,
): Rollover {
  if (seen.iat < before.iat) return { record: before, events: [] };
  const events: AnchorEvent[] = [];
  const trusted = new Set(trustedKeys(pins, before).map(({ thumbprint }) => thumbprint));
  const known = [...before.keys, ...unseenPins(pins, before)];
  const names = new Set(seen.keys.map(({ thumbprint }) => thumbprint));
  // Keys whose voucher the settings have no more begin anew.
  const rooted = rootedKeys(pins, known);
  const kept = known.flatMap((key) => {
    const isTrusted = trusted.has(key.thumbprint);
    if (!names.has(key.thumbprint)) return notShown(key, isTrusted, rules, events);
    return rooted.has(key.thumbprint) ? shownAgain(key, isTrusted, rules, events) : [];
  });
  const added = seen.keys
    .filter(({ thumbprint }) => kept.every((key) => key.thumbprint !== thumbprint))
    .map((key) => announced(key, pins, seen, rules, events));
  const keys = [...kept, ...added].map((key) => followed(key, trusted, rules, events));
  return { record: { iat: seen.iat, exp: seen.exp, keys: withoutPast(pins, keys) }, events };
}

/** Keys of the settings that no record has. They begin as if the anchor had just shown them. */
function unseenPins(pins: Pins, { keys }: AnchorRecord): readonly AnchorKey[] {
  const known = new Set(keys.map(({ thumbprint }) => thumbprint));
  return [...pins.values()]
    .filter(({ thumbprint }) => !known.has(thumbprint))
    .map((key) => ({ ...key, ...FRESH, since: 0, vouched_by: null }));
}

const FRESH = { missing_since: null, accepted: null, withdrawn_at: null } as const;

function shownAgain(
  key: AnchorKey,
  isTrusted: boolean,
  { now }: RolloverRules,
  events: AnchorEvent[],
): AnchorKey {
  if (key.missing_since === null) return key.since === 0 ? { ...key, since: now } : key;
  if (!isTrusted) events.push({ kind: 'announced', key });
  // Its voucher stays: the signer of today may be a key for which it has vouched itself.
  return { ...key, since: now, missing_since: null };
}

function notShown(
  key: AnchorKey,
  isTrusted: boolean,
  { now }: RolloverRules,
  events: AnchorEvent[],
): AnchorKey | readonly never[] {
  if (key.missing_since !== null) return key;
  // An announcement that the anchor took back is forgotten, and begins anew if it comes again.
  if (!isTrusted && key.withdrawn_at === null) return [];
  if (isTrusted) events.push({ kind: 'missing', key });
  return { ...key, missing_since: now };
}

function announced(
  key: NamedKey,
  pins: Pins,
  { signer }: Observation,
  { now }: RolloverRules,
  events: AnchorEvent[],
): AnchorKey {
  const isPinned = pins.has(key.thumbprint);
  if (!isPinned) events.push({ kind: 'announced', key });
  const { thumbprint, jwk } = key;
  return { thumbprint, jwk, ...FRESH, since: now, vouched_by: isPinned ? null : signer };
}

function followed(
  key: AnchorKey,
  trusted: ReadonlySet<string>,
  { now, follow, delay }: RolloverRules,
  events: AnchorEvent[],
): AnchorKey {
  const isTrusted = trusted.has(key.thumbprint);
  const unbroken = now - (key.missing_since ?? key.since);
  if (!follow || unbroken < delay) return key;
  if (key.missing_since === null && !isTrusted) return accepted(key, 'setting', now, events);
  return key.missing_since !== null && isTrusted ? withdrawn(key, now, events) : key;
}

function accepted(key: AnchorKey, by: 'operator' | 'setting', now: number, events: AnchorEvent[]): AnchorKey {
  events.push({ kind: 'accepted', key });
  return { ...key, accepted: { by, at: now }, withdrawn_at: null };
}

function withdrawn(key: AnchorKey, now: number, events: AnchorEvent[]): AnchorKey {
  events.push({ kind: 'withdrawn', key });
  return { ...key, accepted: null, withdrawn_at: now };
}

/**
 * Drops keys of the past that the settings do not have. A key for which such a key vouched keeps its thumbprint, and is vouched for
 * by the voucher of that key.
 */
function withoutPast(pins: Pins, keys: readonly AnchorKey[]): readonly AnchorKey[] {
  const isPast = ({ thumbprint, withdrawn_at, missing_since }: AnchorKey): boolean =>
    withdrawn_at !== null && missing_since !== null && !pins.has(thumbprint);
  const past = new Map(keys.filter(isPast).map((key) => [key.thumbprint, key]));
  return keys.filter((key) => !isPast(key)).map((key) => vouchedAnew(key, past));
}

function vouchedAnew(key: AnchorKey, past: ReadonlyMap<string, AnchorKey>): AnchorKey {
  const left: string[] = [];
  let { vouched_by } = key;
  for (
    let voucher = past.get(vouched_by ?? '');
    voucher !== undefined;
    voucher = past.get(vouched_by ?? '')
  ) {
    left.push(voucher.thumbprint, ...(voucher.vouched_before ?? []));
    vouched_by = voucher.vouched_by;
    // Keys that vouched for each other, one after the other, have no other root.
    if (left.includes(vouched_by ?? '')) vouched_by = null;
  }
  if (left.length === 0) return key;
  const vouched_before = [...new Set([...left, ...(key.vouched_before ?? [])])].slice(0, VOUCHERS_MAX);
  return { ...key, vouched_by, vouched_before };
}

/** Bounds what a record keeps of many rollovers. */
const VOUCHERS_MAX = 100;

/**
 * Returns the record after an operator has accepted what the trust anchor announces: its keys are trusted now, and those that its
 * newest configuration lacks are not.
 */
export function acceptedByOperator(pins: Pins, before: AnchorRecord, now: number): Rollover {
  const events: AnchorEvent[] = [];
  const trusted = new Set(trustedKeys(pins, before).map(({ thumbprint }) => thumbprint));
  const rooted = rootedKeys(pins, before.keys);
  const keys = before.keys.map((key) => {
    const isTrusted = trusted.has(key.thumbprint);
    if (key.missing_since === null && !isTrusted && rooted.has(key.thumbprint))
      return accepted(key, 'operator', now, events);
    return key.missing_since !== null && isTrusted ? withdrawn(key, now, events) : key;
  });
  return { record: { ...before, keys }, events };
}

/** Returns the thumbprints of the keys that `acceptedByOperator` would accept, in the order of the announcement. */
export function offeredThumbprints(pins: Pins, record: AnchorRecord, now: number): readonly string[] {
  const { events } = acceptedByOperator(pins, record, now);
  return events.filter(({ kind }) => kind === 'accepted').map(({ key }) => key.thumbprint);
}

/** Says whether an operator has compared exactly the keys that are offered. */
export const areCompared = (offered: readonly string[], compared: readonly string[]): boolean =>
  [...offered].toSorted().join() === [...compared].toSorted().join();
