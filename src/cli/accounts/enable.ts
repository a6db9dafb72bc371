import { switchAccount } from './switch.ts';

export const run = switchAccount(true);
