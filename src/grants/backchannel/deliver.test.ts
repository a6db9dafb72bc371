import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import type { Posted, PostedBody } from '../../ports/outbound-http.ts';
import type { Sealer } from '../../ports/sealer.ts';
import { setDisabled } from '../../sessions/manage-account.ts';
import { systemRandom } from '../../system/random.ts';
import { sealerWith } from '../../system/sealer.ts';
import {
  type AskedPerson,
  allow,
  askPerson,
  backchannelTenant,
  NOTIFICATION_TOKEN,
  NOTIFIED_AT,
  pinged,
  requestsOf,
} from '../../testing/backchannel.ts';
import { ACTOR } from '../../testing/end-users.ts';
import { aPerson, type TestPerson } from '../../testing/person.ts';
import type { TestPlatformOptions } from '../../testing/platform.ts';
import { MASTER, type TestTenant } from '../../testing/tenant.ts';
import { resealNotifications } from './backchannel-request.ts';

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Readonly<Record<string, unknown>>;
}

interface Scene {
  readonly tenant: TestTenant;
  readonly ada: TestPerson;
  readonly asked: AskedPerson;
  readonly sent: Sent[];
  /** The next answers of the client; it accepts when there are no more. */
  readonly answers: Posted[];
  readonly deliver: () => Promise<void>;
}

const ACCEPTED: Posted = { status: 'answered', code: 204 };
const BROKEN: Posted = { status: 'answered', code: 503 };

/** A client that has asked Ada, and is notified so. */
async function aScene(
  mode: 'ping' | 'push',
  metadata: object = {},
  platform: Pick<TestPlatformOptions, 'sealer'> = {},
): Promise<Scene> {
  const sent: Sent[] = [];
  const answers: Posted[] = [];
  const postBody = async (url: string, { headers, body }: PostedBody): Promise<Posted> => {
    sent.push({ url, headers, json: JSON.parse(body) as Sent['json'] });
    return await Promise.resolve(answers.shift() ?? ACCEPTED);
  };
  const random = { bytes: (count: number) => (count === 2 ? new Uint8Array(2) : systemRandom.bytes(count)) };
  const tenant = backchannelTenant(
    { 'ciba.attempts-max': 3 },
    { outbound: { postBody }, random, ...platform },
  );
  const ada = await aPerson(tenant);
  const client = await tenant.register({ ...pinged(mode), ...metadata });
  const asked = await askPerson(tenant, client, {
    scope: 'openid pay offline_access',
    client_notification_token: NOTIFICATION_TOKEN,
  });
  assert.equal(asked.begun.status, 200, asked.begun.body);
  const { backchannelDelivery } = await tenant.opened();
  const deliver = async (): Promise<void> => await (backchannelDelivery ?? assert.fail()).deliverDue();
  return { tenant, ada, asked, sent, answers, deliver };
}

const HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${NOTIFICATION_TOKEN}` };

// proves ciba-10.2-1, ciba-10.2-2
test('ping: the client is told once the person has answered, with its own token, and then gets its tokens (OpenID Connect CIBA Core 1.0 §10.2)', async () => {
  const { ada, asked, sent, deliver } = await aScene('ping');
  await deliver();
  assert.deepEqual(sent, [], 'nothing before the answer');
  await allow(ada);
  await deliver();
  await deliver();
  const { auth_req_id } = asked;
  assert.deepEqual(sent, [{ url: NOTIFIED_AT, headers: HEADERS, json: { auth_req_id } }]);
  assert.equal((await asked.poll()).status, 200);
});

test('ping: the client is told of a refusal, and of the end of a request without an answer (OpenID Connect CIBA Core 1.0 §10.2)', async () => {
  const refused = await aScene('ping');
  await refused.ada.browser.submit(await requestsOf(refused.ada), 'deny');
  await refused.deliver();
  assert.equal(refused.sent.length, 1);
  assert.equal((await refused.asked.poll()).json['error'], 'access_denied');
  const silent = await aScene('ping');
  silent.tenant.clock.advance(120);
  await silent.deliver();
  assert.equal(silent.sent.length, 1);
  assert.equal((await silent.asked.poll()).json['error'], 'expired_token');
});

// proves ciba-10.3.1-1, ciba-10.3.1-2
test('push: the client is sent its tokens, with an ID token that names the request and both other tokens (OpenID Connect CIBA Core 1.0 §10.3.1)', async () => {
  const { tenant, ada, asked, sent, deliver } = await aScene('push');
  await allow(ada);
  await deliver();
  const [{ url, headers, json } = assert.fail(), ...more] = sent;
  assert.deepEqual([url, headers, more], [NOTIFIED_AT, HEADERS, []]);
  const { access_token, refresh_token, id_token } = json;
  assert.deepEqual([json['auth_req_id'], json['token_type']], [asked.auth_req_id, 'Bearer']);
  const claims = decodeJwt(String(id_token));
  const half = (token: unknown): string =>
    createHash('sha256').update(String(token)).digest().subarray(0, 16).toString('base64url');
  assert.equal(claims['urn:openid:params:jwt:claim:auth_req_id'], asked.auth_req_id);
  assert.equal(claims['urn:openid:params:jwt:claim:rt_hash'], half(refresh_token));
  assert.deepEqual([claims['at_hash'], claims.sub], [half(access_token), ada.account.sub]);
  assert.equal((await tenant.introspect(String(access_token)))['active'], true);
  const issued = tenant.platform.counted.filter(({ name }) => name === 'chancery_tokens_issued_total');
  assert.deepEqual(
    issued.map(({ labels }) => labels),
    [{ grant: 'ciba', binding: 'none' }],
  );
});

// proves ciba-12-1
test('push: a refusal, an end without an answer and an account that was disabled are access_denied, expired_token and transaction_failed (OpenID Connect CIBA Core 1.0 §12)', async () => {
  const refused = await aScene('push');
  await refused.ada.browser.submit(await requestsOf(refused.ada), 'deny');
  const silent = await aScene('push');
  silent.tenant.clock.advance(120);
  const disabled = await aScene('push');
  await allow(disabled.ada);
  await setDisabled(disabled.ada.accounts, disabled.ada.account, true, ACTOR);
  for (const [{ asked, sent, deliver }, error] of [
    [refused, 'access_denied'],
    [silent, 'expired_token'],
    [disabled, 'transaction_failed'],
  ] as const) {
    await deliver();
    const [{ json } = assert.fail()] = sent;
    assert.deepEqual([sent.length, json['auth_req_id'], json['error']], [1, asked.auth_req_id, error]);
  }
});

test('after chancery keys encryption rotate a client is still notified without the former key', async () => {
  const [former, next] = [systemRandom.bytes(32), systemRandom.bytes(32)];
  let ring = sealerWith([former]);
  const sealer: Sealer = {
    seal: (text, place) => ring.seal(text, place),
    open: (sealed, place) => ring.open(sealed, place),
    isCurrent: (sealed) => ring.isCurrent(sealed),
  };
  const { tenant, ada, asked, sent, deliver } = await aScene('push', {}, { sealer });
  ring = sealerWith([next, former]);
  const { backchannelRequests } = tenant.unwatched;
  const own = tenant.platform.sealerFor('test' as never);
  assert.equal(await resealNotifications(backchannelRequests, own), 1);
  assert.equal(await resealNotifications(backchannelRequests, own), 0);
  ring = sealerWith([next]);
  await allow(ada);
  await deliver();
  assert.equal(sent[0]?.json['auth_req_id'], asked.auth_req_id);
});

// H-712
test('a notification that fails is sent again, with other tokens; those that did not arrive are dead, and after the last attempt none is left', async () => {
  const { tenant, ada, sent, answers, deliver } = await aScene('push');
  const failed: Posted = { status: 'failed', reason: 'connection', detail: 'refused' };
  answers.push(BROKEN, failed, BROKEN);
  await allow(ada);
  await deliver();
  tenant.clock.advance(4);
  await deliver();
  assert.equal(sent.length, 1, 'not before the delay');
  for (const seconds of [1, 10, 100]) {
    tenant.clock.advance(seconds);
    await deliver();
  }
  assert.equal(sent.length, 3);
  const tokens = sent.map(({ json }) => String(json['access_token']));
  assert.equal(new Set(tokens).size, 3);
  for (const token of tokens) assert.deepEqual(await tenant.introspect(token), { active: false });
  const [request] = await tenant.unwatched.backchannelRequests.page({}, '', 1);
  assert.deepEqual([request?.problem, request?.due_at], ['status 503', null]);
});

// H-713
test('a client that was deleted is not notified, and its request is settled', async () => {
  const { tenant, ada, sent, deliver } = await aScene('ping');
  await allow(ada);
  const [request = assert.fail()] = await tenant.unwatched.backchannelRequests.page({}, '', 1);
  await tenant.send('client-delete', { bearer: MASTER, id: request.client_id });
  await deliver();
  assert.deepEqual(sent, []);
  assert.equal(await tenant.unwatched.backchannelRequests.nextDue(), undefined);
});
