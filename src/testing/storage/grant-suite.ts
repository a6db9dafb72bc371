import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Refreshing, StoredGrant } from '../../ports/grant-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { Digest, Subject } from '../../spec/identifiers.ts';
import { aSession, NEW_SESSION } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import {
  aClient,
  aGrant,
  aTokenOf,
  EVENT,
  endOfGrant,
  HARD_TEXTS,
  NOW,
  OPEN,
  occurrences,
  times,
} from './stored-examples.ts';

export function grantContract(make: MakeEngine): void {
  creation(make);
  refreshing(make);
  races(make);
  ending(make);
  livesOfClients(make);
  sweeping(make);
  lists(make);
}

interface Granted {
  readonly client: StoredClient;
  readonly grant: StoredGrant;
  readonly token: StoredAccessToken;
}

async function granted(tenant: TenantStorage, values: Partial<StoredGrant> = {}): Promise<Granted> {
  const client = aClient();
  await tenant.clients.create(client, OPEN);
  return await grantedTo(tenant, client, values);
}

async function grantedTo(
  tenant: TenantStorage,
  client: StoredClient,
  values: Partial<StoredGrant> = {},
): Promise<Granted> {
  const grant = aGrant(client, values);
  const token = aTokenOf(grant);
  await tenant.grants.create(grant, token);
  return { client, grant, token };
}

/** The use of a grant's refresh token, which rotates it. */
function aUse(grant: StoredGrant, values: Partial<Refreshing> = {}): Refreshing {
  assert.ok(grant.refresh_token !== null);
  return {
    grant_id: grant.grant_id,
    presented: grant.refresh_token.digest,
    next: { digest: `next of ${grant.refresh_token.digest}` as Digest, expires_at: NOW + 7200 },
    expires_at: NOW + 7200,
    token: aTokenOf(grant),
    now: NOW,
    ...values,
  };
}

function creation(make: MakeEngine): void {
  test(
    'a grant is found as it was created, with its first access token, and by its own tenant only',
    onEmptyStorage(make, async ({ tenant, other }) => {
      for (const authorization of HARD_TEXTS) {
        const { grant, token } = await granted(tenant, { authorization });
        assert.deepEqual(await tenant.grants.find(grant.grant_id), grant);
        assert.deepEqual(await tenant.accessTokens.find(token.key), token);
        assert.equal(await other.grants.find(grant.grant_id), undefined);
      }
    }),
  );

  test(
    'a grant may have no refresh token, one that never expires, and no end',
    onEmptyStorage(make, async ({ tenant }) => {
      const rows: readonly Partial<StoredGrant>[] = [
        { refresh_token: null },
        { refresh_token: null, expires_at: null },
        { refresh_token: { digest: 'd' as Digest, expires_at: null }, expires_at: null },
      ];
      for (const values of rows) {
        const { grant } = await granted(tenant, values);
        assert.deepEqual(await tenant.grants.find(grant.grant_id), grant);
      }
    }),
  );

  test(
    'of several grants that are created in one event-loop turn each is there with its token; one whose token cannot be stored is not created, alone',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client, token: taken } = await granted(tenant);
      const made = times(6, () => aGrant(client)).map((grant) => ({ grant, token: aTokenOf(grant) }));
      made[2] = { grant: aGrant(client), token: taken };
      const outcomes = await Promise.allSettled(
        made.map((one) => tenant.grants.create(one.grant, one.token)),
      );
      const stored = outcomes.map(({ status }) => status === 'fulfilled');
      assert.deepEqual(stored, [true, true, false, true, true, true]);
      for (const { grant, token } of made) {
        assert.deepEqual(await tenant.grants.find(grant.grant_id), token === taken ? undefined : grant);
        assert.deepEqual(await tenant.accessTokens.find(token.key), token);
      }
    }),
  );

  test(
    'a token of a grant is not issued beside its grant: it could outlive it',
    onEmptyStorage(make, async ({ tenant }) => {
      const { grant } = await granted(tenant);
      const token = aTokenOf(grant);
      await assert.rejects(tenant.accessTokens.issue(token));
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
    }),
  );
}

function refreshing(make: MakeEngine): void {
  test(
    'a refresh token is exchanged for the next one and an access token',
    onEmptyStorage(make, async ({ tenant }) => {
      const { grant, token } = await granted(tenant);
      const use = aUse(grant);
      assert.equal(await tenant.grants.refresh(use), 'refreshed');
      const { next, expires_at } = use;
      assert.deepEqual(await tenant.grants.find(grant.grant_id), {
        ...grant,
        refresh_token: next,
        expires_at,
      });
      assert.deepEqual(await tenant.accessTokens.find(use.token.key), use.token);
      assert.deepEqual(await tenant.accessTokens.find(token.key), token);
      assert.equal(await tenant.journal.head(), 0);
    }),
  );

  test(
    'a refresh token that is not rotated is good again and again',
    onEmptyStorage(make, async ({ tenant }) => {
      const { grant } = await granted(tenant);
      assert.ok(grant.refresh_token !== null);
      for (let round = 0; round < 3; round += 1) {
        const use = aUse(grant, { next: grant.refresh_token });
        assert.equal(await tenant.grants.refresh(use), 'refreshed');
        assert.deepEqual(await tenant.accessTokens.find(use.token.key), use.token);
      }
    }),
  );

  test(
    'a refresh token that was used before ends its grant and every access token of it (RFC 9700 §4.14.2)',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client, grant, token } = await granted(tenant);
      const beside = await grantedTo(tenant, client);
      const use = aUse(grant);
      await tenant.grants.refresh(use);
      const again = aUse(grant, { token: aTokenOf(grant) });
      assert.equal(await tenant.grants.refresh(again), 'reused');
      assert.equal(await tenant.grants.find(grant.grant_id), undefined);
      for (const { key } of [token, use.token, again.token]) {
        assert.equal(await tenant.accessTokens.find(key), undefined);
      }
      const told = new Set(await tenant.journal.since(0));
      assert.deepEqual(told, new Set(endOfGrant(grant, token, use.token)));
      assert.deepEqual(await tenant.grants.find(beside.grant.grant_id), beside.grant);
      assert.deepEqual(await tenant.accessTokens.find(beside.token.key), beside.token);
    }),
  );

  test(
    'an expired refresh token, a grant without one, an unknown grant: nothing is issued and nothing ends',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const { grant, token } = await granted(tenant);
      const without = await granted(tenant, { refresh_token: null });
      const uses = [
        aUse(grant, { now: NOW + 3600 }),
        aUse(grant, { grant_id: without.grant.grant_id }),
        aUse(grant, { grant_id: aGrant(aClient()).grant_id }),
      ];
      for (const use of uses) {
        assert.equal(await tenant.grants.refresh(use), 'absent');
        assert.equal(await tenant.accessTokens.find(use.token.key), undefined);
      }
      assert.equal(await other.grants.refresh(aUse(grant)), 'absent');
      assert.deepEqual(await tenant.accessTokens.find(token.key), token);
      assert.equal(await tenant.grants.refresh(aUse(grant, { now: NOW + 3599 })), 'refreshed');
    }),
  );
}

function races(make: MakeEngine): void {
  test(
    'of fifty uses of one refresh token at once, over two views, one wins; then the grant is ended with what it won',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const { grant, token } = await granted(tenant);
        const uses = times(50, () => aUse(grant));
        const outcomes = await Promise.all(
          uses.map((use, index) => (index % 2 === 0 ? tenant : second).grants.refresh(use)),
        );
        assert.equal(occurrences(outcomes, 'refreshed'), 1);
        assert.equal(occurrences(outcomes, 'reused'), 1);
        assert.equal(occurrences(outcomes, 'absent'), 48);
        for (const { key } of [token, ...uses.map((use) => use.token)]) {
          assert.equal(await tenant.accessTokens.find(key), undefined);
        }
      });
    }),
  );

  test(
    'no access token is left of a grant that is ended while it is refreshed',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const { grant } = await granted(tenant);
        assert.ok(grant.refresh_token !== null);
        const next = grant.refresh_token;
        const uses = times(20, () => aUse(grant, { next }));
        await Promise.all([
          ...uses.slice(0, 10).map((use) => tenant.grants.refresh(use)),
          second.grants.end(grant.grant_id),
          ...uses.slice(10).map((use) => second.grants.refresh(use)),
        ]);
        for (const use of uses) assert.equal(await tenant.accessTokens.find(use.token.key), undefined);
        assert.equal(await tenant.grants.refresh(aUse(grant, { next })), 'absent');
      });
    }),
  );
}

function ending(make: MakeEngine): void {
  test(
    'a grant ends once, with its tokens, and the journal names them; other grants stay',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const { client, grant, token } = await granted(tenant);
      const beside = await grantedTo(tenant, client);
      assert.equal(await other.grants.end(grant.grant_id), false);
      const answers = await Promise.all(times(10, () => tenant.grants.end(grant.grant_id)));
      assert.equal(occurrences(answers, true), 1);
      assert.equal(await tenant.grants.find(grant.grant_id), undefined);
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
      assert.deepEqual(await tenant.accessTokens.find(beside.token.key), beside.token);
      assert.deepEqual(await tenant.journal.since(0), endOfGrant(grant, token));
    }),
  );

  test(
    'all grants of a subject end together; those of another subject and tenant stay',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const { client, token } = await granted(tenant);
      const more = await grantedTo(tenant, client);
      const bob = await grantedTo(tenant, client, { sub: 'bob' });
      const foreign = await granted(other);
      assert.equal(await tenant.grants.endAllOf('alice'), 2);
      assert.equal(await tenant.grants.endAllOf('alice'), 0);
      for (const { key } of [token, more.token]) assert.equal(await tenant.accessTokens.find(key), undefined);
      assert.deepEqual(await tenant.grants.find(bob.grant.grant_id), bob.grant);
      assert.deepEqual(await tenant.accessTokens.find(bob.token.key), bob.token);
      assert.deepEqual(await other.grants.find(foreign.grant.grant_id), foreign.grant);
    }),
  );

  test(
    'an access token of a grant can be revoked alone: the grant goes on',
    onEmptyStorage(make, async ({ tenant }) => {
      const { grant, token } = await granted(tenant);
      assert.equal(await tenant.accessTokens.revoke(token.key, NOW), true);
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
      assert.equal(await tenant.grants.refresh(aUse(grant)), 'refreshed');
    }),
  );
}

function livesOfClients(make: MakeEngine): void {
  test(
    'the grants of a deleted client are gone with it, and its successor inherits none',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client, grant, token } = await granted(tenant);
      await tenant.clients.delete(client, EVENT);
      const successor = aClient({ client_id: client.client_id });
      await tenant.clients.create(successor, { ...OPEN, reuseDeletedId: true });
      assert.equal(await tenant.grants.find(grant.grant_id), undefined);
      assert.equal(await tenant.grants.refresh(aUse(grant)), 'absent');
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
    }),
  );
}

function sweeping(make: MakeEngine): void {
  test(
    'expired grants are swept in batches; the living, those without end and other tenants keep theirs',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const { client } = await granted(tenant);
      for (const expires_at of times(25, (index) => NOW - 1 - index))
        await grantedTo(tenant, client, { expires_at });
      const living = [await grantedTo(tenant, client), await grantedTo(tenant, client, { expires_at: null })];
      const foreign = await granted(other, { expires_at: NOW - 1 });
      const removed = [];
      for (let round = 0; round < 4; round += 1) removed.push(await tenant.grants.sweepExpired(NOW, 10));
      assert.deepEqual(removed, [10, 10, 5, 0]);
      for (const { grant } of living) assert.deepEqual(await tenant.grants.find(grant.grant_id), grant);
      assert.deepEqual(await other.grants.find(foreign.grant.grant_id), foreign.grant);
    }),
  );

  test(
    'grants without end of deleted clients are swept too, in batches',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client } = await granted(tenant, { expires_at: null });
      for (let more = 0; more < 14; more += 1) await grantedTo(tenant, client, { expires_at: null });
      const other = await granted(tenant, { expires_at: null });
      await tenant.clients.delete(client, EVENT);
      await tenant.clients.delete(aClient(), EVENT);
      assert.equal(await tenant.grants.sweepExpired(NOW, 10), 10);
      assert.equal(await tenant.grants.sweepExpired(NOW, 10), 5);
      assert.equal(await tenant.grants.sweepExpired(NOW, 10), 0);
      assert.deepEqual(await tenant.grants.find(other.grant.grant_id), other.grant);
    }),
  );

  test(
    'a grant without end that is created while its client is deleted, or after, is swept as well',
    onEmptyStorage(make, async ({ tenant, engine }) => {
      await onSecondView(engine, async (elsewhere) => {
        const rounds = times(20, async (round) => {
          const client = aClient();
          await tenant.clients.create(client, OPEN);
          const create = async (): Promise<void> => {
            const grant = aGrant(client, { expires_at: null });
            await elsewhere.grants.create(grant, aTokenOf(grant));
          };
          const deletion = tenant.clients.delete(client, EVENT);
          if (round % 4 === 0) await deletion;
          await Promise.all([deletion, create()]);
        });
        await Promise.all(rounds);
        const swept = [
          await tenant.grants.sweepExpired(NOW, 100),
          await tenant.grants.sweepExpired(NOW, 100),
        ];
        assert.deepEqual(swept, [20, 0]);
      });
    }),
  );
}

function lists(make: MakeEngine): void {
  test(
    'the grants of a subject are listed, the oldest first, without those of clients that are gone',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const { grant: second } = await granted(tenant, { created_at: NOW + 1 });
      const { grant: first } = await granted(tenant, { created_at: NOW });
      const { client } = await granted(tenant);
      await granted(tenant, { sub: 'somebody else' });
      await tenant.clients.delete(client, EVENT);
      assert.deepEqual(await tenant.grants.ofSubject(first.sub), [first, second]);
      assert.deepEqual(await other.grants.ofSubject(first.sub), []);
    }),
  );

  test(
    'the end of a grant, of a token, and of a session is recorded with it, and once',
    onEmptyStorage(make, async ({ tenant }) => {
      const { grant, token, client } = await granted(tenant);
      const before = (await tenant.audit.page(0, 100)).length;
      const event = (action: AuditEvent['action']): AuditEvent => ({ ...EVENT, action });
      for (let time = 0; time < 2; time += 1) {
        await tenant.accessTokens.revoke(token.key, NOW, event('token.revoke'));
        await tenant.grants.end(grant.grant_id, event('grant.end'));
      }
      const session = aSession('ada' as Subject);
      await tenant.sessions.create(session, NEW_SESSION);
      await Promise.all([1, 2].map(async () => await tenant.sessions.end(session.key, event('session.end'))));
      const reused = aGrant(client);
      await tenant.grants.create(reused, aTokenOf(reused));
      const copied = { ...aUse(reused), presented: 'another' as Digest, onReuse: event('grant.end') };
      assert.equal(await tenant.grants.refresh(copied), 'reused');
      assert.equal(await tenant.grants.refresh(copied), 'absent');
      const recorded = (await tenant.audit.page(0, 100)).slice(before).map(({ action }) => action);
      assert.deepEqual(recorded, ['token.revoke', 'grant.end', 'session.end', 'grant.end']);
    }),
  );
}
