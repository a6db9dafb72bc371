import { aDevice, DEVICE_GRANT, TELEVISION } from '../../src/testing/device.ts';
import { browserOf } from '../../src/testing/person.ts';
import { ADMIN, ISSUER, WEB_CLIENT } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

const deviceAuthorization: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  const television = await tenant.register(TELEVISION);
  const device = await aDevice(tenant, television, { scope: 'openid films offline_access' });
  show('A television asks for its codes', 200);
  const website = await tenant.register({ ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  await tenant.send('device-authorization', { form: { client_id: website.client_id } });
  show('A client that is not registered for the grant', 400);
  await tenant.send('token', {
    form: {
      grant_type: DEVICE_GRANT,
      client_id: television.client_id,
      device_code: device.codes.device_code,
    },
  });
  show('The television asks for its tokens before its person has answered', 400);
  return story;
};

const deviceVerification: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  const browser = browserOf(tenant);
  const page = await browser.open(`${ISSUER}/device`);
  show('The page', 200);
  await browser.submit(page, 'continue', { user_code: 'BCDF-GHJK' });
  show('A code that is not valid', 200);
  return story;
};

const administration: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  await aDevice(tenant, await tenant.register(TELEVISION), { scope: 'openid films' });
  const { json } = await tenant.send('admin-device-authorization-list', { bearer: ADMIN });
  show('The devices that wait', 200);
  const [{ id } = { id: '' }] = json['items'] as readonly { readonly id: string }[];
  const segments = { id };
  await tenant.send('admin-device-authorization-read', { bearer: ADMIN, segments });
  show('One device', 200);
  await tenant.send('admin-device-authorization-refuse', { bearer: ADMIN, segments });
  show('The device is refused', 204);
  await tenant.send('admin-device-authorization-refuse', { bearer: ADMIN, segments });
  show('It is refused already', 409);
  return story;
};

export const DEVICE_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'device-authorization': [deviceAuthorization],
  'device-verification': [deviceVerification],
  'admin-device-authorizations': [administration],
};
