/** A JSON object whose members are compared one by one. */
export type Members = Readonly<Record<string, unknown>>;

/** One difference of two objects; a side that lacks the member has none. */
export interface Difference {
  /** A JSON pointer (RFC 6901). */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Returns the merge patch (RFC 7396) that makes `after` of `before`: null removes a member. */
export function patchBetween(before: Members, after: Members): Members {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names.flatMap((name): readonly (readonly [string, unknown])[] => {
      const [old, fresh] = [before[name], after[name]];
      if (isSame(old, fresh)) return [];
      if (fresh === undefined) return [[name, null]];
      return [[name, isMembers(old) && isMembers(fresh) ? patchBetween(old, fresh) : fresh]];
    }),
  );
}

/** Returns an object after a merge patch (RFC 7396 §2). */
export function patched(target: Members, patch: Members): Members {
  const result: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else if (isMembers(value)) result[name] = patched(isMembers(result[name]) ? result[name] : {}, value);
    else result[name] = value;
  }
  return result;
}

/** Returns the members that differ, in the order of their names. */
export function differences(before: Members, after: Members): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) =>
    isSame(before[name], after[name])
      ? []
      : [
          {
            path: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
            ...(before[name] === undefined ? {} : { before: before[name] }),
            ...(after[name] === undefined ? {} : { after: after[name] }),
          },
        ],
  );
}

export const isEmpty = (members: Members): boolean => Object.keys(members).length === 0;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The order of members is no difference. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(ordered(one)) === JSON.stringify(ordered(other));
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isMembers(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, ordered(value[name])]));
}
