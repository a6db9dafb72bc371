import type { Condition } from '../condition.ts';
import { ANSWERS } from './answers.ts';
import { BAD_REQUESTS } from './bad-requests.ts';
import { CHAINS } from './chains.ts';
import { CONFIGURATION } from './configuration.ts';
import { LIVES } from './lives.ts';
import { POLICIES } from './policies.ts';
import { REQUESTS } from './requests.ts';

/** Every condition, in the order of the printed table. */
export const CONDITIONS: readonly Condition[] = [
  ...CONFIGURATION,
  ...REQUESTS,
  ...BAD_REQUESTS,
  ...CHAINS,
  ...POLICIES,
  ...ANSWERS,
  ...LIVES,
];
