import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { Change } from '../../ports/change-journal.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { Subject } from '../../spec/identifiers.ts';
import { aSession, NEW_SESSION } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import {
  aClient,
  aGrant,
  aToken,
  aTokenOf,
  EVENT,
  endOfGrant,
  endOfToken,
  LABEL,
  NOW,
  OPEN,
  times,
} from './stored-examples.ts';

export function journalContract(make: MakeEngine): void {
  changes(make);
  nothingToTell(make);
  order(make);
  gaps(make);
  pages(make);
  sight(make);
}

const changed = ({ client_id }: StoredClient): Change => ({ kind: 'client-changed', client_id });
const ended = ({ client_id, instance }: StoredClient): Change => ({
  kind: 'client-ended',
  client_id,
  instance,
});
const whole = async (tenant: TenantStorage): Promise<readonly Change[] | undefined> =>
  await tenant.journal.since(0);

async function initial(tenant: TenantStorage, values = {}): Promise<StoredAccessToken> {
  const token = aToken(undefined, values);
  await tenant.accessTokens.issueInitial(token, LABEL, EVENT);
  return token;
}

/** Replaces `client` so often, one change after the other. */
/** The number of replacements that keep their order in one batch. Later calls may overtake any beyond it. */
const IN_ORDER = 250;

async function replaceTimes(tenant: TenantStorage, client: StoredClient, count: number): Promise<void> {
  for (let done = 0; done < count; done += IN_ORDER) {
    const replacing = times(Math.min(IN_ORDER, count - done), async (index) => {
      const version = client.version + done + index;
      return await tenant.clients.replace({ ...client, version: version + 1 }, version);
    });
    await Promise.all(replacing);
  }
}

function changes(make: MakeEngine): void {
  test(
    'the journal of a new tenant is empty and stands at 0',
    onEmptyStorage(make, async ({ tenant }) => {
      assert.equal(await tenant.journal.head(), 0);
      assert.deepEqual(await whole(tenant), []);
    }),
  );

  test(
    'replacement, deletion, use and revocation of an initial access token are told, numbered from 1',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      const [used, revoked] = [await initial(tenant), await initial(tenant)];
      await tenant.clients.create(client, { ...OPEN, initialAccessToken: used.key });
      assert.equal(await tenant.journal.head(), 1);
      await tenant.clients.replace({ ...client, version: 2 }, 1, EVENT);
      assert.equal(await tenant.journal.head(), 2);
      await tenant.clients.replace({ ...client, version: 3 }, 2);
      assert.equal(await tenant.journal.head(), 3);
      await tenant.accessTokens.revokeInitial(revoked.key, EVENT);
      assert.equal(await tenant.journal.head(), 4);
      await tenant.clients.delete({ ...client, version: 3 }, EVENT);
      assert.equal(await tenant.journal.head(), 5);

      const all = [endOfToken(used), changed(client), changed(client), endOfToken(revoked), ended(client)];
      assert.deepEqual(await whole(tenant), all);
      for (const sequence of [1, 2, 3, 4, 5]) {
        assert.deepEqual(await tenant.journal.since(sequence), all.slice(sequence), `since ${sequence}`);
      }
    }),
  );
}

function nothingToTell(make: MakeEngine): void {
  test(
    'creation, issuing, uses, sweeps and audit are not in the journal: they make nothing untrue that was read',
    onEmptyStorage(make, async ({ storage, tenant }) => {
      const client = aClient();
      const { client_id, instance } = client;
      await tenant.clients.create(client, OPEN);
      await tenant.accessTokens.issue(aToken(client, { expires_at: NOW - 10 }));
      await initial(tenant, { expires_at: NOW - 10 });
      await tenant.clients.recordUses([{ client_id, instance, secret_digest: null, last_used_at: NOW }]);
      assert.equal(await tenant.accessTokens.sweepExpired(NOW, 10), 2);
      await tenant.audit.append(EVENT);
      await storage.ready();
      assert.equal(await tenant.journal.head(), 0);
      assert.deepEqual(await whole(tenant), []);
    }),
  );

  test(
    'refused and lost acts leave no row',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      const absent = aClient();
      const { key } = await initial(tenant);
      const expired = await initial(tenant, { expires_at: NOW });
      await tenant.clients.create(client, OPEN);
      const refused = [
        await tenant.clients.create(aClient({ client_id: client.client_id }), {
          ...OPEN,
          initialAccessToken: key,
        }),
        await tenant.clients.create(aClient(), { ...OPEN, initialAccessToken: expired.key }),
        await tenant.clients.replace({ ...client, version: 3 }, 2, EVENT),
        await tenant.clients.replace(absent, 1, EVENT),
        await tenant.clients.delete({ ...client, version: 2 }, EVENT),
        await tenant.clients.delete(absent, EVENT),
        await tenant.accessTokens.revokeInitial(expired.key, EVENT),
        await tenant.accessTokens.revokeInitial(aToken().key, EVENT),
      ];
      assert.deepEqual(refused, [
        'client_id_taken',
        'initial_access_token_used',
        'changed_meanwhile',
        'absent',
        'changed_meanwhile',
        'absent',
        false,
        false,
      ]);
      assert.equal(await tenant.journal.head(), 0);
      assert.deepEqual(await whole(tenant), []);
    }),
  );

  test(
    'of many that race for one change, one is told',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      const token = await initial(tenant);
      const { key } = token;
      await tenant.clients.create(client, OPEN);
      await Promise.all([
        ...times(10, () => tenant.clients.replace({ ...client, version: 2 }, 1, EVENT)),
        ...times(10, () => tenant.clients.create(aClient(), { ...OPEN, initialAccessToken: key })),
        ...times(10, () => tenant.accessTokens.revokeInitial(key, EVENT)),
      ]);
      await Promise.all(times(10, () => tenant.clients.delete({ ...client, version: 2 }, EVENT)));
      assert.deepEqual(await whole(tenant), [changed(client), endOfToken(token), ended(client)]);
      assert.equal(await tenant.journal.head(), 3);
    }),
  );
}

function order(make: MakeEngine): void {
  test(
    'an act that fails beside others leaves no row and no gap',
    onEmptyStorage(make, async ({ tenant }) => {
      const clients = times(3, () => aClient());
      await Promise.all(clients.map((client) => tenant.clients.create(client, OPEN)));
      const unstorable = { text: 'not a text' } as unknown as string;
      const settled = await Promise.allSettled(
        clients.map((client, index) =>
          tenant.clients.replace(
            { ...client, version: 2, metadata: index === 1 ? unstorable : '{}' },
            1,
            EVENT,
          ),
        ),
      );
      assert.deepEqual(
        settled.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.equal(await tenant.journal.head(), 2);
      const told = await whole(tenant);
      const expected = clients.filter((_, index) => index !== 1).map(changed);
      assert.deepEqual(new Set(told), new Set(expected));
    }),
  );

  test(
    'two writers number their changes without gap or repetition, in one order for both',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const clients = times(20, () => aClient());
        await Promise.all(clients.map((client) => tenant.clients.create(client, OPEN)));
        await Promise.all(
          clients.map(async (client, index) => {
            const mine = index % 2 === 0 ? tenant : second;
            const theirs = index % 2 === 0 ? second : tenant;
            assert.equal(await mine.clients.replace({ ...client, version: 2 }, 1, EVENT), 'done');
            assert.equal(await theirs.clients.delete({ ...client, version: 2 }, EVENT), 'done');
          }),
        );
        assert.equal(await tenant.journal.head(), 40);
        const told = (await whole(tenant)) ?? [];
        assert.deepEqual(await whole(second), told);
        assert.equal(told.length, 40);
        for (const client of clients) {
          const own = told.filter((change) => 'client_id' in change && change.client_id === client.client_id);
          assert.deepEqual(own, [changed(client), ended(client)]);
        }
      });
    }),
  );
}

function gaps(make: MakeEngine): void {
  test(
    'changes that are too many are not told one by one, a later part of them is',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      await replaceTimes(tenant, client, 1001);
      assert.equal(await tenant.journal.head(), 1001);
      assert.equal(await whole(tenant), undefined);
      assert.deepEqual(
        await tenant.journal.since(1),
        times(1000, () => changed(client)),
      );
    }),
  );

  test(
    'a reader that is behind the kept rows must drop everything; numbers continue after a restart',
    onEmptyStorage(make, async ({ engine, storage, tenant }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      // The journal exceeds its limit, so the first rows are gone. SQLite removes a hundred at once.
      await replaceTimes(tenant, client, 10_100);
      await storage.close();
      await onSecondView(engine, async (after) => {
        assert.equal(await after.journal.head(), 10_100);
        assert.equal(await after.journal.since(0), undefined);
        const [oldest] = await after.journal.page(0, 1);
        assert.equal(oldest?.sequence, 101, 'a page shows that the rows before it are gone');
        assert.deepEqual(await after.journal.since(10_099), [changed(client)]);
        await after.clients.delete({ ...client, version: 10_101 }, EVENT);
        assert.equal(await after.journal.head(), 10_101);
        assert.deepEqual(await after.journal.since(10_100), [ended(client)]);
      });
    }),
  );
}

function pages(make: MakeEngine): void {
  test(
    'a page has the changes after a number, in order and numbered, and a limit',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      assert.deepEqual(await tenant.journal.page(0, 10), []);
      const grant = aGrant(client);
      const token = aTokenOf(grant, { sub: 'alice' });
      await tenant.grants.create(grant, token);
      await tenant.grants.end(grant.grant_id);
      const session = aSession('ada' as Subject);
      await tenant.sessions.create(session, NEW_SESSION);
      await tenant.sessions.end(session.key);
      await tenant.clients.delete(client, EVENT);
      const { sid, sub } = session;
      const all = [...endOfGrant(grant, token), { kind: 'session-ended', sid, sub }, ended(client)].map(
        (change, index) => ({ sequence: index + 1, change }),
      );
      assert.deepEqual(await tenant.journal.page(0, 10), all);
      assert.deepEqual(await tenant.journal.page(1, 2), all.slice(1, 3));
      assert.deepEqual(await tenant.journal.page(4, 10), []);
      assert.deepEqual(await other.journal.page(0, 10), []);
    }),
  );
}

function sight(make: MakeEngine): void {
  test(
    'tenants do not see, number or trim the changes of each other',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      await other.clients.create(client, OPEN);
      await tenant.clients.replace({ ...client, version: 2 }, 1, EVENT);
      assert.deepEqual([await tenant.journal.head(), await other.journal.head()], [1, 0]);
      await other.clients.delete(client, EVENT);
      assert.deepEqual(await whole(tenant), [changed(client)]);
      assert.deepEqual(await whole(other), [ended(client)]);
      assert.deepEqual([await tenant.journal.head(), await other.journal.head()], [1, 1]);
    }),
  );

  test(
    'another view sees a change as soon as its author knows of it, each time',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const client = aClient();
        await tenant.clients.create(client, OPEN);
        const heads: number[] = [];
        for (let version = 1; version <= 50; version += 1) {
          const [writer, reader] = version % 2 === 0 ? [tenant, second] : [second, tenant];
          assert.equal(await writer.clients.replace({ ...client, version: version + 1 }, version), 'done');
          heads.push(await reader.journal.head());
        }
        assert.deepEqual(
          heads,
          times(50, (index) => index + 1),
        );
      });
    }),
  );
}
