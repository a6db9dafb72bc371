import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCESS_TOKEN_TYPE, JWT_TYPE } from '../../spec/token-types.ts';
import { dpopKey } from '../../testing/dpop.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { aPerson } from '../../testing/person.ts';
import { type ClientInformation, ISSUER } from '../../testing/tenant.ts';
import {
  APPLICATION,
  exchange,
  exchanged,
  exchanger,
  exchangeTenant,
  GATEWAY,
  LEDGER,
  ownToken,
  tokenOfPerson,
  tokenOfService,
} from '../../testing/token-exchange.ts';

const tenant = exchangeTenant();
const gateway = await exchanger(tenant);
const application = await tenant.register(APPLICATION);
const ada = await aPerson(tenant);

/** Exchanges with a token of an actor. */
async function delegated(
  client: ClientInformation,
  subject: string,
  actor_token: string,
  form: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return await exchange(tenant, client, subject, {
    actor_token,
    actor_token_type: ACCESS_TOKEN_TYPE,
    ...form,
  });
}

const actIn = async (token: unknown): Promise<unknown> => (await tenant.introspect(String(token)))['act'];

// proves rfc8693-4.1-1
test('the new token names the actor, who is the client itself without actor_token; earlier actors are nested (RFC 8693 §4.1)', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  const first = await exchanger(tenant, { audiences: [GATEWAY] });
  const token = await exchanged(tenant, first, subject);
  assert.deepEqual(await actIn(token), { sub: first.client_id, iss: ISSUER });
  const second = await delegated(gateway, token, await ownToken(tenant, gateway));
  assert.deepEqual(await actIn(second.json['access_token']), {
    sub: gateway.client_id,
    iss: ISSUER,
    act: { sub: first.client_id, iss: ISSUER },
  });
});

test('a policy with impersonation gives tokens without an actor, and keeps the actors that the subject token names', async () => {
  const impersonating = await exchanger(tenant, { impersonation: true });
  const subject = await tokenOfPerson(tenant, ada, application);
  assert.equal(await actIn(await exchanged(tenant, impersonating, subject)), undefined);
  const first = await exchanger(tenant, { audiences: [GATEWAY] });
  const token = await exchanged(tenant, first, subject);
  const act = { sub: first.client_id, iss: ISSUER };
  assert.deepEqual(await actIn(await exchanged(tenant, impersonating, token)), act);
  const named = await delegated(impersonating, subject, await ownToken(tenant, impersonating));
  assert.deepEqual(await actIn(named.json['access_token']), { sub: impersonating.client_id, iss: ISSUER });
});

test('a policy names the actors; without such a list only tokens of the client itself name one: 400 invalid_request', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  const agent = await tenant.register({ grant_types: ['client_credentials'], scope: 'read' });
  const ofAgent = await ownToken(tenant, agent);
  assertError(await delegated(gateway, subject, ofAgent), 'invalid_request', /does not allow/);
  const knowing = await exchanger(tenant, { actors: [agent.client_id] });
  const answered = await delegated(knowing, subject, ofAgent);
  assert.deepEqual(await actIn(answered.json['access_token']), { sub: agent.client_id, iss: ISSUER });
  assertError(await delegated(knowing, subject, await ownToken(tenant, knowing)), 'invalid_request');
});

// proves rfc8693-2.1-6
test('actor_token and actor_token_type need each other: 400 invalid_request (RFC 8693 §2.1)', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  const own = await ownToken(tenant, gateway);
  const alone = await exchange(tenant, gateway, subject, { actor_token_type: ACCESS_TOKEN_TYPE });
  assertError(alone, 'invalid_request', /without actor_token$/);
  const untyped = await exchange(tenant, gateway, subject, { actor_token: own });
  assertError(untyped, 'invalid_request', /^actor_token_type is missing/);
  assertError(await delegated(gateway, subject, 'x'), 'invalid_request', /^actor_token is not valid here/);
  const wrong = await delegated(gateway, subject, own, { actor_token_type: JWT_TYPE });
  assertError(wrong, 'invalid_request', /^actor_token is not valid here/);
});

test('an actor with a token that is itself delegated: 400 invalid_request, for it is unclear who acts', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  const looped = await exchanger(tenant, { audiences: [GATEWAY] });
  const twice = await exchanged(tenant, looped, await ownToken(tenant, looped));
  assertError(await delegated(looped, subject, twice), 'invalid_request', /delegated/);
});

test('the new token expires no later than the token of the actor', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  const brief = await exchanger(tenant, {}, { chancery_access_token_lifetime: 30 });
  const own = await ownToken(tenant, brief);
  const answered = await delegated(brief, subject, own);
  assert.equal(answered.json['expires_in'], 30);
});

test('a chain has an end: 400 invalid_request for a token that comes from too many (token-exchange.chain-max)', async () => {
  const world = exchangeTenant({ settings: { 'token-exchange.chain-max': 2 } });
  const service = await exchanger(world, { audiences: [GATEWAY] });
  const first = await exchanged(world, service, await tokenOfService(world));
  const second = await exchanged(world, service, first);
  assertError(await exchange(world, service, second), 'invalid_request', /at most 2 tokens/);
  const actor_token = await ownToken(world, service);
  const form = { actor_token, actor_token_type: ACCESS_TOKEN_TYPE };
  assertError(await exchange(world, service, first, form), 'invalid_request', /at most 2 tokens/);
});

const TOKEN = `${ISSUER}/token`;
const KEY = dpopKey();
const proof = (key = KEY): { readonly dpop: string } => ({
  dpop: key.proof({ method: 'POST', address: TOKEN, now: tenant.clock.now() }),
});

test('a token that is bound to a key is exchanged with a proof by that key alone, and stays bound to it (RFC 9449 §5)', async () => {
  const subject = await ownToken(tenant, gateway, {}, proof());
  for (const headers of [{}, proof(dpopKey())])
    assertError(
      await exchange(tenant, gateway, subject, {}, { headers }),
      'invalid_request',
      /bound to a key/,
    );
  const answered = await exchange(tenant, gateway, subject, {}, { headers: proof() });
  assert.equal(answered.json['token_type'], 'DPoP');
  const { cnf } = await tenant.introspect(String(answered.json['access_token']));
  assert.deepEqual(cnf, { jkt: KEY.jkt });
});

test('the bound token of an actor needs a proof too; a bearer token becomes bound by a proof (RFC 9449 §5)', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  const actor_token = await ownToken(tenant, gateway, {}, proof());
  const form = { actor_token, actor_token_type: ACCESS_TOKEN_TYPE };
  assertError(await exchange(tenant, gateway, subject, form), 'invalid_request', /^actor_token is bound/);
  const answered = await exchange(tenant, gateway, subject, form, { headers: proof() });
  assert.equal(answered.json['token_type'], 'DPoP');
});

async function assertEnds(end: (subject: string) => Promise<unknown>): Promise<void> {
  const subject = await tokenOfPerson(tenant, ada, application);
  const first = await exchanger(tenant, { audiences: [GATEWAY] });
  const chain = [await exchanged(tenant, first, subject)];
  chain.push(await exchanged(tenant, gateway, chain[0] ?? ''));
  for (const token of chain) assert.equal((await tenant.introspect(token))['active'], true);
  await end(subject);
  for (const token of chain) assert.deepEqual(await tenant.introspect(token), { active: false });
  assertError(await exchange(tenant, gateway, chain[0] ?? ''), 'invalid_request', /is not valid here/);
}

test('introspection says inactive of a whole chain once its first token is revoked (RFC 7009 §2.1)', async () => {
  const basic = [application.client_id, application.client_secret] as const;
  await assertEnds(async (token) => {
    const answered = await tenant.send('revocation', { basic, form: { token } });
    assert.equal(answered.status, 200);
  });
});

test('introspection says inactive of a whole chain once the session ends, or the account is disabled', async () => {
  await assertEnds(async () => await tenant.storage.sessions.endAllOf(ada.account.sub));
  await assertEnds(async () => await tenant.storage.grants.endAllOf(ada.account.sub));
});

test('introspection says inactive once the client of the first token is deleted', async () => {
  const leaving = await tenant.register(APPLICATION);
  const token = await exchanged(tenant, gateway, await tokenOfPerson(tenant, ada, leaving));
  assert.equal((await tenant.introspect(token))['active'], true);
  const bearer = String(leaving.members['registration_access_token']);
  assert.equal((await tenant.send('client-delete', { id: leaving.client_id, bearer })).status, 204);
  assert.deepEqual(await tenant.introspect(token), { active: false });
});

test('introspection says inactive once the token of the actor is revoked; the subject token stays', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  const actor = await ownToken(tenant, gateway);
  const answered = await delegated(gateway, subject, actor);
  const basic = [gateway.client_id, gateway.client_secret] as const;
  await tenant.send('revocation', { basic, form: { token: actor } });
  assert.deepEqual(await tenant.introspect(String(answered.json['access_token'])), { active: false });
  assert.equal((await tenant.introspect(subject))['active'], true);
});

test('a subject token that another process revokes during the exchange: 400 invalid_request, and no token', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  const { key } =
    (
      await tenant.unwatched.accessTokens.list(
        { sub: ada.account.sub, now: tenant.clock.now() },
        { limit: 1, after: undefined, examined: 1 },
      )
    ).rows[0] ?? assert.fail('no token');
  tenant.watch.before('accessTokens.exchange', async () => {
    await tenant.unwatched.accessTokens.revoke(key, tenant.clock.now());
  });
  assertError(await exchange(tenant, gateway, subject, { audience: LEDGER }), 'invalid_request', /meanwhile/);
});
