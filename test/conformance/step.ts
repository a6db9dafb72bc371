import type { ConditionName } from './conditions/library.ts';
import type { World } from './world.ts';

/**
 * The effect of a condition that does not hold on its module. `stop`: it fails and ends there; `failure`: it fails;
 * `warning`: it ends with a warning; `info`: nothing.
 */
export type Level = 'stop' | 'failure' | 'warning' | 'info';

export interface Step {
  readonly condition: ConditionName;
  readonly level: Level;
  /** Where the requirement stands, in the suite's abbreviations. */
  readonly references: readonly string[];
  /** The step is left out where this is false. */
  readonly when?: (world: World) => boolean;
}

type Make = (condition: ConditionName, ...references: readonly string[]) => Step;

function at(level: Level): Make {
  return (condition, ...references) => ({ condition, level, references });
}

export const stop: Make = at('stop');
export const fail: Make = at('failure');
export const warn: Make = at('warning');
export const info: Make = at('info');

/** Runs the steps only where the browser has ended as `when` says. */
export function where(when: (world: World) => boolean, steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => ({ ...step, when }));
}

export function steps(holds: boolean, ...more: readonly (Step | readonly Step[])[]): readonly Step[] {
  return holds ? more.flat() : [];
}
