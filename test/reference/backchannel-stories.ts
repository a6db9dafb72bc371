import { askPerson, CIBA_ON, requestsOf, TILL } from '../../src/testing/backchannel.ts';
import { ADA } from '../../src/testing/end-users.ts';
import { recorded } from '../../src/testing/exchange-story.ts';
import { externalTenant, PAGE_TOKEN } from '../../src/testing/external-sign-in.ts';
import { aPerson, browserOf } from '../../src/testing/person.ts';
import { ADMIN, ISSUER, WEB_CLIENT } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

const backchannelAuthentication: Story = async () => {
  const story = storyTenant(CIBA_ON);
  const { tenant, show } = story;
  const till = await tenant.register(TILL);
  const asked = await askPerson(tenant, till, { scope: 'openid pay', binding_message: 'Order 4711' });
  show('A till asks a person for a sign-in', 200);
  await askPerson(tenant, till, { binding_message: 'x'.repeat(101) });
  show('A message that is too long', 400);
  await askPerson(tenant, await tenant.register(WEB_CLIENT));
  show('A client that is not registered for the grant', 400);
  await asked.poll();
  show('The till asks for its tokens before the person has answered', 400);
  return story;
};

const backchannelRequests: Story = async () => {
  const story = storyTenant(CIBA_ON);
  const { tenant, show } = story;
  const ada = await aPerson(tenant);
  await askPerson(tenant, await tenant.register(TILL), { binding_message: 'Order 4711' });
  await browserOf(tenant).open(`${ISSUER}/account/requests`);
  show('A person who is not signed in', 200);
  await ada.browser.submit(await ada.browser.open(`${ISSUER}/account/requests`), 'sign-in', {
    username: ADA.username,
    password: ADA.password,
  });
  show('The requests to a person', 200);
  await ada.browser.submit(await requestsOf(ada), 'block');
  show('The person refuses a request, and blocks its client', 200);
  return story;
};

const GRACE = 'grace-1906';

const backchannelApi: Story = async () => {
  const { tenant: opened, ...external } = await externalTenant(CIBA_ON);
  const { handle } = await external.sentOut();
  await external.redirectTo(handle, { subject: GRACE });
  await askPerson(opened, await opened.register(TILL), { login_hint: GRACE, binding_message: 'Order 4711' });
  const story = recorded(opened);
  const { tenant, show } = story;
  const query = `subject=${GRACE}`;
  const { json } = await tenant.send('backchannel-api', { bearer: PAGE_TOKEN, query });
  show('The requests to a person', 200);
  const [{ id } = { id: '' }] = json['requests'] as readonly { readonly id: string }[];
  const agreed = { subject: GRACE, consent: { scope: ['openid'] } };
  await tenant.send('backchannel-api-outcome', { bearer: PAGE_TOKEN, id, json: { subject: GRACE } });
  show('An answer that does not say what the person agreed to', 400);
  await tenant.send('backchannel-api-outcome', { bearer: PAGE_TOKEN, id, json: agreed });
  show('The person has agreed', 200);
  return story;
};

const administration: Story = async () => {
  const story = storyTenant(CIBA_ON);
  const { tenant, show } = story;
  await aPerson(tenant);
  await askPerson(tenant, await tenant.register(TILL), { binding_message: 'Order 4711' });
  const { json } = await tenant.send('admin-backchannel-request-list', { bearer: ADMIN });
  show('The requests of the last hour', 200);
  const [{ id } = { id: '' }] = json['items'] as readonly { readonly id: string }[];
  const segments = { id };
  await tenant.send('admin-backchannel-request-read', { bearer: ADMIN, segments });
  show('One request', 200);
  await tenant.send('admin-backchannel-request-refuse', { bearer: ADMIN, segments });
  show('The request is refused', 204);
  return story;
};

export const BACKCHANNEL_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'backchannel-authentication': [backchannelAuthentication],
  'backchannel-requests': [backchannelRequests],
  'backchannel-api': [backchannelApi],
  'admin-backchannel-requests': [administration],
};
