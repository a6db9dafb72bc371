import type { Visit } from '../../test/program/plain-browser.ts';
import type { Answer } from './exchange.ts';
import type { TestPerson } from './person.ts';
import { type ClientInformation, ISSUER, type TestTenant } from './tenant.ts';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** A client on a device without a browser. */
export const TELEVISION = {
  grant_types: [DEVICE_GRANT, 'refresh_token'],
  token_endpoint_auth_method: 'none',
  client_name: 'Television',
  scope: 'openid profile offline_access films',
};

export interface Codes {
  readonly device_code: string;
  readonly user_code: string;
}

/** A device of a client: it asks for its codes, and for its tokens. */
export interface TestDevice {
  readonly codes: Codes;
  readonly begun: Answer;
  poll(headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export async function aDevice(
  tenant: TestTenant,
  { client_id }: Pick<ClientInformation, 'client_id'>,
  form: Readonly<Record<string, string>> = {},
): Promise<TestDevice> {
  const begun = await tenant.send('device-authorization', {
    form: { client_id, ...form },
    from: '198.51.100.7',
  });
  const codes = {
    device_code: String(begun.json['device_code']),
    user_code: String(begun.json['user_code']),
  };
  const poll: TestDevice['poll'] = async (headers = {}) =>
    await tenant.send('token', {
      form: { grant_type: DEVICE_GRANT, client_id, device_code: codes.device_code },
      headers,
    });
  return { codes, begun, poll };
}

/** The person enters the code, and signs in if a page asks for it. Returns the consent page. */
export async function enter(person: TestPerson, user_code: string): Promise<Visit> {
  const shown = await person.browser.open(`${ISSUER}/device`);
  const page = await person.browser.submit(shown, 'continue', { user_code });
  return page.html.includes('name="password"') ? await person.signIn(page) : page;
}
