import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERIFIER } from '../../../test/program/code-request.ts';
import type { Settings } from '../../config/settings.ts';
import type { Posted, PostedBody } from '../../ports/outbound-http.ts';
import { changeAccount, setDisabled, setPassword } from '../../sessions/manage-account.ts';
import { systemRandom } from '../../system/random.ts';
import { ACTOR, endUsersOf } from '../../testing/end-users.ts';
import { answeredTo, aPerson } from '../../testing/person.ts';
import {
  aReceiver,
  aSessionOf,
  ENDPOINT_URL,
  endOf,
  opened,
  PUSH,
  type SecurityEvent,
  signalTenant,
  type TestReceiver,
} from '../../testing/signals.ts';
import { ADMIN, CALLBACK, ISSUER, type TestTenant } from '../../testing/tenant.ts';

const ACCEPTED: Posted = { status: 'answered', code: 202 };

interface Sent extends PostedBody {
  readonly url: string;
  readonly event: SecurityEvent;
}

interface Scene {
  readonly tenant: TestTenant;
  readonly receiver: TestReceiver;
  readonly stream_id: string;
  readonly sent: Sent[];
  /** The next answers of the receiver; it accepts when there are no more. */
  readonly answers: (Posted | Promise<Posted>)[];
  deliver(): Promise<void>;
}

async function aScene({
  delivery = PUSH,
  metadata = {},
  ...settings
}: Partial<Settings> & {
  readonly delivery?: object;
  readonly metadata?: object;
} = {}): Promise<Scene> {
  const sent: Sent[] = [];
  const answers: (Posted | Promise<Posted>)[] = [];
  const postBody = async (url: string, posted: PostedBody): Promise<Posted> => {
    sent.push({ ...posted, url, event: opened(posted.body) });
    return await (answers.shift() ?? ACCEPTED);
  };
  const tenant = signalTenant(
    { 'signals.attempts-max': 3, ...settings },
    {
      outbound: { postBody },
      // No jitter.
      random: { bytes: (count) => (count === 2 ? new Uint8Array(2) : systemRandom.bytes(count)) },
    },
  );
  const receiver = await aReceiver(tenant, { ...metadata });
  const { signalDelivery } = await tenant.opened();
  return {
    tenant,
    receiver,
    stream_id: await receiver.stream({ delivery }),
    sent,
    answers,
    deliver: async () => await (signalDelivery ?? assert.fail()).deliverDue(),
  };
}

const subjects = ({ sent }: Scene): readonly string[] =>
  sent.map(({ event }) => /"sub":"(\w+)"/u.exec(JSON.stringify(event.claims.sub_id))?.[1] ?? '');

async function end({ tenant, receiver }: Scene, ...people: readonly string[]): Promise<void> {
  for (const sub of people) await endOf(tenant, await aSessionOf(tenant, sub, receiver));
}

// proves rfc8935-2.1-1, rfc8935-2.2-1, ssf-6.1.1-2
test('events are pushed one by one in their order, as secevent+jwt with the header of the receiver, and then the stream rests (RFC 8935 §2)', async () => {
  const url = `${ENDPOINT_URL}?key=k`;
  const scene = await aScene({ delivery: { ...PUSH, endpoint_url: url, authorization_header: 'Bearer r' } });
  await end(scene, 'ada', 'bob', 'eve');
  await scene.deliver();
  assert.deepEqual(subjects(scene), ['ada', 'bob', 'eve']);
  assert.deepEqual(
    scene.sent.map(({ event }) => event.claims.jti),
    [1, 2, 3].map((number) => `${scene.stream_id}.${number}`),
  );
  const [first] = scene.sent;
  assert.equal(first?.url, url);
  assert.deepEqual(first.headers, {
    'content-type': 'application/secevent+jwt',
    accept: 'application/json',
    authorization: 'Bearer r',
  });
  await scene.deliver();
  assert.equal(scene.sent.length, 3);
  assert.equal(await scene.tenant.unwatched.eventStreams.nextDue(), undefined);
});

// proves rfc8935-2.4-1
test('an attempt that is not accepted is repeated as the same event after a growing delay, and nothing overtakes it', async () => {
  const scene = await aScene();
  const { clock } = scene.tenant;
  scene.answers.push(
    { status: 'answered', code: 503 },
    { status: 'failed', reason: 'timeout', detail: 'late' },
  );
  await end(scene, 'ada', 'bob');
  await scene.deliver();
  assert.deepEqual(subjects(scene), ['ada']);
  clock.advance(9);
  await scene.deliver();
  assert.equal(scene.sent.length, 1);
  clock.advance(1);
  await scene.deliver();
  clock.advance(20);
  await scene.deliver();
  assert.deepEqual(subjects(scene), ['ada', 'ada', 'ada', 'bob']);
  const [one, two, three] = scene.sent;
  assert.deepEqual(one?.event.claims, two?.event.claims);
  assert.deepEqual(one?.event.claims, three?.event.claims);
});

test('an event that is never accepted waits for an operator, one that the receiver refuses sooner, and the next one goes on', async () => {
  const scene = await aScene({ 'signals.attempts-max': 9 });
  const { clock, unwatched } = scene.tenant;
  const refused: Posted = { status: 'answered', code: 400 };
  scene.answers.push(refused, refused, refused, refused);
  await end(scene, 'ada', 'bob');
  for (let round = 0; round < 5; round += 1) {
    await scene.deliver();
    clock.advance(3600);
  }
  assert.deepEqual(subjects(scene), ['ada', 'ada', 'ada', 'ada', 'bob']);
  const [stream = assert.fail()] = await unwatched.eventStreams.page(undefined, 1);
  const [letter] = await unwatched.eventStreams.events(stream.id, 'failed', 0, 9);
  assert.deepEqual([letter?.sequence, letter?.problem], [1, 'status 400']);
  assert.deepEqual(
    scene.tenant.platform.counted
      .filter(({ name }) => name === 'chancery_signals_deliveries_total')
      .map(({ labels }) => labels['outcome']),
    ['postponed', 'postponed', 'postponed', 'failed', 'delivered'],
  );
});

test('a receiver that does not answer keeps no other stream waiting', async () => {
  const scene = await aScene();
  const hanging = Promise.withResolvers<Posted>();
  scene.answers.push(hanging.promise);
  await end(scene, 'ada');
  const first = scene.deliver();
  const until = async (count: number): Promise<void> => {
    for (let turns = 0; turns < 10_000 && scene.sent.length < count; turns += 1)
      await new Promise((resolve) => setImmediate(resolve));
    assert.equal(scene.sent.length, count);
  };
  await until(1);
  const other = await aReceiver(scene.tenant);
  await other.stream({ delivery: PUSH });
  await endOf(scene.tenant, await aSessionOf(scene.tenant, 'bob', other));
  await scene.deliver();
  await until(2);
  assert.equal(scene.sent[1]?.event.claims.aud, other.client.client_id);
  hanging.resolve(ACCEPTED);
  await first;
});

test('H-659 a stream whose client is gone pushes nothing any more', async () => {
  const scene = await aScene();
  await end(scene, 'ada');
  const { client_id, registration_access_token: bearer } = scene.receiver.client;
  assert.equal((await scene.tenant.send('client-delete', { bearer, id: client_id })).status, 204);
  await scene.deliver();
  assert.deepEqual(scene.sent, []);
});

// proves ssf-8.1.5-1
test('H-663 the last event of an outbox that is full says that the stream is disabled (OpenID Shared Signals Framework 1.0 §8.1.5)', async () => {
  const scene = await aScene({ 'signals.held-max': 10 });
  const people = Array.from({ length: 12 }, (_, index) => `p${index}`);
  await end(scene, ...people);
  await scene.deliver();
  const last = scene.sent.at(-1)?.event;
  assert.equal(scene.sent.length, 10);
  assert.equal(last?.type, 'https://schemas.openid.net/secevent/ssf/event-type/stream-updated');
  assert.deepEqual(last.body, { status: 'disabled', reason: 'too many events wait' });
  assert.deepEqual(last.claims.sub_id, { format: 'opaque', id: scene.stream_id });
});

// proves ssf-10.1-1
test('H-661 a client with pairwise subjects sees its own names of person and session only', async () => {
  const scene = await aScene({ metadata: { subject_type: 'pairwise' } });
  const session = await aSessionOf(scene.tenant, 'ada', scene.receiver);
  await endOf(scene.tenant, session);
  await scene.deliver();
  const text = JSON.stringify(scene.sent[0]?.event.claims);
  assert.doesNotMatch(text, /"ada"/u);
  assert.ok(!text.includes(session.sid));
});

/** Gives a client tokens of a person. */
async function authorized({ tenant, receiver }: Scene, scope: string) {
  const { account, ...person } = await aPerson(tenant);
  const { client_id, client_secret } = receiver.client;
  const { code = '' } = answeredTo(await person.grant(receiver.client, { scope }));
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
  const answered = await tenant.send('token', { basic: [client_id, client_secret], form });
  assert.equal(answered.status, 200, answered.body);
  return account;
}

// proves caep-3.3-1, caep-3.2-1, caep-3.2-2, caep-interop-3.2-1
test('H-666 a changed password and a changed claim are told to a client with a grant, and only the claims that it may have (OpenID CAEP 1.0 §3.2, §3.3)', async () => {
  const scene = await aScene();
  const account = await authorized(scene, 'openid email');
  const { accounts } = await endUsersOf(scene.tenant);
  const stranger = await aReceiver(scene.tenant);
  await stranger.stream({ delivery: PUSH });
  const claims = { email: 'new@example.com', address: { locality: 'X' } };
  const changed = await changeAccount(accounts, account, { claims }, ACTOR);
  await scene.deliver();
  const hidden = await changeAccount(
    accounts,
    changed,
    { claims: { ...claims, address: { locality: 'Y' } } },
    ACTOR,
  );
  const secured = await setPassword(accounts, hidden, 'another correct horse', ACTOR);
  await setDisabled(accounts, secured, true, ACTOR);
  await scene.deliver();
  const told = scene.sent.map(
    ({
      event: {
        type,
        body,
        claims: { sub_id, aud },
      },
    }) => {
      assert.equal(aud, scene.receiver.client.client_id);
      const { event_timestamp: _, initiating_entity, reason_admin: __, ...rest } = body;
      return { type: type.split('/').at(-1), initiating_entity, ...rest, sub_id };
    },
  );
  const user = { format: 'iss_sub', iss: ISSUER, sub: account.sub };
  const admin = { initiating_entity: 'admin' };
  assert.deepEqual(told.slice(0, 2), [
    { type: 'token-claims-change', ...admin, claims: { email: 'new@example.com' }, sub_id: user },
    {
      type: 'credential-change',
      ...admin,
      credential_type: 'password',
      change_type: 'update',
      sub_id: user,
    },
  ]);
  assert.deepEqual(
    told.slice(2).map(({ type }) => type),
    ['session-revoked'],
  );
});

test('a refresh token that its client revokes ends its grant: the streams of the client say so', async () => {
  const scene = await aScene();
  const person = await aPerson(scene.tenant);
  const { client_id, client_secret } = scene.receiver.client;
  const basic = [client_id, client_secret] as const;
  const granted = answeredTo(await person.grant(scene.receiver.client, { scope: 'openid offline_access' }));
  const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: VERIFIER };
  const { json } = await scene.tenant.send('token', {
    basic,
    form: { ...form, code: granted['code'] ?? '' },
  });
  const token = String(json['refresh_token'] ?? json['access_token']);
  assert.equal((await scene.tenant.send('revocation', { basic, form: { token } })).status, 200);
  await scene.deliver();
  const [sent] = scene.sent;
  assert.deepEqual(Reflect.get(sent?.event.claims.sub_id as object, 'application'), {
    format: 'opaque',
    id: client_id,
  });
});

test('a secret that an operator adds or rotates is told to the streams of its client (OpenID CAEP 1.0 §3.2)', async () => {
  const scene = await aScene();
  const { client_id } = scene.receiver.client;
  const segments = { client_id };
  const wishes = { create: {}, rotate: { keep_previous_seconds: 60 } };
  for (const [verb, json] of Object.entries(wishes)) {
    const changed = await scene.tenant.send(`admin-client-secret-${verb}`, { bearer: ADMIN, segments, json });
    assert.ok(changed.status < 300, changed.body);
    await scene.deliver();
  }
  const application = { format: 'complex', application: { format: 'opaque', id: client_id } };
  assert.deepEqual(
    scene.sent.map(({ event: { type, claims, body } }) => [
      type.split('/').at(-1),
      claims.sub_id,
      body['credential_type'],
      body['change_type'],
      body['initiating_entity'],
      body['reason_admin'],
    ]),
    ['create', 'update'].map((change_type) => [
      'credential-change',
      application,
      'client-secret',
      change_type,
      'admin',
      { en: 'The credentials of the application were changed.' },
    ]),
  );
});
