import assert from 'node:assert/strict';
import { test } from 'node:test';
import { federationOf } from '../../clients/federated-client.ts';
import { ANCHOR, ORG, RP } from '../../testing/federated-tenant.ts';
import { statementUrl } from '../../testing/federation.ts';
import { CHAIN, livingMember } from '../../testing/living-member.ts';
import { OPEN } from '../../testing/storage/stored-examples.ts';
import { CALLBACK, INTROSPECTION_SCOPE, START, testTenant } from '../../testing/tenant.ts';
import { configurationUrl } from '../entity-id.ts';

/** Seconds after which an automatic client is resolved again, by default. */
const HOUR = 3600;

test('a client from automatic registration lives as long as its trust chain, with the facts about it (decision 49)', async () => {
  const member = await livingMember({ 'federation.statement-cache': 60 });
  member.publish();
  await member.tokens();
  const client = await member.stored();
  assert.equal(client.expires_at, START + CHAIN);
  assert.equal(client.resolved_at, START);
  const renewedAfter = Number(client.renew_at) - START;
  assert.ok(renewedAfter >= HOUR / 2 && renewedAfter < HOUR * 0.9, String(renewedAfter));
  assert.deepEqual(federationOf(client), {
    trust_anchor: ANCHOR.id,
    chain: [RP.id, ORG.id, ANCHOR.id],
    expires_at: START + CHAIN,
    trust_marks: [],
    verified_trust_marks: [],
  });
  member.tenant.clock.advance(CHAIN - 1);
  const fetched = await member.fetchedDuring(async () => assert.equal((await member.push()).status, 201));
  assert.deepEqual(fetched, [], 'a live client waits for no authority');
});

// proves openid-federation-12.3-2
test('clients are renewed in the background before they end, each at another time, if they are in use (decision 49)', async () => {
  const member = await livingMember();
  const { clock } = member.tenant;
  member.publish();
  await member.tokens();
  assert.deepEqual(await member.renewDue(), { renewed: 0, failed: 0 });
  clock.advance(HOUR);
  member.publish();
  const before = await member.stored();
  assert.deepEqual(await member.renewDue(), { renewed: 1, failed: 0 });
  const after = await member.stored();
  assert.equal(after.expires_at, START + HOUR + CHAIN);
  assert.deepEqual([after.resolved_at, after.instance], [START + HOUR, before.instance]);
  clock.advance(HOUR);
  const idle = await member.fetchedDuring(async () =>
    assert.deepEqual(await member.renewDue(), { renewed: 0, failed: 0 }),
  );
  assert.deepEqual(idle, [], 'not used since');
  assert.equal((await member.push()).status, 201);
  assert.deepEqual(await member.renewDue(), { renewed: 1, failed: 0 });
  const audited = (await member.tenant.unwatched.audit.page(0, 100)).filter(
    ({ action }) => action === 'client.update',
  );
  assert.deepEqual(audited, [], 'nothing that anyone sees has changed');
});

test('the renewals of clients that registered together are spread over their time (decision 49)', async () => {
  const member = await livingMember();
  member.publish();
  const times = new Set<number>();
  for (let round = 0; round < 12; round += 1) {
    const form = { ...(await member.register()) };
    times.add(Number((await member.stored(String(form['client_id']))).renew_at) - START);
  }
  assert.ok(times.size > 8, [...times].join());
  for (const time of times) assert.ok(time >= CHAIN / 2 && time < CHAIN * 0.9, String(time));
});

test('a renewal that fails keeps the client until its chain ends, tries again sooner and sooner, and says why (decision 49)', async () => {
  const member = await livingMember();
  const { clock, federation } = member.tenant;
  member.publish();
  const { refresh_token } = await member.tokens();
  federation.documents.set(statementUrl(ORG, RP), 'status');
  clock.advance(HOUR);
  assert.deepEqual(await member.renewDue(), { renewed: 0, failed: 1 });
  const failed = await member.stored();
  const pause = Number(failed.renew_at) - clock.now();
  assert.ok(pause >= 600 && pause <= 1125, String(pause));
  assert.equal(federationOf(failed)?.failure?.reason, 'fetch_status');
  assert.equal(federationOf(failed)?.failure?.at, clock.now());
  const quiet = await member.fetchedDuring(async () => await member.renewDue());
  assert.deepEqual(quiet, []);
  clock.advance(CHAIN - HOUR - 61);
  const again = await member.refresh(refresh_token);
  assert.equal(again.status, 200, again.body);
  assert.equal(again.json['expires_in'], 61, 'no token outlives the chain');
  await member.renewDue();
  const late = Number((await member.stored()).renew_at) - clock.now();
  assert.ok(late >= 8 && late <= 13, String(late));
  clock.advance(61);
  const ended = await member.refresh(String(again.json['refresh_token']));
  assert.deepEqual([ended.status, ended.json['error']], [401, 'invalid_client']);
  member.publish();
  clock.advance(10);
  const back = await member.refresh(String(again.json['refresh_token']));
  assert.equal(back.status, 200, back.body);
});

test('the secret, the identifier and the tokens of an explicit client stay; its metadata follows the policies and its keys (decision 49)', async () => {
  const member = await livingMember();
  const { clock } = member.tenant;
  member.publish();
  const { client_id, client_secret } = await member.register({ contacts: ['a@rp.example', 'b@rp.example'] });
  const basic = [String(client_id), String(client_secret)] as const;
  const asked = async (): Promise<number> =>
    (await member.tenant.send('revocation', { basic, form: { token: 'unknown' } })).status;
  assert.equal(await asked(), 200);
  clock.advance(CHAIN - 60);
  const policy = { contacts: { subset_of: ['a@rp.example'] } };
  const rolled = { jwks: { keys: [ORG.key.jwk] }, redirect_uris: ['https://rp.example/other'] };
  member.publish({ metadata: rolled, stated: { metadata_policy: { openid_relying_party: policy } } });
  assert.deepEqual(await member.renewDue(), { renewed: 1, failed: 0 });
  const client = await member.stored(String(client_id));
  assert.equal(client.expires_at, clock.now() + CHAIN);
  const metadata = JSON.parse(client.metadata) as Readonly<Record<string, unknown>>;
  assert.deepEqual(metadata['contacts'], ['a@rp.example']);
  assert.deepEqual(metadata['jwks'], rolled.jwks);
  assert.notDeepEqual(metadata['redirect_uris'], rolled.redirect_uris, 'as it registered for this server');
  clock.advance(CHAIN - 1);
  assert.equal(await asked(), 200);
  clock.advance(2);
  member.publish();
  assert.equal(await asked(), 200, 'resolved again after its end');
  const restored = JSON.parse((await member.stored(String(client_id))).metadata) as typeof metadata;
  assert.deepEqual(restored['contacts'], ['a@rp.example', 'b@rp.example'], 'as it was sent');
});

test('an explicit client ends if its entity would need a secret that it does not have, or after federation.explicit-client-lifetime', async () => {
  const member = await livingMember({ 'federation.explicit-client-lifetime': 2 * CHAIN });
  const { clock } = member.tenant;
  member.publish();
  const { client_id, client_secret } = await member.register();
  const basic = [String(client_id), String(client_secret)] as const;
  const asked = async (): Promise<number> =>
    (await member.tenant.send('revocation', { basic, form: { token: 'unknown' } })).status;
  await asked();
  const keys = { value: 'private_key_jwt' };
  const stated = { metadata_policy: { openid_relying_party: { token_endpoint_auth_method: keys } } };
  clock.advance(CHAIN);
  member.publish({ stated });
  assert.equal(await asked(), 401);
  clock.advance(10);
  member.publish();
  assert.equal(await asked(), 200);
  assert.equal((await member.stored(String(client_id))).expires_at, START + 2 * CHAIN);
  clock.advance(CHAIN);
  const fetched = await member.fetchedDuring(async () => assert.equal(await asked(), 401));
  assert.deepEqual(fetched, []);
});

test('of two nodes that renew a client at once, in the background or at its return, one stores it, and one client is alive', async () => {
  const member = await livingMember();
  const { clock, platform } = member.tenant;
  member.publish();
  const { refresh_token } = await member.tokens();
  const { instance } = await member.stored();
  const settings = {
    'federation.enabled': true,
    'federation.trust-anchors': [{ 'entity-id': ANCHOR.id, jwks: { keys: [ANCHOR.key.jwk] } }],
    'federation.statement-cache': 0,
  };
  const { federated: second } = await testTenant({ platform, settings }).opened();
  assert.ok(second !== undefined);
  clock.advance(HOUR);
  member.publish();
  const options = { parallel: 2, stopped: () => false };
  const [one, other] = await Promise.all([member.renewDue(), second.renewDue(options)]);
  assert.equal(one.renewed + other.renewed, 1);
  clock.advance(CHAIN + 1);
  member.publish();
  const { client_id } = await member.stored();
  const [refreshed, returned] = await Promise.all([
    member.refresh(refresh_token),
    second.returning(client_id, '192.0.2.1'),
  ]);
  assert.equal(refreshed.status, 200, refreshed.body);
  const live = await member.stored();
  assert.equal(live.instance, instance);
  assert.equal(returned?.instance, instance);
  assert.equal(live.expires_at, clock.now() + CHAIN);
  assert.equal((await platform.unwatched.clients.page(undefined, 10)).length, 1);
});

test('a round gets to a client that is in use behind more than a thousand that are not', async () => {
  const member = await livingMember();
  const { clock, unwatched } = member.tenant;
  member.publish();
  await member.tokens();
  const stored = await member.stored();
  const unused = Array.from({ length: 1001 }, (_, index) => ({
    ...stored,
    client_id: `https://unused.example/${index}` as typeof stored.client_id,
    instance: `unused-${index}` as typeof stored.instance,
    registration_token_digest: `unused-${index}` as typeof stored.registration_token_digest,
    renew_at: START + index,
  }));
  await Promise.all(unused.map(async (client) => await unwatched.clients.create(client, OPEN)));
  clock.advance(HOUR);
  member.publish();
  assert.deepEqual(await member.renewDue(), { renewed: 1, failed: 0 });
});

test('a server that stops begins no renewal, and another one has the client after its claim ended', async () => {
  const member = await livingMember();
  member.publish();
  await member.tokens();
  member.tenant.clock.advance(HOUR);
  const { federated, uses } = await member.tenant.opened();
  await uses.flush();
  let claims = 0;
  member.tenant.watch.before('clients.claimRenewals', () => {
    claims += 1;
    return Promise.resolve();
  });
  const stopped = (): boolean => claims > 0;
  assert.deepEqual(await federated?.renewDue({ parallel: 4, stopped }), { renewed: 0, failed: 0 });
  assert.deepEqual(await member.renewDue(), { renewed: 0, failed: 0 }, 'claimed');
  member.tenant.clock.advance(300);
  member.publish();
  assert.deepEqual(await member.renewDue(), { renewed: 1, failed: 0 });
});

for (const [endpoint, status, form] of [
  ['token', 200, (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token })],
  ['revocation', 200, (token: string) => ({ token })],
  ['introspection', 200, (token: string) => ({ token })],
  ['pushed-authorization-request', 201, () => ({ response_type: 'code', redirect_uri: CALLBACK })],
] as const) {
  test(`POST ${endpoint} resolves an expired client again, and it loses nothing (decision 49)`, async () => {
    const member = await livingMember({
      'federation.scope-values': ['openid', INTROSPECTION_SCOPE],
    });
    member.publish({ metadata: { scope: `openid ${INTROSPECTION_SCOPE}` } });
    const { refresh_token = '' } = await member.tokens();
    const before = await member.stored();
    member.tenant.clock.advance(CHAIN);
    const refused = await member.send(endpoint, form(refresh_token));
    assert.ok(refused.status >= 400, 'its statements have expired');
    member.publish({ metadata: { scope: `openid ${INTROSPECTION_SCOPE}` } });
    member.tenant.clock.advance(10);
    const answered = await member.send(endpoint, form(refresh_token));
    assert.equal(answered.status, status, answered.body);
    const after = await member.stored();
    assert.deepEqual([after.instance, after.issued_at], [before.instance, before.issued_at]);
  });
}

test('a chain that becomes shorter takes no token back that was promised: UserInfo resolves the client again (decision 49)', async () => {
  const member = await livingMember();
  const { clock } = member.tenant;
  member.publish();
  const { access_token = '' } = await member.tokens();
  clock.advance(HOUR - 60 * 55);
  member.publish({ lifetime: 60, metadata: { jwks: { keys: [ORG.key.jwk] } } });
  assert.equal((await member.push(ORG.key)).status, 201);
  assert.equal((await member.stored()).expires_at, clock.now() + 60);
  clock.advance(61);
  const userinfo = async (): Promise<number> =>
    (await member.tenant.send('userinfo', { bearer: access_token })).status;
  assert.equal(await userinfo(), 401, 'the federation does not vouch for it');
  clock.advance(10);
  member.publish();
  assert.equal(await userinfo(), 200);
});

test('a sign-in page that was open while the registration of its client expired goes on', async () => {
  const member = await livingMember({ 'interaction.lifetime': 2 * HOUR });
  const { clock } = member.tenant;
  member.publish({ lifetime: 600 });
  const page = await member.page();
  assert.match(page.html, /name="password"/);
  clock.advance(601);
  member.publish();
  let shown = await member.ada.signIn(page);
  if (shown.html.includes('value="allow"')) shown = await member.ada.browser.submit(shown, 'allow');
  const answered = await member.redeem(shown.location);
  assert.equal(answered.status, 200, answered.body);
});

test('a superior that a relying party leaves does not stand in its record any more', async () => {
  const member = await livingMember();
  const { clock, federation } = member.tenant;
  member.publish();
  await member.tokens();
  clock.advance(HOUR);
  const times = { iat: clock.now(), exp: clock.now() + CHAIN };
  federation.join(ANCHOR, [], times);
  const published = federation.documents.get(configurationUrl(RP.id));
  assert.ok(typeof published === 'string');
  const [, content = ''] = published.split('.', 2);
  const { metadata } = JSON.parse(Buffer.from(content, 'base64url').toString()) as {
    readonly metadata: object;
  };
  federation.join(RP, [ANCHOR], { ...times, metadata }, times);
  assert.deepEqual(await member.renewDue(), { renewed: 1, failed: 0 });
  assert.deepEqual(federationOf(await member.stored())?.chain, [RP.id, ANCHOR.id]);
});
