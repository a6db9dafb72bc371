import type { Settings } from '../config/settings.ts';
import { PASSWORD_ACR } from './password-sign-in.ts';

type AcrSettings = Pick<Settings, 'sign-in.acr-values' | 'sign-in.external-url'>;

/** Returns the `acr` values that a sign-in here can have, as far as they are known. Discovery publishes them (OpenID Connect Discovery 1.0 §3). */
export function supportedAcrValues({
  'sign-in.external-url': external,
  'sign-in.acr-values': values,
}: AcrSettings): readonly string[] {
  return external === 'none' ? [PASSWORD_ACR] : values;
}

/** Says whether a new sign-in can have this `acr`. The operator's own page can have any, unless the settings list its values. */
export function canSignInWith(settings: AcrSettings, acr: string): boolean {
  const known = supportedAcrValues(settings);
  return known.length === 0 || known.includes(acr);
}
