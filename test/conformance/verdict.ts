import type { World } from './world.ts';

/** A condition does not hold. */
export class ConditionFailed extends Error {}

/** The module's own rule says that it cannot be tested here; the suite shows it as skipped. */
export class ModuleSkipped extends Error {}

export type Check = (world: World) => void | Promise<void>;

/** Throws `ConditionFailed` where `holds` is false. */
export function expect(holds: boolean, message: string): asserts holds {
  if (!holds) throw new ConditionFailed(message);
}

/** Throws where two values differ. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  expect(actual === expected, `${what} is ${shown(actual)}, not ${shown(expected)}`);
}

/** Returns the value, or throws where it is absent. */
export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new ConditionFailed(`no ${what}`);
  return value;
}

/** Returns a text of more than no characters, or throws. */
export function text(value: unknown, what: string): string {
  expect(typeof value === 'string' && value !== '', `${what} is ${shown(value)}, not a text`);
  return value;
}

export function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 300);
}

export function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
