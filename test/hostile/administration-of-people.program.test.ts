import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answered, answered, twoNodes } from '../program/administration.ts';
import { codeRequest, VERIFIER } from '../program/code-request.ts';
import { plainBrowser } from '../program/plain-browser.ts';

/** Scope, roles and accounts in the administration of two nodes (docs/contract/hostile/administration-of-people.md). */
const nodes = twoNodes();

const { administer } = nodes;

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

async function client(metadata: object): Promise<Client> {
  const made = await administer('POST', '/clients', { body: { metadata } });
  assert.equal(made.status, 201, made.text);
  return made.json as unknown as Client;
}

async function token({ client_id, client_secret }: Client, form: Record<string, string>): Promise<Answered> {
  const credentials = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  const headers = { authorization: `Basic ${credentials}` };
  return await answered(
    await fetch(`${nodes.one.url}/token`, { method: 'POST', headers, body: new URLSearchParams(form) }),
  );
}

const PASSWORD = 'a long pass phrase';
const CALLBACK = 'https://rp.example.com/cb';

async function account(username: string, admin_role: string | null): Promise<string> {
  const made = await administer('POST', '/accounts', { body: { username, password: PASSWORD, admin_role } });
  assert.equal(made.status, 201, made.text);
  return (made.json['account'] as { readonly sub: string }).sub;
}

test('H-530 and H-531: POST /clients with the master token registers no admin: scope, and PUT adds none', async () => {
  const ask = async (method: string, path: string, scope: string): Promise<Answered> =>
    await answered(
      await fetch(`${nodes.one.url}/clients${path}`, {
        method,
        headers: { authorization: `Bearer ${nodes.one.masterToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ grant_types: ['client_credentials'], scope }),
      }),
    );
  const refused = await ask('POST', '', 'admin:accounts');
  assert.deepEqual([refused.status, refused.json['error']], [400, 'invalid_client_metadata']);
  const held = await client({ grant_types: ['client_credentials'], scope: 'admin:keys:read' });
  assert.equal((await ask('PUT', `/${held.client_id}`, 'admin:keys:read admin:keys')).status, 400);
});

test('H-532, H-533 and H-537: a person has scope within the role, on both nodes at once, and a token names nothing', async () => {
  const sub = await account('ada', 'operator');
  const console_ = await client({
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    scope: 'openid admin:accounts:read admin:accounts admin:tenants',
  });
  const atNode = async (url: string, init: RequestInit): Promise<Response> =>
    await fetch(url.replace(nodes.one.issuer, nodes.one.url), init);
  const browser = plainBrowser(nodes.one.issuer, atNode);
  const { client_id } = console_;
  const asked = codeRequest(
    nodes.one.issuer,
    { client_id, redirect_uri: CALLBACK },
    {
      scope: 'openid admin:accounts:read admin:accounts admin:tenants',
    },
  );
  const signIn = await browser.open(asked);
  let page = await browser.submit(signIn, 'sign-in', { username: 'ada', password: PASSWORD });
  if (page.html.includes('value="allow"')) page = await browser.submit(page, 'allow');
  const code = new URL(page.location ?? assert.fail(page.html)).searchParams.get('code') ?? '';
  const tokens = await token(console_, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
  });
  assert.equal(tokens.json['scope'], 'openid admin:accounts:read admin:accounts', tokens.text);
  const bearer = String(tokens.json['access_token']);
  assert.equal((await administer('GET', '/accounts', { bearer, node: nodes.two })).status, 200);
  assert.equal((await administer('GET', '/keys', { bearer })).status, 403);
  assert.equal((await administer('POST', `/access-tokens/${bearer}/revoke`)).status, 404);
  const lowered = await administer('PATCH', `/accounts/${sub}`, { body: { admin_role: null } });
  assert.equal(lowered.status, 200, lowered.text);
  for (const node of [nodes.one, nodes.two])
    assert.equal((await administer('GET', '/accounts', { bearer, node })).status, 401);
  const refresh_token = String(tokens.json['refresh_token']);
  assert.equal((await token(console_, { grant_type: 'refresh_token', refresh_token })).status, 400);
});

test('H-534: direct authorisation gives no admin: scope', async () => {
  const { client_id } = await client({ grant_types: ['client_credentials'], scope: 'admin:accounts' });
  const response = await fetch(`${nodes.one.url}/direct-authz/rest/v2`, {
    method: 'POST',
    headers: { authorization: `Bearer ${nodes.one.directToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client_id, sub: 'ada', scope: ['admin:accounts'] }),
  });
  assert.equal(response.status, 400);
});

test('H-535: a client with admin:accounts alone touches no account with a role, and gives none', async () => {
  const sub = await account('grace', 'viewer');
  const plain = await account('linus', null);
  const narrow = await client({ grant_types: ['client_credentials'], scope: 'admin:accounts' });
  const bearer = String((await token(narrow, { grant_type: 'client_credentials' })).json['access_token']);
  const intrusion = { bearer, body: { password: 'the password of an intruder' } };
  assert.equal((await administer('POST', `/accounts/${sub}/password`, intrusion)).status, 403);
  const role = { bearer, body: { admin_role: 'administrator' } };
  assert.equal((await administer('PATCH', `/accounts/${plain}`, role)).status, 403);
  assert.equal((await administer('POST', `/accounts/${plain}/disable`, { bearer })).status, 200);
});

test('H-536: two nodes that disable the last two administrators at once leave one', async () => {
  const subs = [await account('root', 'administrator'), await account('second', 'administrator')];
  const outcomes = await Promise.all(
    subs.map(
      async (sub, index) =>
        await administer('POST', `/accounts/${sub}/disable`, { node: index === 0 ? nodes.one : nodes.two }),
    ),
  );
  assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set([200, 409]));
});

test('H-538: a form of /account/applications without a session, or from another site, is refused with 400', async () => {
  for (const site of ['same-origin', 'cross-site']) {
    const response = await fetch(`${nodes.one.url}/account/applications`, {
      method: 'POST',
      headers: { 'sec-fetch-site': site },
      body: new URLSearchParams({ client_id: 'x', form_token: 'x' }),
    });
    assert.equal(response.status, 400, site);
  }
});
