import type { JsonValue } from '../spec/json.ts';

/** The members of a JSON object. */
export type JsonMembers = { readonly [name: string]: JsonValue };

/** `Array.isArray` does not narrow read-only arrays. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isObject(value: JsonValue | undefined): value is JsonMembers {
  return typeof value === 'object' && value !== null && !isArray(value);
}

/** Returns whether the value is a non-empty array of different strings. */
export function isNameList(value: JsonValue | undefined): value is readonly string[] {
  const list: readonly JsonValue[] = isArray(value) ? value : [];
  return (
    list.length > 0 && list.every((name) => typeof name === 'string') && new Set(list).size === list.length
  );
}

/** Returns the strings of an array, and an empty array for a value of another type. */
export function stringsOf(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Returns the same key for equal values. Sorts the members of an object, because they have no order. */
function keyOf(value: JsonValue): string {
  if (isArray(value)) return `[${value.map(keyOf).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${keyOf(member)}`);
  return `{${members.sort().join()}}`;
}

export function sameJson(one: JsonValue, other: JsonValue): boolean {
  return keyOf(one) === keyOf(other);
}

export function includes(list: readonly JsonValue[], value: JsonValue): boolean {
  const key = keyOf(value);
  return list.some((item) => keyOf(item) === key);
}

export function isSubset(part: readonly JsonValue[], whole: readonly JsonValue[]): boolean {
  const keys = new Set(whole.map(keyOf));
  return part.every((item) => keys.has(keyOf(item)));
}

/** Returns the values that both lists have, in the order of `first`. */
export function intersection(
  first: readonly JsonValue[],
  second: readonly JsonValue[],
): readonly JsonValue[] {
  const keys = new Set(second.map(keyOf));
  return unique(first).filter((item) => keys.has(keyOf(item)));
}

/** Returns the values of `first`, then those that only `second` has. */
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
