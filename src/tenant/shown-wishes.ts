import { type ConsentPage, type Pages, ThemeInvalid } from '../ports/pages.ts';

const VALUE = 'a value that the client chose';

const CONSENT: ConsentPage = {
  kind: 'consent',
  client: { name: 'client', host: undefined, vouched: true },
  form: { action: '/', form_token: 'token' },
  username: 'user',
  scope: [],
  claims: [],
  resources: [],
};

/**
 * Refuses an older theme whose consent page knows no authorisation details, or no messages of clients without a browser: people would
 * agree to what they do not see.
 * @throws ThemeInvalid
 */
export function requireShownWishes(
  pages: Pages,
  needed: { readonly details: boolean; readonly messages: boolean },
): void {
  const shows = (page: ConsentPage, times: number): boolean =>
    pages.render(page, []).split(VALUE).length > times;
  const details = [
    { parts: [{ value: VALUE }] },
    { type: 'type', members: [{ name: 'name', value: VALUE }] },
  ];
  if (needed.details && !shows({ ...CONSENT, details }, 2))
    throw new ThemeInvalid(
      'consent.liquid does not show page.details, which authorization-details.types needs',
    );
  const backchannel = { binding_message: VALUE, address: '192.0.2.7' };
  if (needed.messages && !shows({ ...CONSENT, backchannel }, 1))
    throw new ThemeInvalid(
      'consent.liquid does not show page.backchannel.binding_message, which ciba.enabled needs',
    );
}
