import type { Step } from './step.ts';
import type { Variant } from './world.ts';

/** A module of the suite: its steps for a variant, and the variants that its own rules exclude. */
export interface ConformanceModule {
  readonly name: string;
  readonly steps: (variant: Variant) => readonly Step[];
  /** `VariantNotApplicable` of the suite. */
  readonly notFor?: (variant: Variant) => boolean;
  /** The page's property that is searched here, where a person judges a screenshot there. */
  readonly review?: string;
  /** How the module here differs from the suite's. */
  readonly notes?: string;
  /** Changes the provider for all others, so that it runs after them. */
  readonly alone?: boolean;
  /** Spends most of its time waiting: it begins first. */
  readonly waits?: boolean;
}
