import { askPerson, CIBA_ON, requestsOf, TILL } from '../../src/testing/backchannel.ts';
import { ADA } from '../../src/testing/end-users.ts';
import { aPerson, browserOf } from '../../src/testing/person.ts';
import { ISSUER, WEB_CLIENT } from '../../src/testing/tenant.ts';
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

export const BACKCHANNEL_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'backchannel-authentication': [backchannelAuthentication],
  'backchannel-requests': [backchannelRequests],
};
