import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AskedPerson, askPerson, CIBA_ON, TILL } from '../../testing/backchannel.ts';
import type { Answer } from '../../testing/exchange.ts';
import { type ExternalTenant, externalTenant, PAGE_TOKEN } from '../../testing/external-sign-in.ts';
import type { TestTenant } from '../../testing/tenant.ts';

interface Scene extends ExternalTenant {
  readonly asked: AskedPerson;
  readonly id: string;
  readonly requests: (subject?: string, bearer?: string) => Promise<Answer>;
  readonly answer: (json: object, id?: string, bearer?: string) => Promise<Answer>;
}

const GRACE = 'grace-1906';
const AGREED = { subject: GRACE, consent: { scope: ['openid', 'pay'] } };

/** A till has asked a person who has signed in on the page of the operator before. */
async function aScene(settings: object = {}): Promise<Scene> {
  const external = await externalTenant({ ...CIBA_ON, ...settings });
  const { tenant } = external;
  const { handle } = await external.sentOut();
  await external.redirectTo(handle, { subject: GRACE, claims: { name: 'Grace' } });
  const asked = await askPerson(tenant, await tenant.register(TILL), {
    login_hint: GRACE,
    scope: 'openid pay profile',
    binding_message: 'Order 4711',
  });
  assert.equal(asked.begun.status, 200, asked.begun.body);
  const requests: Scene['requests'] = async (subject = GRACE, bearer = PAGE_TOKEN) =>
    await tenant.send('backchannel-api', { bearer, query: new URLSearchParams({ subject }).toString() });
  const [{ id = '' } = {}] = (await requests()).json['requests'] as readonly { readonly id?: string }[];
  const answer: Scene['answer'] = async (json, at = id, bearer = PAGE_TOKEN) =>
    await tenant.send('backchannel-api-outcome', { bearer, id: at, json });
  return { ...external, asked, id, requests, answer };
}

const sessionsOf = async (tenant: TestTenant): Promise<number> =>
  (await tenant.unwatched.sessions.ofSubject(GRACE as never)).length;

test('200: the page lists the requests to a person, with client, message, scope and time', async () => {
  const { tenant, requests, id } = await aScene();
  const now = tenant.clock.now();
  const { status, json } = await requests();
  assert.equal(status, 200);
  const [{ client, ...request } = assert.fail()] = json['requests'] as readonly {
    readonly client?: object;
  }[];
  assert.deepEqual(request, {
    id,
    binding_message: 'Order 4711',
    address: '198.51.100.7',
    scope: ['openid', 'pay', 'profile'],
    resource: [],
    acr_values: [],
    requested_at: now,
    expires_at: now + 120,
  });
  assert.deepEqual(Object.keys(client ?? {}).sort(), ['client_id', 'name', 'vouched']);
  assert.deepEqual((await requests('another')).json, { requests: [] });
});

test('200: the client gets tokens for what the person agreed to on the page, with how the person signed in', async () => {
  const { tenant, asked, answer } = await aScene();
  const allowed = await answer({ ...AGREED, acr: 'urn:example:mfa', amr: ['face'] });
  assert.deepEqual([allowed.status, allowed.json], [200, { state: 'allowed' }], allowed.body);
  const issued = await asked.poll();
  assert.equal(issued.json['scope'], 'openid pay', issued.body);
  const { active, sub, acr } = await tenant.introspect(String(issued.json['access_token']));
  assert.deepEqual([active, sub, acr], [true, GRACE, 'urn:example:mfa']);
  const events = await tenant.unwatched.audit.page(0, 100);
  assert.equal(events.find(({ action }) => action === 'backchannel.allow')?.actor, 'sign-in:page');
});

test('200: the person refuses, and may block the client', async () => {
  const refused = await aScene();
  assert.equal((await refused.answer({ error: 'access_denied' })).json['state'], 'denied');
  assert.equal((await refused.asked.poll()).json['error'], 'access_denied');
  const blocked = await aScene();
  assert.equal((await blocked.answer({ error: 'access_denied', block: true })).json['state'], 'denied');
  const blocks = await blocked.tenant.unwatched.backchannelRequests.blocksOf(
    GRACE as never,
    blocked.tenant.clock.now(),
  );
  assert.equal(blocks.length, 1);
});

// H-714
test('400: another person, no consent, a scope that was not asked for, other errors and too weak a sign-in; the request waits on, and no session stays', async () => {
  const { tenant, asked, answer } = await aScene({
    'sign-in.acr-required': true,
    'sign-in.acr-values': ['urn:example:mfa'],
  });
  const till = await tenant.register(TILL);
  await askPerson(tenant, till, { login_hint: GRACE, acr_values: 'urn:example:mfa' });
  const strong = (await tenant.unwatched.backchannelRequests.openOf(GRACE as never, 0, 9)).find(
    ({ client_id }) => client_id === till.client_id,
  );
  const before = await sessionsOf(tenant);
  const rows: readonly (readonly [object, (string | undefined)?])[] = [
    [{ ...AGREED, subject: 'another' }],
    [{ subject: GRACE }],
    [{ ...AGREED, consent: { scope: ['openid', 'admin'] } }],
    [{ ...AGREED, block: true }],
    [{ error: 'server_error' }],
    [{ error: 'access_denied', block: 'yes' }],
    [{ subject: GRACE, consent: { scope: ['openid'] }, acr: 'weak' }, strong?.id],
  ];
  for (const [outcome, id] of rows) {
    const { status, json, body } = await answer(outcome, id);
    assert.deepEqual([status, json['error']], [400, 'invalid_request'], `${JSON.stringify(outcome)} ${body}`);
  }
  assert.equal(await sessionsOf(tenant), before);
  assert.equal((await asked.poll()).json['error'], 'authorization_pending');
  const missing = await tenant.send('backchannel-api', { bearer: PAGE_TOKEN });
  assert.equal(missing.status, 400);
});

// H-715
test('401: without the token of the page nothing is listed or answered', async () => {
  const { requests, answer, asked, tenant } = await aScene();
  for (const bearer of ['x', ''])
    assert.deepEqual(
      [(await requests(GRACE, bearer)).status, (await answer(AGREED, undefined, bearer)).status],
      [401, 401],
    );
  assert.equal((await tenant.send('backchannel-api', { query: `subject=${GRACE}` })).status, 401);
  assert.equal((await asked.poll()).json['error'], 'authorization_pending');
});

test('404: an answer counts once, and not for an unknown or expired request', async () => {
  const { tenant, answer } = await aScene();
  assert.equal((await answer(AGREED, 'unknown')).status, 404);
  assert.equal((await answer(AGREED)).status, 200);
  const sessions = await sessionsOf(tenant);
  assert.equal((await answer({ error: 'access_denied' })).status, 404);
  assert.equal((await answer(AGREED)).status, 404);
  assert.equal(await sessionsOf(tenant), sessions);
  const late = await aScene();
  late.tenant.clock.advance(120);
  assert.equal((await late.answer(AGREED)).status, 404);
});

test('a fault of the server: 500, without a body', async () => {
  const { tenant } = await aScene();
  for (const name of ['backchannel-api', 'backchannel-api-outcome']) {
    const endpoint = { ...(await tenant.endpoint(name)), handle: () => Promise.reject(new Error('x')) };
    const { status, body } = await tenant.ask(endpoint, {});
    assert.deepEqual([status, body], [500, '']);
  }
});
