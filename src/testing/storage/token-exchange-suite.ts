import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { StoredGrant } from '../../ports/grant-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { SessionId, Subject } from '../../spec/identifiers.ts';
import { aSession, NEW_SESSION } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, aGrant, anEvent, aToken, aTokenOf, EVENT, NOW, OPEN, times } from './stored-examples.ts';

/** Tokens that were exchanged from others (RFC 8693) end with what they were exchanged from. */
export function tokenExchangeContract(make: MakeEngine): void {
  issuing(make);
  ending(make);
  sweeping(make);
  livesOfClients(make);
  afterClients(make);
  races(make);
}

interface Issued {
  readonly client: StoredClient;
  readonly token: StoredAccessToken;
}

async function issued(tenant: TenantStorage): Promise<Issued> {
  const client = aClient();
  const token = aToken(client);
  await tenant.clients.create(client, OPEN);
  await tenant.accessTokens.issue(token);
  return { client, token };
}

async function granted(tenant: TenantStorage, values: Partial<StoredGrant> = {}): Promise<Issued> {
  const client = aClient();
  await tenant.clients.create(client, OPEN);
  const grant = aGrant(client, values);
  const token = aTokenOf(grant);
  await tenant.grants.create(grant, token);
  return { client, token };
}

const EXCHANGED = anEvent({ action: 'token.exchange' });

/** Stores a token of a new client that was exchanged from these. */
async function exchange(tenant: TenantStorage, ...origins: readonly StoredAccessToken[]): Promise<Issued> {
  const client = aClient();
  await tenant.clients.create(client, OPEN);
  const token = aToken(client);
  const keys = origins.map(({ key }) => key);
  assert.equal(await tenant.accessTokens.exchange(token, keys, EXCHANGED), true);
  return { client, token };
}

/** Returns a token as it was stored, and the instances of the clients before it, in a fixed order. */
async function found(
  tenant: TenantStorage,
  { key }: StoredAccessToken,
): Promise<readonly [object, string | undefined]> {
  const { via, ...token } = (await tenant.accessTokens.find(key)) ?? assert.fail('not found');
  return [token, via?.split(' ').toSorted().join(' ')];
}

async function assertEnded(tenant: TenantStorage, ...tokens: readonly StoredAccessToken[]): Promise<void> {
  for (const { key } of tokens) assert.equal(await tenant.accessTokens.find(key), undefined);
}

function issuing(make: MakeEngine): void {
  test(
    'an exchanged token is found as it was stored, with the clients before it, by its own tenant only, and its event is recorded',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const origin = await issued(tenant);
      const { client, token } = await exchange(tenant, origin.token);
      assert.deepEqual(await found(tenant, token), [token, origin.client.instance]);
      const after = await exchange(tenant, token);
      const instances = [origin.client.instance, client.instance].toSorted().join(' ');
      assert.deepEqual(await found(tenant, after.token), [after.token, instances]);
      assert.equal(await other.accessTokens.find(token.key), undefined);
      assert.equal((await tenant.audit.page(0, 100)).at(-1)?.action, 'token.exchange');
    }),
  );

  test(
    'nothing is stored or recorded if one of the tokens does not exist, or is of another tenant',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const origin = await issued(tenant);
      const foreign = await issued(other);
      const recorded = (await tenant.audit.page(0, 100)).length;
      for (const unknown of [aToken(), foreign.token]) {
        const token = aToken(origin.client);
        const keys = [origin.token.key, unknown.key];
        assert.equal(await tenant.accessTokens.exchange(token, keys, EXCHANGED), false);
        await assertEnded(tenant, token);
      }
      assert.equal((await tenant.audit.page(0, 100)).length, recorded);
    }),
  );

  test(
    'a token of other issuers alone has no origin here: it is found without clients before it',
    onEmptyStorage(make, async ({ tenant }) => {
      const { token } = await exchange(tenant);
      assert.deepEqual(await found(tenant, token), [token, undefined]);
    }),
  );

  test(
    'a token may be exchanged with itself as the actor: one origin named twice is one',
    onEmptyStorage(make, async ({ tenant }) => {
      const origin = await issued(tenant);
      const { token } = await exchange(tenant, origin.token, origin.token);
      assert.deepEqual(await found(tenant, token), [token, origin.client.instance]);
    }),
  );
}

function ending(make: MakeEngine): void {
  test(
    'the revocation of a token ends the whole chain that was exchanged from it; the journal names each; other tokens stay',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const origin = await issued(tenant);
      const first = await exchange(tenant, origin.token);
      const second = await exchange(tenant, first.token);
      const third = await exchange(tenant, second.token);
      const beside = await exchange(tenant, (await issued(tenant)).token);
      assert.equal(await other.accessTokens.revoke(origin.token.key, NOW), false);
      assert.equal(await tenant.accessTokens.revoke(origin.token.key, NOW, EVENT), true);
      await assertEnded(tenant, origin.token, first.token, second.token, third.token);
      assert.ok(await tenant.accessTokens.find(beside.token.key));
      const ended = [origin, first, second, third].map(({ token }) => token.key).toSorted();
      const changes = (await tenant.journal.since(0)) ?? [];
      const named = changes.flatMap((change) => (change.kind === 'access-token-ended' ? [change.key] : []));
      assert.deepEqual(named.toSorted(), ended);
    }),
  );

  test(
    'the revocation of a token in the middle ends what comes after it, and not what it comes from',
    onEmptyStorage(make, async ({ tenant }) => {
      const origin = await issued(tenant);
      const first = await exchange(tenant, origin.token);
      const second = await exchange(tenant, first.token);
      assert.equal(await tenant.accessTokens.revoke(first.token.key, NOW), true);
      await assertEnded(tenant, first.token, second.token);
      assert.deepEqual(await tenant.accessTokens.find(origin.token.key), origin.token);
    }),
  );

  test(
    'a token of two origins ends with either, also as a part of a longer chain',
    onEmptyStorage(make, async ({ tenant }) => {
      for (const which of [0, 1]) {
        const origins = [await issued(tenant), await issued(tenant)].map(({ token }) => token);
        const { token } = await exchange(tenant, ...origins);
        const after = await exchange(tenant, token);
        const ended = origins[which] ?? assert.fail('two origins');
        assert.equal(await tenant.accessTokens.revoke(ended.key, NOW), true);
        await assertEnded(tenant, token, after.token);
      }
    }),
  );

  test(
    'it ends with the grant of its origin, with the session of that grant, and with all grants of the subject',
    onEmptyStorage(make, async ({ tenant }) => {
      const byGrant = await granted(tenant);
      const grant_id = byGrant.token.grant_id ?? assert.fail('a grant');
      const chain = await exchange(tenant, byGrant.token);
      const after = await exchange(tenant, chain.token);
      await tenant.grants.end(grant_id);
      await assertEnded(tenant, chain.token, after.token);

      const session = aSession('ada' as Subject, { sid: 'sid of ada' as SessionId });
      await tenant.sessions.create(session, NEW_SESSION);
      const inSession = await exchange(tenant, (await granted(tenant, { sid: session.sid })).token);
      await tenant.sessions.end(session.key);
      await assertEnded(tenant, inSession.token);

      const bySubject = await exchange(tenant, (await granted(tenant, { sub: 'bob' })).token);
      assert.equal(await tenant.grants.endAllOf('bob'), 1);
      await assertEnded(tenant, bySubject.token);
    }),
  );
}

function sweeping(make: MakeEngine): void {
  test(
    'the origins of expired tokens are swept in batches with the tokens',
    onEmptyStorage(make, async ({ tenant }) => {
      const origin = await issued(tenant);
      for (let round = 0; round < 3; round += 1) await exchange(tenant, origin.token);
      assert.equal(await tenant.accessTokens.sweepExpired(NOW, 10), 0);
      const removed = [];
      for (let round = 0; round < 3; round += 1)
        removed.push(await tenant.accessTokens.sweepExpired(NOW + 601, 2));
      assert.deepEqual(removed, [2, 2, 0]);
      assert.equal(await tenant.accessTokens.revoke(origin.token.key, NOW), false);
    }),
  );
}

function livesOfClients(make: MakeEngine): void {
  test(
    'it ends with each client of its chain, the journal names it unless the client is its own, it is not listed then, and a client registered again under the id does not revive it',
    onEmptyStorage(make, async ({ tenant }) => {
      const range = { limit: 10, after: undefined, examined: 10 };
      for (const which of [0, 1, 2]) {
        const origin = await issued(tenant);
        const first = await exchange(tenant, origin.token);
        const last = await exchange(tenant, first.token);
        const client = [origin, first, last][which]?.client ?? assert.fail('three clients');
        const filter = { client: last.client, now: NOW };
        assert.equal((await tenant.accessTokens.list(filter, range)).rows.length, 1);
        const before = await tenant.journal.head();
        await tenant.clients.delete(client, EVENT);
        await assertEnded(tenant, last.token);
        assert.deepEqual((await tenant.accessTokens.list(filter, range)).rows, []);
        // A process and a resource server that know tokens by their client learn of those of other clients one by one.
        const later = [first, last].slice(which).filter(({ client: own }) => own !== client);
        const changes = (await tenant.journal.since(before)) ?? [];
        assert.deepEqual(
          changes.flatMap((change) => (change.kind === 'access-token-ended' ? [change.key] : [])).toSorted(),
          later.map(({ token }) => token.key).toSorted(),
        );
        assert.ok(changes.some(({ kind }) => kind === 'client-ended'));
        const successor = aClient({ client_id: client.client_id });
        await tenant.clients.create(successor, { ...OPEN, reuseDeletedId: true });
        await assertEnded(tenant, last.token);
      }
    }),
  );
}

function afterClients(make: MakeEngine): void {
  test(
    'H-725 nothing is stored for a token whose client, or one before it, is deleted meanwhile: no journal would name its end',
    onEmptyStorage(make, async ({ tenant }) => {
      const origin = await issued(tenant);
      const beside = await issued(tenant);
      const taker = await issued(tenant);
      await tenant.clients.delete(origin.client, EVENT);
      for (const keys of [[origin.token.key], [beside.token.key, origin.token.key]])
        assert.equal(await tenant.accessTokens.exchange(aToken(taker.client), keys, EXCHANGED), false);
    }),
  );
}

function races(make: MakeEngine): void {
  test(
    'of exchanges and a revocation at once, over two views, no exchanged token is left',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        for (const end of ['token', 'grant'] as const) {
          const origin = await granted(tenant);
          const { key, grant_id } = origin.token;
          const middle = await exchange(tenant, origin.token);
          const made = times(20, (index) => ({
            from: index % 2 === 0 ? origin.token : middle.token,
            token: aToken(origin.client),
          }));
          const trade = async (
            view: TenantStorage,
            { from, token }: (typeof made)[number],
          ): Promise<unknown> => await view.accessTokens.exchange(token, [from.key], EXCHANGED);
          await Promise.all([
            ...made.slice(0, 10).map(async (one) => await trade(tenant, one)),
            end === 'token' || grant_id === null
              ? second.accessTokens.revoke(key, NOW)
              : second.grants.end(grant_id),
            ...made.slice(10).map(async (one) => await trade(second, one)),
          ]);
          await assertEnded(tenant, middle.token, ...made.map(({ token }) => token));
          await assertEnded(second, middle.token, ...made.map(({ token }) => token));
        }
      });
    }),
  );
}
