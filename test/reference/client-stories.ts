import { recorded } from '../../src/testing/exchange-story.ts';
import { federatedTenant, requestStatement } from '../../src/testing/federated-tenant.ts';
import { CALLBACK, DIRECT, MASTER, SERVICE, WEB_CLIENT } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

const NAMED = { ...WEB_CLIENT, client_name: 'Paper Clips' };

const registration: Story = async () => {
  const story = storyTenant({ 'registration.allow-open-registration': true });
  const { tenant, show } = story;
  const token = await tenant.initialToken('client-reg:grant:code');
  await tenant.send('client-registration', { bearer: MASTER, json: NAMED });
  show('The operator registers a client', 200);
  await tenant.send('client-registration-201', { json: { ...NAMED, token_endpoint_auth_method: 'none' } });
  show('A program registers itself, where the server permits open registration', 201);
  await tenant.send('client-registration', { bearer: MASTER, json: NAMED, query: 'dry_run=true' });
  show('A dry run stores nothing', 200);
  await tenant.send('client-registration', {
    bearer: MASTER,
    json: { redirect_uris: [CALLBACK, 'http://client.example/cb'], grant_types: ['authorisation_code'] },
    query: 'dry_run=true',
  });
  show('A refused dry run names every mistake', 400);
  await tenant.send('client-registration', { bearer: token, json: SERVICE });
  show('An initial access token permits less than the registration asks for', 403);
  await tenant.send('client-registration', { bearer: 'a wrong token', json: NAMED });
  show('A wrong token', 401);
  return story;
};

const list: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  // The list has the order of the identifiers.
  await tenant.register({ ...NAMED, preferred_client_id: 'paper-clips' });
  await tenant.register({ ...SERVICE, preferred_client_id: 'report-of-the-night' });
  await tenant.send('client-list', { bearer: MASTER, query: 'limit=1' });
  show('A page of one client; `Link` leads to the next page', 200);
  await tenant.send('client-list', { bearer: MASTER, query: 'limit=many' });
  show('A page size that is no number', 400);
  await tenant.send('client-list');
  show('No token', 401);
  return story;
};

const read: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  const { client_id, registration_access_token: bearer } = await tenant.register(NAMED);
  await tenant.send('client-read', { id: client_id, bearer });
  show('A client reads its registration', 200);
  await tenant.send('client-read', { id: 'nobody', bearer: MASTER });
  show('The operator asks for an identifier that no client has', 404);
  await tenant.send('client-read', { id: 'nobody', bearer });
  show('The token of another client', 401);
  return story;
};

const update: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  const { client_id: id, registration_access_token: bearer } = await tenant.register(NAMED);
  await tenant.send('client-update', { id, bearer, json: { ...WEB_CLIENT, client_name: 'Staples' } });
  show('A client replaces its registration; secret and token are new', 200);
  await tenant.send('client-update', { id, bearer, json: WEB_CLIENT });
  show('The token from before the update', 401);
  await tenant.send('client-update', {
    id,
    bearer: MASTER,
    json: { redirect_uris: ['https://*.example/cb'] },
  });
  show('A redirection URI with a wildcard', 400);
  return story;
};

const remove: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  const { client_id: id, registration_access_token: bearer } = await tenant.register(NAMED);
  await tenant.send('client-delete', { id, bearer });
  show('A client deletes itself', 204);
  await tenant.send('client-delete', { id, bearer });
  show('It is gone, and so is its token', 401);
  return story;
};

const direct: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  await tenant.send('direct-authorization', {
    bearer: DIRECT,
    json: { sub: 'alice', scope: ['client-reg:grant:code'], label: 'portal', lifetime: 600 },
  });
  show('A developer portal makes an initial access token', 200);
  const { client_id } = await tenant.register({
    grant_types: ['authorization_code', 'refresh_token'],
    ...WEB_CLIENT,
  });
  await tenant.send('direct-authorization', {
    bearer: DIRECT,
    json: {
      sub: 'alice',
      client_id,
      scope: ['read'],
      refresh_token: { issue: true },
      data: { plan: 'gold' },
    },
  });
  show('A sign-in page of the operator makes tokens for a client', 200);
  await tenant.send('direct-authorization', { bearer: DIRECT, json: { scope: ['read'] } });
  show('No client', 400);
  await tenant.send('direct-authorization', { bearer: MASTER, json: { scope: ['read'] } });
  show('The master token of the registry is not that of direct authorisation', 401);
  return story;
};

const federation: Story = async () => {
  const story = recorded(await federatedTenant());
  const { tenant, show } = story;
  const send = async (body: string): Promise<unknown> =>
    await tenant.send('federation-registration', { body, contentType: 'application/entity-statement+jwt' });
  await send(requestStatement());
  show('A relying party that a federation vouches for registers', 200);
  await send('no statement');
  show('A body that is no statement', 400);
  return story;
};

const federationOff: Story = async () => {
  const story = storyTenant();
  await story.tenant.send('federation-registration', { body: 'eyJ' });
  story.show('A server without federation', 400);
  return story;
};

/** The stories about clients, by the folder of the endpoint. */
export const CLIENT_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'client-registration': [registration],
  'client-list': [list],
  'client-read': [read],
  'client-update': [update],
  'client-delete': [remove],
  'direct-authorization': [direct],
  'federation-registration': [federation, federationOff],
};
