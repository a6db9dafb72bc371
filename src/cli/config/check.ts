import { systemJose } from '../../process/platform.ts';
import { configuredKeys } from '../../tenant/keys.ts';
import type { Run } from '../commands.ts';
import { askedSettings } from './config-options.ts';

export const run: Run = async (parameters, context) => {
  const asked = askedSettings(parameters, context);
  if (typeof asked === 'number') return asked;
  await configuredKeys(asked.resolved.settings, systemJose.keyMaker);
  context.print(`The settings are good for ${asked.mode}: issuer ${asked.resolved.settings.issuer}`);
  return 0;
};
