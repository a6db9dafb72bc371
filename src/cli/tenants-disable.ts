import { switchTenant } from './tenants-switch.ts';

export const run = switchTenant(false);
