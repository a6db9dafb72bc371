import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Listing, ListPosition, ListRange } from '../../ports/listing.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { AccessTokenKey, GrantId, LoginName, SessionId, Subject } from '../../spec/identifiers.ts';
import { anAccount, aSession, NEW_SESSION } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage } from './engine.ts';
import { aClient, aGrant, anEvent, aToken, aTokenOf, EVENT, NOW, OPEN, times } from './stored-examples.ts';

const FIRST: ListRange = { limit: 100, after: undefined, examined: 1000 };

/** Reads all pages of a list, and returns the rows of each. */
async function pagesOf<Stored>(
  list: (range: ListRange) => Promise<Listing<Stored>>,
  range: Omit<ListRange, 'after'>,
): Promise<readonly (readonly Stored[])[]> {
  const pages: (readonly Stored[])[] = [];
  let after: ListPosition | undefined;
  do {
    const { rows, next } = await list({ ...range, after });
    pages.push(rows);
    after = next;
  } while (after !== undefined && pages.length < 50);
  return pages;
}

export function listingContract(make: MakeEngine): void {
  accountListContract(make);
  sessionListContract(make);
  grantListContract(make);
  consentListContract(make);
  tokenListContract(make);
}

const NAMES = ['ada', 'adam', 'bea_x', 'beaxx', 'cem', 'eve'] as const;

async function manyAccounts(tenant: TenantStorage): Promise<void> {
  for (const [index, name] of NAMES.entries()) {
    const account = anAccount({
      login_name: name as LoginName,
      sub: `s${index}` as Subject,
      created_at: NOW + (index % 3),
      disabled_at: name === 'adam' || name === 'eve' ? NOW : null,
      admin_role: name === 'ada' ? 'administrator' : name === 'eve' ? 'viewer' : null,
    });
    await tenant.accounts.create(account, EVENT);
  }
}

function accountListContract(make: MakeEngine): void {
  test(
    'a list of accounts has those of its filter, by name or the latest first',
    onEmptyStorage(make, async ({ tenant, other }) => {
      await manyAccounts(tenant);
      await other.accounts.create(anAccount({ login_name: 'ada' as LoginName }), EVENT);
      const names = async (filter: object): Promise<string> => {
        const { rows, next } = await tenant.accounts.list({ sort: 'name', ...filter }, FIRST);
        assert.equal(next, undefined);
        return rows.map(({ login_name }) => login_name).join(' ');
      };
      assert.equal(await names({}), NAMES.join(' '));
      assert.equal(await names({ prefix: 'ad' }), 'ada adam');
      assert.equal(await names({ contains: 'a_' }), 'bea_x', 'characters of patterns stand for themselves');
      assert.equal(await names({ disabled: true }), 'adam eve');
      assert.equal(await names({ disabled: false, prefix: 'b' }), 'bea_x beaxx');
      assert.equal(await names({ role: 'administrator' }), 'ada');
      assert.equal(await names({ role: 'viewer', disabled: true }), 'eve');
      assert.equal(await names({ role: 'viewer', disabled: false }), '');
      assert.equal(await names({ sort: 'recent' }), 'eve bea_x cem adam beaxx ada');
      assert.equal(await names({ sort: 'recent', contains: 'e', disabled: false }), 'bea_x cem beaxx');
      const [ada] = (await tenant.accounts.list({ sort: 'name' }, FIRST)).rows;
      assert.deepEqual(ada, await tenant.accounts.findByLoginName('ada' as LoginName));
    }),
  );

  test(
    'pages of accounts follow each other without a loss, also where a filter finds little in what it examines',
    onEmptyStorage(make, async ({ tenant }) => {
      await manyAccounts(tenant);
      for (const [filter, expected] of [
        [{ sort: 'name' }, 6],
        [{ sort: 'recent' }, 6],
        [{ sort: 'name', disabled: true }, 2],
        [{ sort: 'name', contains: 'e' }, 4],
        [{ sort: 'recent', disabled: false }, 4],
      ] as const) {
        for (const limit of [1, 2, 3, 6]) {
          const range = { limit, examined: 2 };
          const pages = await pagesOf(async (page) => await tenant.accounts.list(filter, page), range);
          const found = pages.flat().map(({ sub }) => sub);
          assert.equal(new Set(found).size, found.length);
          assert.equal(found.length, expected, JSON.stringify({ filter, limit }));
        }
      }
      const { rows, next } = await tenant.accounts.list(
        { sort: 'name', contains: 'eve' },
        { limit: 1, after: undefined, examined: 2 },
      );
      assert.deepEqual([rows, next], [[], ['adam']], 'a page without rows goes on');
    }),
  );

  test(
    'the last administrator stays where a change demands it, in a race too',
    onEmptyStorage(make, async ({ tenant }) => {
      const [one, two] = times(2, () => anAccount({ admin_role: 'administrator' }));
      assert.ok(one && two);
      for (const account of [one, two]) await tenant.accounts.create(account, EVENT);
      const condition = { expectedVersion: 1, endAll: true, keepsAdministrator: true, event: EVENT };
      const lowered = { version: 2, admin_role: 'operator' } as const;
      const outcomes = await Promise.all([
        tenant.accounts.replace({ ...one, ...lowered }, condition),
        tenant.accounts.replace({ ...two, version: 2, disabled_at: NOW }, condition),
      ]);
      assert.deepEqual(outcomes.toSorted(), ['done', 'last_administrator']);
      const left = outcomes[0] === 'done' ? two : one;
      assert.equal(await tenant.accounts.delete(left, EVENT, true), 'last_administrator');
      assert.equal(await tenant.accounts.delete(left, EVENT), 'done');
    }),
  );
}

function sessionListContract(make: MakeEngine): void {
  test(
    'a list of sessions has those of its subject or client that have not expired, the latest first',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const client = aClient();
      const [ada, bob] = ['ada' as Subject, 'bob' as Subject];
      for (const [index, sub] of [ada, bob, ada, ada].entries()) {
        const sid = `sid${index}` as SessionId;
        const expires_at = index === 3 ? NOW : NOW + 600;
        await tenant.sessions.create(
          aSession(sub, { sid, created_at: NOW + index, expires_at }),
          NEW_SESSION,
        );
        if (index !== 2) await tenant.sessions.addClient(sid, client, NOW + index);
      }
      await other.sessions.create(aSession(ada), NEW_SESSION);
      const sids = async (filter: object, limit = 100): Promise<string> => {
        const list = async (range: ListRange) => await tenant.sessions.list({ now: NOW, ...filter }, range);
        const pages = await pagesOf(list, { limit, examined: 1000 });
        return pages.flatMap((rows) => rows.map(({ sid }) => sid)).join(' ');
      };
      for (const limit of [1, 2, 100]) {
        assert.equal(await sids({}, limit), 'sid2 sid1 sid0');
        assert.equal(await sids({ sub: ada }, limit), 'sid2 sid0');
        assert.equal(await sids({ client }, limit), 'sid1 sid0');
        assert.equal(await sids({ client, sub: ada }, limit), 'sid0');
      }
      assert.equal(await sids({ client: { ...client, instance: 'another' } }), '');
    }),
  );
}

function grantListContract(make: MakeEngine): void {
  test(
    'a list of grants has those of its subject or client that live, the latest first',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const [client, second, deleted] = times(3, () => aClient());
      assert.ok(client && second && deleted);
      for (const one of [client, second, deleted]) await tenant.clients.create(one, OPEN);
      await other.clients.create(client, OPEN);
      const make = async (id: string, of = client, values: object = {}): Promise<void> => {
        const grant = aGrant(of, { grant_id: id as GrantId, ...values });
        await tenant.grants.create(grant, aTokenOf(grant));
      };
      await make('g1');
      await make('g2', second);
      await make('g3', client, { sub: 'bob' });
      await make('g4', client, { expires_at: NOW });
      await make('g5', deleted);
      await make('g6', client, { expires_at: null, sid: 'sid' as SessionId });
      await tenant.clients.delete(deleted, EVENT);
      const ids = async (filter: object, limit = 100): Promise<string> => {
        const list = async (range: ListRange) => await tenant.grants.list({ now: NOW, ...filter }, range);
        const pages = await pagesOf(list, { limit, examined: 1000 });
        return pages.flatMap((rows) => rows.map(({ grant_id }) => grant_id)).join(' ');
      };
      for (const limit of [1, 2, 100]) {
        assert.equal(await ids({}, limit), 'g6 g3 g2 g1');
        assert.equal(await ids({ sub: 'alice' }, limit), 'g6 g2 g1');
        assert.equal(await ids({ client }, limit), 'g6 g3 g1');
        assert.equal(await ids({ client, sub: 'alice' }, limit), 'g6 g1');
      }
      const [listed] = (await tenant.grants.list({ now: NOW }, FIRST)).rows;
      assert.deepEqual(listed, await tenant.grants.find('g6' as GrantId));
    }),
  );
}

function consentListContract(make: MakeEngine): void {
  test(
    'a list of consents has those of its subject or client, and withdrawing one ends its grants',
    onEmptyStorage(make, async ({ tenant }) => {
      const [one, two] = times(2, (index) => aClient({ client_id: `c${index}` as never }));
      assert.ok(one && two);
      const [ada, bob] = ['ada' as Subject, 'bob' as Subject];
      for (const client of [one, two]) await tenant.clients.create(client, OPEN);
      const empty = { scope: ['openid'], claims: [], resources: [] };
      for (const [sub, { client_id, instance }] of [
        [ada, one],
        [ada, two],
        [bob, one],
      ] as const)
        await tenant.consents.grant({ sub, client_id, instance, ...empty }, NOW);
      const all = async (filter: object, limit = 100): Promise<string> => {
        const list = async (range: ListRange) => await tenant.consents.list(filter, range);
        const pages = await pagesOf(list, { limit, examined: 1000 });
        return pages.flatMap((rows) => rows.map(({ sub, client_id }) => `${sub}/${client_id}`)).join(' ');
      };
      for (const limit of [1, 2, 100]) {
        assert.equal(await all({}, limit), 'ada/c0 ada/c1 bob/c0');
        assert.equal(await all({ sub: ada }, limit), 'ada/c0 ada/c1');
        assert.equal(await all({ client: one }, limit), 'ada/c0 bob/c0');
        assert.equal(await all({ client: one, sub: bob }, limit), 'bob/c0');
      }
      const granted = [aGrant(one, { sub: ada }), aGrant(one, { sub: bob }), aGrant(two, { sub: ada })];
      const tokens = granted.map((grant) => aTokenOf(grant));
      for (const [index, grant] of granted.entries())
        await tenant.grants.create(grant, tokens[index] ?? assert.fail());
      const event = anEvent({ action: 'consent.withdraw', sub: ada });
      assert.equal(await tenant.consents.withdraw(ada, one, event), true);
      assert.equal(await tenant.consents.withdraw(ada, one, event), false);
      assert.equal(await all({}), 'ada/c1 bob/c0');
      const alive = await Promise.all(tokens.map(async ({ key }) => await tenant.accessTokens.find(key)));
      assert.deepEqual(
        alive.map((token) => token !== undefined),
        [false, true, true],
      );
      const events = (await tenant.audit.page(0, 1000)).filter(({ action }) => action === 'consent.withdraw');
      assert.equal(events.length, 1);
    }),
  );
}

function tokenListContract(make: MakeEngine): void {
  test(
    'a list of access tokens has those of its subject or client that live, the latest first',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const [client, second, deleted] = times(3, () => aClient());
      assert.ok(client && second && deleted);
      for (const one of [client, second, deleted]) await tenant.clients.create(one, OPEN);
      await other.clients.create(client, OPEN);
      const key = (name: string): AccessTokenKey => name as AccessTokenKey;
      const issue = async (name: string, of = client, values: object = {}): Promise<void> => {
        await tenant.accessTokens.issue(aToken(of, { key: key(name), ...values }));
      };
      await issue('t1');
      await issue('t2', client, { sub: 'ada' });
      await issue('t3', second, { sub: 'ada' });
      await issue('t4', deleted, { sub: 'ada' });
      await issue('t5', client, { sub: 'ada', expires_at: NOW });
      const grant = aGrant(client, { sub: 'ada' });
      await tenant.grants.create(grant, aTokenOf(grant, { key: key('t6'), sub: 'ada' }));
      await other.accessTokens.issue(aToken(client, { key: key('t7'), sub: 'ada' }));
      await tenant.clients.delete(deleted, EVENT);
      const keys = async (filter: object, limit = 100): Promise<string> => {
        const list = async (range: ListRange) =>
          await tenant.accessTokens.list({ now: NOW, ...filter }, range);
        const pages = await pagesOf(list, { limit, examined: 1000 });
        return pages.flatMap((rows) => rows.map((token) => token.key)).join(' ');
      };
      for (const limit of [1, 2, 100]) {
        assert.equal(await keys({}, limit), 't6 t3 t2 t1');
        assert.equal(await keys({ sub: 'ada' }, limit), 't6 t3 t2');
        assert.equal(await keys({ client }, limit), 't6 t2 t1');
        assert.equal(await keys({ client, sub: 'ada' }, limit), 't6 t2');
      }
      const [listed] = (await tenant.accessTokens.list({ now: NOW }, FIRST)).rows;
      assert.deepEqual(listed, aTokenOf(grant, { key: key('t6'), sub: 'ada' }));
    }),
  );
}
