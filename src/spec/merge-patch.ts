import type { JsonValue } from './json.ts';

/** Applies a merge patch and returns a new value (RFC 7396 §2). `__proto__` is an ordinary member. */
export function mergePatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isMembers(patch)) return patch;
  const result = new Map(Object.entries(isMembers(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergePatch(result.get(name) ?? null, value));
  }
  return Object.fromEntries(result);
}

const isMembers = (value: JsonValue): value is { readonly [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
