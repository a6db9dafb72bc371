import type { JsonValue } from './json.ts';

/** One difference between two JSON values. */
export interface JsonChange {
  /**
   * A JSON Pointer (RFC 6901). The index of an element that was removed counts in the value before, any other index in the value
   * after.
   */
  readonly path: string;
  /** Absent for a member or element that was added. */
  readonly before?: JsonValue;
  /** Absent for a member or element that was removed. */
  readonly after?: JsonValue;
}

/**
 * Returns the differences between two JSON values, in the order of the member names. An array is compared by its elements: those
 * that came and those that went. If its elements only changed their order, the whole array differs. The order of members and
 * the spelling of numbers do not count.
 * @returns nothing for equal values
 */
export function jsonChanges(before: JsonValue, after: JsonValue): readonly JsonChange[] {
  return changesAt('', before, after);
}

type JsonMembers = { readonly [name: string]: JsonValue };

function changesAt(path: string, before: JsonValue, after: JsonValue): readonly JsonChange[] {
  if (canonical(before) === canonical(after)) return [];
  if (isList(before) && isList(after)) return changesOfList(path, before, after);
  if (isMembers(before) && isMembers(after)) return changesOfMembers(path, before, after);
  return [{ path, before, after }];
}

function changesOfMembers(path: string, before: JsonMembers, after: JsonMembers): readonly JsonChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name): readonly JsonChange[] => {
    const at = `${path}/${pointerToken(name)}`;
    const [old, next] = [memberOf(before, name), memberOf(after, name)];
    if (old === undefined) return next === undefined ? [] : [{ path: at, after: next }];
    return next === undefined ? [{ path: at, before: old }] : changesAt(at, old, next);
  });
}

/** `__proto__` is an ordinary name, and an inherited member is none. */
const memberOf = (members: JsonMembers, name: string): JsonValue | undefined =>
  Object.hasOwn(members, name) ? members[name] : undefined;

function changesOfList(
  path: string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): readonly JsonChange[] {
  const [removed, stayed] = splitBy(before, after);
  const [added, stayedAfter] = splitBy(after, before);
  const isMoved = stayed.some(([, value], place) => canonical(value) !== canonical(stayedAfter[place]?.[1]));
  if (isMoved) return [{ path, before, after }];
  return [
    ...removed.map(([index, value]) => ({ path: `${path}/${index}`, before: value })),
    ...added.map(([index, value]) => ({ path: `${path}/${index}`, after: value })),
  ];
}

type Element = readonly [index: number, value: JsonValue];

/** Splits a list into the elements that the other list lacks and those that it has; each one there counts for one here. */
function splitBy(
  list: readonly JsonValue[],
  other: readonly JsonValue[],
): readonly [lacking: readonly Element[], present: readonly Element[]] {
  const left = new Map<string, number>();
  for (const value of other) left.set(canonical(value), (left.get(canonical(value)) ?? 0) + 1);
  const [lacking, present]: [Element[], Element[]] = [[], []];
  for (const [index, value] of list.entries()) {
    const count = left.get(canonical(value)) ?? 0;
    if (count > 0) left.set(canonical(value), count - 1);
    (count > 0 ? present : lacking).push([index, value]);
  }
  return [lacking, present];
}

/** Returns a text that two values share if they are equal as JSON. */
function canonical(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  if (isList(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isMembers(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(memberOf(value, name))}`).join(',')}}`;
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

const isMembers = (value: JsonValue): value is JsonMembers =>
  typeof value === 'object' && value !== null && !isList(value);

/** RFC 6901 §3. */
const pointerToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
