import { randomBytes } from 'node:crypto';
import type { Run } from '../commands.ts';

export const run: Run = async (_parameters, context) => {
  context.print(randomBytes(32).toString('hex'));
  return await Promise.resolve(0);
};
