import { CONFIG_OPTION } from '../settings-sources.ts';

/** For `parseArgs` of every command of tenants. */
export const TENANT_OPTIONS = {
  ...CONFIG_OPTION,
  mode: { type: 'string', default: 'production' },
  json: { type: 'boolean', default: false },
} as const;
