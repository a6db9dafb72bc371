import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERIFIER } from '../../../test/program/code-request.ts';
import { digestOf } from '../../keys/digest.ts';
import type { RevocationEvent } from '../../spec/revocation-feed.ts';
import { aResourceServer, FeedReader } from '../../testing/feed-reader.ts';
import { answeredTo, aPerson, RELYING_PARTY, type TestPerson } from '../../testing/person.ts';
import {
  ADMIN,
  CALLBACK,
  type ClientInformation,
  ISSUER,
  MASTER,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';
import {
  APPLICATION,
  exchanged,
  exchanger,
  exchangeTenant,
  tokenOfPerson,
} from '../../testing/token-exchange.ts';
import { tokensFor } from '../../testing/userinfo.ts';

const SELF_CONTAINED = { chancery_access_token_format: 'self-contained' };
const PAGE = `${ISSUER}/account/applications`;

/** A person with tokens of two clients, one with identifiers and one with JWTs, and a client that nothing happens to. */
interface World {
  readonly tenant: TestTenant;
  readonly client: ClientInformation;
  readonly ada: TestPerson;
  readonly sub: string;
  readonly code: string;
  readonly tokens: Readonly<Record<string, unknown>>;
  readonly jwt: string;
}

type Path = (world: World) => Promise<unknown>;

const admin = async (
  { tenant }: World,
  name: string,
  segments: Readonly<Record<string, string>>,
  json?: object,
) => {
  const answered = await tenant.send(name, {
    bearer: ADMIN,
    segments,
    headers: { 'if-match': '*' },
    ...(json === undefined ? {} : { json }),
  });
  assert.ok(answered.status < 300, answered.body);
};
const first = async (
  { tenant }: World,
  name: string,
  query = '',
): Promise<Readonly<Record<string, string>>> => {
  const { json } = await tenant.send(name, { bearer: ADMIN, query });
  return (json['items'] as readonly Readonly<Record<string, string>>[])[0] ?? assert.fail(name);
};
const asClient = ({ client }: World) => [client.client_id, client.client_secret] as const;
const refresh = async (world: World): Promise<number> => {
  const form = { grant_type: 'refresh_token', refresh_token: String(world.tokens['refresh_token']) };
  return (await world.tenant.send('token', { basic: asClient(world), form })).status;
};

/** Every act that ends a token before it expires. */
const PATHS: Readonly<Record<string, Path>> = {
  'the client revokes the access token (RFC 7009)': async (world) =>
    await world.tenant.send('revocation', {
      basic: asClient(world),
      form: { token: String(world.tokens['access_token']) },
    }),
  'the client revokes the refresh token (RFC 7009)': async (world) =>
    await world.tenant.send('revocation', {
      basic: asClient(world),
      form: { token: String(world.tokens['refresh_token']) },
    }),
  'a refresh token comes a second time (RFC 9700 §4.14.2)': async (world) => {
    assert.equal(await refresh(world), 200);
    assert.equal(await refresh(world), 400);
  },
  'a code comes a second time (RFC 6749 §4.1.2)': async (world) => {
    const form = {
      grant_type: 'authorization_code',
      code: world.code,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
    };
    assert.equal((await world.tenant.send('token', { basic: asClient(world), form })).status, 400);
  },
  'the person signs out (OpenID Connect RP-Initiated Logout 1.0)': async ({ ada, tokens, client }) => {
    const hint = `id_token_hint=${String(tokens['id_token'])}&client_id=${client.client_id}`;
    const page = await ada.browser.open(`${ISSUER}/logout?${hint}`);
    await ada.browser.submit(page, 'logout');
  },
  'the person withdraws the consent': async ({ ada, client }) => {
    const page = await ada.browser.open(PAGE);
    const token = new RegExp(
      `name="form_token" value="([^"]+)">\\s*<input type="hidden" name="client_id" value="${client.client_id}"`,
      'u',
    );
    const form_token = token.exec(page.html)?.[1] ?? assert.fail(page.html);
    await ada.browser.visit(PAGE, { form_token, client_id: client.client_id });
  },
  'the operator revokes the token': async (world) => {
    const { token_id = '' } = await first(
      world,
      'admin-access-token-list',
      `client_id=${world.client.client_id}`,
    );
    await admin(world, 'admin-access-token-revoke', { token_id });
  },
  'the operator revokes the grant': async (world) => {
    const { grant_id = '' } = await first(world, 'admin-grant-list', `client_id=${world.client.client_id}`);
    await admin(world, 'admin-grant-revoke', { grant_id });
  },
  'the operator ends the session': async (world) => {
    const { sid = '' } = await first(world, 'admin-session-list');
    await admin(world, 'admin-session-end', { sid });
  },
  'the operator ends the sessions of the account': async (world) =>
    await admin(world, 'admin-account-end-sessions', { sub: world.sub }),
  'the operator withdraws the consent': async (world) =>
    await admin(world, 'admin-consent-withdraw', { sub: world.sub, client_id: world.client.client_id }),
  'the operator disables the account': async (world) =>
    await admin(world, 'admin-account-disable', { sub: world.sub }),
  'the operator deletes the account': async (world) =>
    await admin(world, 'admin-account-delete', { sub: world.sub }),
  'the operator sets another password': async (world) =>
    await admin(world, 'admin-account-password', { sub: world.sub }, { password: 'another correct horse' }),
  'the client is deleted (RFC 7592)': async ({ tenant, client }) =>
    await tenant.send('client-delete', { bearer: MASTER, id: client.client_id }),
  'the operator deletes the client': async (world) =>
    await admin(world, 'admin-client-delete', { client_id: world.client.client_id }),
  'the operator revokes the key that signs': async (world) => {
    const header = JSON.parse(Buffer.from(world.jwt.split('.')[0] ?? '', 'base64url').toString()) as {
      kid: string;
    };
    await admin(world, 'admin-key-revoke', { kid: header.kid });
  },
};

async function world(): Promise<World> {
  const tenant = testTenant({ settings: { 'sign-in.consent': 'always', 'refresh-token.rotate': true } });
  const client = await tenant.register({
    ...RELYING_PARTY,
    token_endpoint_auth_method: 'client_secret_basic',
  });
  const jwts = await tenant.register({ ...RELYING_PARTY, ...SELF_CONTAINED });
  const ada = await aPerson(tenant);
  const code = answeredTo(await ada.grant(client, { scope: 'openid' }))['code'] ?? assert.fail();
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
  const { json: tokens } = await tenant.send('token', {
    basic: [client.client_id, client.client_secret],
    form,
  });
  const jwt = String((await tokensFor(tenant, ada, jwts))['access_token']);
  return { tenant, client, ada, sub: ada.account.sub, code, tokens, jwt };
}

/** Whether a resource server with this token learns from these events that it has ended. */
function isTold(token: string, client_id: string, events: readonly RevocationEvent[]): boolean {
  const header = token.startsWith('eyJ')
    ? (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string })
    : undefined;
  return events.some(
    (event) =>
      (event.type === 'token-ended' && event.ath === digestOf(token)) ||
      (event.type === 'client-ended' && event.client_id === client_id) ||
      (event.type === 'keys-changed' && event.revoked !== undefined && event.revoked === header?.kid),
  );
}

for (const [name, act] of Object.entries(PATHS)) {
  test(`the feed tells exactly the tokens that end when ${name}`, async () => {
    const made = await world();
    const { tenant, client, tokens, jwt } = made;
    const reader = await FeedReader.open(tenant, { basic: await aResourceServer(tenant) });
    assert.deepEqual((await reader.claims()).events, []);
    await act(made);
    const events = await reader.changes();
    const states = await Promise.all(
      [String(tokens['access_token']), jwt].map(async (token) => {
        const { active, client_id = token === jwt ? '' : client.client_id } = await tenant.introspect(token);
        return { ended: active === false, told: isTold(token, String(client_id), events) };
      }),
    );
    assert.ok(
      states.some(({ ended }) => ended),
      'the act ends a token',
    );
    for (const { ended, told } of states) assert.equal(told, ended);
    await reader.leave();
  });
}

test('the feed tells the token of another client that was exchanged from a token of a deleted client (RFC 8693)', async () => {
  const tenant = exchangeTenant();
  const application = await tenant.register(APPLICATION);
  const gateway = await exchanger(tenant);
  const token = await tokenOfPerson(tenant, await aPerson(tenant), application);
  const next = await exchanged(tenant, gateway, token);
  const reader = await FeedReader.open(tenant, { basic: await aResourceServer(tenant) });
  assert.deepEqual((await reader.claims()).events, []);
  await tenant.send('client-delete', { bearer: MASTER, id: application.client_id });
  assert.deepEqual(await tenant.introspect(next), { active: false });
  assert.ok(isTold(next, gateway.client_id, await reader.changes()));
  await reader.leave();
});
