import { switchTenant } from './switch.ts';

export const run = switchTenant(false);
