import type { Visit } from '../../test/program/plain-browser.ts';
import type { Settings } from '../config/settings.ts';
import { ADA } from './end-users.ts';
import type { Answer } from './exchange.ts';
import type { TestPerson } from './person.ts';
import type { TestPlatformOptions } from './platform.ts';
import { type ClientInformation, ISSUER, type TestTenant, testTenant } from './tenant.ts';

export const CIBA_GRANT = 'urn:openid:params:grant-type:ciba';

/** A client without a browser. */
export const TILL = {
  grant_types: [CIBA_GRANT, 'refresh_token'],
  client_name: 'Till',
  scope: 'openid profile offline_access pay',
  backchannel_token_delivery_mode: 'poll',
};

/** A client that is notified, or gets its tokens, there. */
export const NOTIFIED_AT = 'https://till.example/ciba';
export const pinged = (mode: 'ping' | 'push'): object => ({
  ...TILL,
  backchannel_token_delivery_mode: mode,
  backchannel_client_notification_endpoint: NOTIFIED_AT,
});
export const NOTIFICATION_TOKEN = 'notification-token-0123456789';

export const CIBA_ON: Partial<Settings> = {
  'ciba.enabled': true,
  'ciba.delivery-modes': ['poll', 'ping', 'push'],
};

/** A tenant whose clients may ask people without a browser. */
export const backchannelTenant = (
  settings: Partial<Settings> = {},
  options: TestPlatformOptions = {},
): TestTenant => testTenant({ ...options, settings: { ...CIBA_ON, ...settings } });

/** A client that has asked: it asks for its tokens. */
export interface AskedPerson {
  readonly begun: Answer;
  readonly auth_req_id: string;
  readonly poll: () => Promise<Answer>;
}

export async function askPerson(
  tenant: TestTenant,
  { client_id, client_secret }: ClientInformation,
  form: Readonly<Record<string, string>> = {},
): Promise<AskedPerson> {
  const basic = [client_id, client_secret] as const;
  const begun = await tenant.send('backchannel-authentication', {
    basic,
    form: { scope: 'openid', login_hint: ADA.username, ...form },
    from: '198.51.100.7',
  });
  const auth_req_id = String(begun.json['auth_req_id']);
  return {
    begun,
    auth_req_id,
    poll: async () => await tenant.send('token', { basic, form: { grant_type: CIBA_GRANT, auth_req_id } }),
  };
}

export const REQUESTS = `${ISSUER}/account/requests`;

/** The page with the requests to a person, who signs in if it asks for that. */
export async function requestsOf(person: TestPerson): Promise<Visit> {
  const page = await person.browser.open(REQUESTS);
  return page.html.includes('name="password"') ? await person.signIn(page) : page;
}

/** The person opens the only request. Returns the page that asks for consent. */
export const review = async (person: TestPerson): Promise<Visit> =>
  await person.browser.submit(await requestsOf(person), 'review');

/** The person opens the only request, and allows it. */
export const allow = async (person: TestPerson): Promise<Visit> =>
  await person.browser.submit(await review(person), 'allow');
