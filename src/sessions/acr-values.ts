import type { Settings } from '../config/settings.ts';
import { PASSWORD_ACR } from './password-sign-in.ts';

type AcrSettings = Pick<Settings, 'sign-in.acr-values' | 'sign-in.external-url'>;
type StrengthSettings = Pick<Settings, 'sign-in.acr-values' | 'sign-in.acr-ascending'>;

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

/** Says whether an `acr` stands behind another in a list that goes from the weakest to the strongest. Unlisted values have no order. */
export function isStrongerAcr(
  { 'sign-in.acr-values': values, 'sign-in.acr-ascending': isAscending }: StrengthSettings,
  acr: string,
  than: string,
): boolean {
  return isAscending && values.includes(than) && values.indexOf(acr) > values.indexOf(than);
}
