import {
  askToken,
  DETAIL_SETTINGS,
  DETAILED_CLIENT,
  payment,
} from '../../src/testing/authorization-details.ts';
import { answeredTo, aPerson, authorizationUrl, browserOf, RELYING_PARTY } from '../../src/testing/person.ts';
import { CALLBACK, INTROSPECTION_SCOPE, SERVICE, type TestTenant } from '../../src/testing/tenant.ts';
import {
  APPLICATION,
  exchanger,
  exchange as exchangeTokens,
  tokenOfPerson,
} from '../../src/testing/token-exchange.ts';
import { tokensFor } from '../../src/testing/userinfo.ts';
import { CODE_CHALLENGE, VERIFIER } from '../program/code-request.ts';
import { type Story, storyTenant } from './story.ts';

interface Service {
  readonly basic: readonly [string, string];
  readonly access_token: string;
}

/** A client with a token of its own, which may introspect. */
async function service(tenant: TestTenant): Promise<Service> {
  const scope = `read ${INTROSPECTION_SCOPE}`;
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope });
  const basic = [client_id, client_secret] as const;
  const form = { grant_type: 'client_credentials', scope: 'read' };
  const { json } = await tenant.send('token', { basic, form });
  return { basic, access_token: String(json['access_token']) };
}

const details: Story = async () => {
  const story = storyTenant(DETAIL_SETTINGS);
  const { tenant, show } = story;
  const client = await tenant.register(DETAILED_CLIENT);
  const authorization_details = JSON.stringify([payment()]);
  await askToken(tenant, client, { grant_type: 'client_credentials', authorization_details });
  show('A service gets a token for one payment', 200);
  const unknown = JSON.stringify([{ type: 'loan' }]);
  await askToken(tenant, client, { grant_type: 'client_credentials', authorization_details: unknown });
  show('A type that the client is not registered for', 400);
  return story;
};

const token: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  const { basic } = await service(tenant);
  show('A service gets a token for itself', 200);
  const client = await tenant.register(RELYING_PARTY);
  const own = [client.client_id, client.client_secret] as const;
  const { refresh_token } = await tokensFor(tenant, await aPerson(tenant), client, { scope: 'openid email' });
  show('A web application exchanges the code of a sign-in', 200);
  await tenant.send('token', {
    basic: own,
    form: { grant_type: 'refresh_token', refresh_token: String(refresh_token) },
  });
  show('It refreshes the tokens later', 200);
  await tenant.send('token', {
    basic: own,
    form: { grant_type: 'authorization_code', code: 'used', redirect_uri: CALLBACK, code_verifier: VERIFIER },
  });
  show('A code that is not valid', 400);
  await tenant.send('token', { basic, form: { grant_type: 'refresh_token', refresh_token: 'a' } });
  show('A grant that the client is not registered for', 400);
  await tenant.send('token', {
    basic: [own[0], 'a wrong secret'],
    form: { grant_type: 'client_credentials' },
  });
  show('A wrong secret', 401);
  await tenant.send('token', { basic, form: { grant_type: 'client_credentials' }, headers: { dpop: 'a' } });
  show('A DPoP proof that is not a JWT', 400);
  return story;
};

const exchange: Story = async () => {
  const story = storyTenant({ 'token-exchange.enabled': true });
  const { tenant, show } = story;
  const gateway = await exchanger(tenant);
  const subject = await tokenOfPerson(tenant, await aPerson(tenant), await tenant.register(APPLICATION));
  await exchangeTokens(tenant, gateway, subject, { scope: 'read' });
  show('A service exchanges the token that it received for one for the next service', 200);
  await exchangeTokens(tenant, gateway, subject, { audience: 'https://other.example' });
  show('An audience that the policy of the service does not have', 400);
  return story;
};

const introspection: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  const { basic, access_token } = await service(tenant);
  await tenant.send('introspection', { basic, form: { token: access_token } });
  show('An active token', 200);
  await tenant.send('introspection', { basic, form: { token: 'unknown' } });
  show('Any other text', 200);
  const headers = { accept: 'application/token-introspection+jwt' };
  await tenant.send('introspection', { basic, form: { token: access_token }, headers });
  show('The same as a signed JWT (RFC 9701)', 200);
  const { client_id, client_secret } = await tenant.register(SERVICE);
  await tenant.send('introspection', { basic: [client_id, client_secret], form: { token: access_token } });
  show('A caller without the introspection scope', 403);
  await tenant.send('introspection', { form: { token: access_token } });
  show('No client authentication', 401);
  return story;
};

const revocation: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  const { basic, access_token } = await service(tenant);
  await tenant.send('revocation', { basic, form: { token: access_token } });
  show('A client revokes its token', 200);
  await tenant.send('revocation', { basic, form: {} });
  show('No token', 400);
  return story;
};

const pushed: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  const { client_id, client_secret } = await tenant.register(RELYING_PARTY);
  const basic = [client_id, client_secret] as const;
  const form = {
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid email',
    state: 'af0ifjsldkj',
    code_challenge: CODE_CHALLENGE,
    code_challenge_method: 'S256',
  };
  await tenant.send('pushed-authorization-request', { basic, form });
  show('A web application pushes its request', 201);
  await tenant.send('pushed-authorization-request', {
    basic,
    form: { ...form, redirect_uri: 'https://elsewhere.example/cb' },
  });
  show('A redirection URI that is not registered', 400);
  return story;
};

const userinfo: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  const client = await tenant.register(RELYING_PARTY);
  const { access_token } = await tokensFor(tenant, await aPerson(tenant), client, { scope: 'openid email' });
  await tenant.send('userinfo', { bearer: String(access_token) });
  show('A web application asks about the end-user', 200);
  const { access_token: own } = await service(tenant);
  await tenant.send('userinfo', { bearer: own });
  show('A token without the scope `openid`', 403);
  await tenant.send('userinfo-post', { form: { access_token: 'a wrong token' } });
  show('A wrong token in a form', 401);
  return story;
};

const authorization: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  const client = await tenant.register(RELYING_PARTY);
  await browserOf(tenant).open(authorizationUrl(client));
  show('The browser brings a request, and goes on to the sign-in page', 303, 'authorization');
  const person = await aPerson(tenant);
  answeredTo(await person.grant(client));
  await browserOf(tenant).open(authorizationUrl(client, { prompt: 'none' }));
  show('No end-user is signed in, and the client forbids pages', 303, 'authorization');
  await browserOf(tenant).open(authorizationUrl({ client_id: 'unknown' }));
  show('A client that is not registered: a page for the end-user', 400, 'authorization');
  return story;
};

const interaction: Story = async () => {
  const story = storyTenant();
  const { tenant, show } = story;
  const client = await tenant.register({ ...RELYING_PARTY, scope: 'openid email' });
  const person = await aPerson(tenant);
  const page = await person.ask(client);
  show('The sign-in page', 200, 'interaction');
  await person.signIn(page);
  show('The end-user signs in', 303, 'interaction-post');
  await tenant.send('interaction', { id: 'unknown' });
  show('A page that waits for nothing', 400, 'interaction');
  return story;
};

/** The stories about tokens and sign-in, by the folder of the endpoint. */
export const TOKEN_STORIES: Readonly<Record<string, readonly Story[]>> = {
  token: [token, details, exchange],
  introspection: [introspection],
  revocation: [revocation],
  'pushed-authorization-request': [pushed],
  userinfo: [userinfo],
  authorization: [authorization],
  interaction: [interaction],
};
