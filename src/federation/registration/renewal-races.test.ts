import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { RP } from '../../testing/federated-tenant.ts';
import { testKey } from '../../testing/jwt.ts';
import { type LivingMember, livingMember } from '../../testing/living-member.ts';
import { CALLBACK, MASTER } from '../../testing/tenant.ts';
import { configurationUrl } from '../entity-id.ts';

const HOUR = 3600;
const ADDRESS = configurationUrl(RP.id);

/** Lets something happen while the server waits for the configuration of the relying party. */
function whileFetched({ tenant: { federation } }: LivingMember, act: () => Promise<unknown>): void {
  const published = federation.documents.get(ADDRESS);
  assert.ok(typeof published === 'string');
  federation.documents.set(ADDRESS, async () => {
    federation.documents.set(ADDRESS, published);
    await act();
    return { status: 'ok', body: Buffer.from(published), mediaType: 'application/entity-statement+jwt' };
  });
}

const deleted = async ({ tenant }: LivingMember): Promise<void> => {
  const answer = await tenant.send('client-delete', { id: RP.id, bearer: MASTER });
  assert.equal(answer.status, 204, answer.body);
};

/** Registers a client of the operator under the identifier of the entity. */
const claimed = async ({ tenant }: LivingMember): Promise<void> => {
  const json = { redirect_uris: [CALLBACK], preferred_client_id: RP.id, client_name: 'The operator' };
  const answer = await tenant.send('client-registration', { bearer: MASTER, json });
  assert.equal(answer.status, 200, answer.body);
};

const found = async ({ tenant: { unwatched } }: LivingMember) =>
  (await unwatched.clients.page(undefined, 10)).map(({ client_id, registered_via }) => [
    client_id,
    registered_via.split(':')[0],
  ]);

async function memberInUse(): Promise<LivingMember> {
  const member = await livingMember();
  member.publish();
  await member.tokens();
  member.tenant.clock.advance(HOUR);
  member.publish();
  return member;
}

test('a client that is deleted while its renewal waits for other servers stays deleted (H-486)', async () => {
  const member = await memberInUse();
  whileFetched(member, async () => await deleted(member));
  assert.deepEqual(await member.renewDue(), { renewed: 0, failed: 1 });
  assert.deepEqual(await found(member), []);
  assert.equal((await member.push()).status, 201, 'its next request registers it, as after every deletion');
});

for (const [occasion, begin] of [
  [
    'a renewal',
    async () => {
      const member = await memberInUse();
      whileFetched(member, async () => {
        await deleted(member);
        await claimed(member);
      });
      assert.deepEqual(await member.renewDue(), { renewed: 0, failed: 1 });
      return member;
    },
  ],
  [
    'a first request',
    async () => {
      const member = await livingMember();
      member.publish();
      whileFetched(member, async () => await claimed(member));
      const answer = await member.push();
      assert.match(answer.body, /another client has this entity identifier/);
      return member;
    },
  ],
] as const) {
  test(`${occasion} leaves a client that an operator registered meanwhile under the entity identifier as it is (H-486)`, async () => {
    const member = await begin();
    assert.deepEqual(await found(member), [[RP.id, 'master']]);
    assert.match((await member.stored()).metadata, /The operator/);
  });
}

test('a failed attempt that is noted while another one succeeds does not undo the success (decision 49)', async () => {
  const member = await livingMember();
  member.publish();
  const client_id = String((await member.register())['client_id']);
  const { clock, unwatched } = member.tenant;
  clock.advance(HOUR);
  member.publish();
  whileFetched(member, async () => {
    const client = await member.stored(client_id);
    const failure = { at: clock.now(), reason: 'unreachable', words: 'another node could not' };
    const state = JSON.parse(client.federation ?? '{}') as object;
    const noted = {
      ...client,
      version: client.version + 1,
      federation: JSON.stringify({ ...state, failure }),
    };
    assert.equal(await unwatched.clients.replace(noted, client.version), 'done');
  });
  const { federated = assert.fail() } = await member.tenant.opened();
  const [outcome] = await federated.refreshEntity(RP.id);
  assert.ok(outcome !== undefined && 'renewed' in outcome);
  const { federation, resolved_at, version } = await member.stored(client_id);
  assert.doesNotMatch(federation ?? '', /failure/u);
  assert.deepEqual([resolved_at, version], [clock.now(), outcome.renewed.version]);
});

test('a renewal that fails while a look succeeds is no failure (decision 49)', async () => {
  const member = await memberInUse();
  const { federation, clock } = member.tenant;
  const published = federation.documents.get(ADDRESS);
  assert.ok(typeof published === 'string');
  federation.documents.set(ADDRESS, async () => {
    federation.documents.set(ADDRESS, published);
    clock.advance(1);
    const looked = await member.push(testKey('ES256', 'unknown'));
    assert.equal(looked.status, 401);
    return { status: 'failed', reason: 'timeout', detail: 'no answer' };
  });
  assert.deepEqual(await member.renewDue(), { renewed: 1, failed: 0 });
  assert.doesNotMatch((await member.stored()).federation ?? '', /failure/u);
});

test('an operator who refreshes an entity learns how each of its clients ended, and one that fails stops no other', async () => {
  const member = await livingMember();
  member.publish();
  const { client_id } = await member.register();
  assert.equal((await member.push()).status, 201);
  const { federated = assert.fail() } = await member.tenant.opened();
  const key = testKey('ES256', 'second');
  const metadata = { client_registration_types: ['explicit'], jwks: { keys: [key.jwk] } };
  member.publish({ metadata });
  const outcomes = await federated.refreshEntity(RP.id);
  assert.deepEqual(
    outcomes.map((outcome) => [outcome.client.client_id, 'failure' in outcome]),
    [
      [client_id, false],
      [RP.id, true],
    ],
  );
  assert.deepEqual(await federated.refreshEntity('https://unknown.example'), []);
});

test('a look that a busy server refuses one network does not refuse another one that waits for it (decision 50, H-488)', async () => {
  const member = await memberInUse();
  const { federation } = member.tenant;
  const key = testKey('ES256', 'rolled');
  member.publish({ metadata: { jwks: { keys: [key.jwk] } } });
  const published = federation.documents.get(ADDRESS);
  assert.ok(typeof published === 'string');
  const waiting = Promise.withResolvers<undefined>();
  federation.documents.set(ADDRESS, async () => {
    federation.documents.set(ADDRESS, published);
    waiting.resolve(undefined);
    // Time for the second request to come here. If it is late, it begins a look of its own.
    await setTimeout(50);
    return { status: 'failed', reason: 'busy', detail: 'no slot', retryAfter: 7 };
  });
  const first = member.push(key);
  await waiting.promise;
  const second = await member.push(key);
  assert.equal((await first).status, 503);
  assert.equal(second.status, 201, second.body);
});
