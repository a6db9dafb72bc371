import type { Experiment } from './experiment.ts';
import { kill } from './experiments/kill.ts';

/** In the order in which they run. */
export const EXPERIMENTS: readonly Experiment[] = [kill];
