import type { Settings } from './settings.ts';

export const MASK = '******';

/** Returns a value, or a mask for a secret. An empty secret is shown as empty. */
export function maskedValue(value: Settings[keyof Settings], secret: boolean): unknown {
  const empty = value === undefined || (Array.isArray(value) && value.length === 0);
  return secret && !empty ? MASK : value;
}
