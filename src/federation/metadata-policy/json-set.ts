import type { JsonValue } from '../../spec/json.ts';

/** Equal values have equal keys: members of an object are in no order. */
function keyOf(value: JsonValue): string {
  if (isArray(value)) return `[${value.map(keyOf).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${keyOf(member)}`);
  return `{${members.sort().join()}}`;
}

export function sameJson(one: JsonValue, other: JsonValue): boolean {
  return keyOf(one) === keyOf(other);
}

/** `Array.isArray` does not narrow read-only arrays. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** What set operators work on (§6.1.3.1): an array of strings; and, as the section permits, of numbers or of objects. */
export function isValueList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return (
    isArray(value) &&
    (value.every((item) => typeof item === 'string') ||
      value.every((item) => typeof item === 'number') ||
      value.every((item) => typeof item === 'object' && item !== null && !isArray(item)))
  );
}

export function includes(list: readonly JsonValue[], value: JsonValue): boolean {
  const key = keyOf(value);
  return list.some((item) => keyOf(item) === key);
}

export function isSubset(part: readonly JsonValue[], whole: readonly JsonValue[]): boolean {
  const keys = new Set(whole.map(keyOf));
  return part.every((item) => keys.has(keyOf(item)));
}

/** In the order of `first`, which is the superior's: §6.1.3 leaves the order open. */
export function intersection(
  first: readonly JsonValue[],
  second: readonly JsonValue[],
): readonly JsonValue[] {
  const keys = new Set(second.map(keyOf));
  return unique(first).filter((item) => keys.has(keyOf(item)));
}

/** What `second` adds comes behind `first`. */
export function union(first: readonly JsonValue[], second: readonly JsonValue[]): readonly JsonValue[] {
  return unique([...first, ...second]);
}

function unique(list: readonly JsonValue[]): readonly JsonValue[] {
  const kept = new Map<string, JsonValue>();
  for (const item of list) {
    const key = keyOf(item);
    if (!kept.has(key)) kept.set(key, item);
  }
  return [...kept.values()];
}
