import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoginName, Subject } from '../../spec/identifiers.ts';
import { aDigest, anAccount, aSession, NEW_SESSION } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import {
  aClient,
  aGrant,
  anEvent,
  aTokenOf,
  EVENT,
  HARD_TEXTS,
  NOW,
  OPEN,
  occurrences,
  times,
} from './stored-examples.ts';

const named = (name: string) => name as LoginName;
const LATER = NOW + 600;

export function accountContract(make: MakeEngine): void {
  storedContract(make);
  racesContract(make);
  endsContract(make);
  browserContract(make);
}

function storedContract(make: MakeEngine): void {
  test(
    'an account is found by subject and by login name, in its own tenant only',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const account = anAccount();
      assert.equal(await tenant.accounts.create(account, EVENT), 'created');
      assert.deepEqual(await tenant.accounts.find(account.sub), account);
      assert.deepEqual(await tenant.accounts.findByLoginName(account.login_name), account);
      assert.equal(await tenant.accounts.findByLoginName(named(account.username)), undefined);
      assert.equal(await other.accounts.find(account.sub), undefined);
      assert.equal(await other.accounts.findByLoginName(account.login_name), undefined);
      assert.equal(await other.accounts.create(account, EVENT), 'created');
    }),
  );

  test(
    'texts of an account come back as they were given',
    onEmptyStorage(make, async ({ tenant }) => {
      for (const text of HARD_TEXTS) {
        const account = anAccount({ username: text, claims: text, password_hash: null, disabled_at: NOW });
        await tenant.accounts.create(account, EVENT);
        assert.deepEqual(await tenant.accounts.find(account.sub), account);
      }
    }),
  );

  test(
    'accounts are listed by login name, page by page',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const accounts = ['ada', 'bob', 'eve', 'éve'].map((name) => anAccount({ login_name: named(name) }));
      for (const account of accounts.toReversed()) await tenant.accounts.create(account, EVENT);
      await other.accounts.create(anAccount({ login_name: named('aaa') }), EVENT);
      assert.deepEqual(await tenant.accounts.page(undefined, 3), accounts.slice(0, 3));
      assert.deepEqual(await tenant.accounts.page(named('bob'), 3), accounts.slice(2));
      assert.deepEqual(await tenant.accounts.page(named('éve'), 3), []);
    }),
  );

  test(
    'a change needs the version it was made from, and is recorded with its event',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const account = anAccount();
      await tenant.accounts.create(account, EVENT);
      const changed = { ...account, version: 2, claims: '{}', disabled_at: NOW };
      const event = anEvent({ action: 'account.update' });
      const replacement = { expectedVersion: 1, endAll: false, event };
      assert.equal(await other.accounts.replace(changed, replacement), 'absent');
      assert.equal(await tenant.accounts.replace(changed, replacement), 'done');
      assert.equal(await tenant.accounts.replace(changed, replacement), 'changed_meanwhile');
      assert.deepEqual(await tenant.accounts.find(account.sub), changed);
      const events = (await tenant.audit.page(0, 10)).filter(({ action }) => action === 'account.update');
      assert.equal(events.length, 1);
      assert.equal(await tenant.accounts.delete(account, EVENT), 'changed_meanwhile');
      assert.equal(await tenant.accounts.delete(changed, EVENT), 'done');
      assert.equal(await tenant.accounts.delete(changed, EVENT), 'absent');
      assert.equal(await tenant.accounts.findByLoginName(account.login_name), undefined);
    }),
  );
}

function racesContract(make: MakeEngine): void {
  test(
    'of fifty accounts made at once with one login name, over two views, exactly one is there',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const outcomes = await Promise.all(
          times(50, (index) =>
            (index % 2 === 0 ? tenant : second).accounts.create(
              anAccount({ login_name: named('ada') }),
              EVENT,
            ),
          ),
        );
        assert.equal(occurrences(outcomes, 'created'), 1);
        assert.equal(occurrences(outcomes, 'login_name_taken'), 49);
        assert.equal((await tenant.accounts.page(undefined, 10)).length, 1);
      });
    }),
  );

  test(
    'a subject is given once, and a change cannot take the name of another account',
    onEmptyStorage(make, async ({ tenant }) => {
      const [ada, bob] = [anAccount(), anAccount()];
      await tenant.accounts.create(ada, EVENT);
      await tenant.accounts.create(bob, EVENT);
      assert.equal(await tenant.accounts.create(anAccount({ sub: ada.sub }), EVENT), 'sub_taken');
      const renamed = { ...bob, version: 2, login_name: ada.login_name };
      const replacement = { expectedVersion: 1, endAll: false };
      assert.equal(await tenant.accounts.replace(renamed, replacement), 'login_name_taken');
      assert.deepEqual(await tenant.accounts.find(bob.sub), bob);
      const own = { ...bob, version: 2, username: 'Bob' };
      assert.equal(await tenant.accounts.replace(own, replacement), 'done');
    }),
  );
}

function endsContract(make: MakeEngine): void {
  test(
    'a change that says so ends the sessions and grants of its account and forgets its browsers, and those of no other account',
    onEmptyStorage(make, async ({ tenant }) => {
      const [ada, bob] = [anAccount(), anAccount()];
      const [adas, bobs, browser] = [aSession(ada.sub), aSession(bob.sub), aDigest()];
      for (const account of [ada, bob]) {
        await tenant.accounts.create(account, EVENT);
        await tenant.accounts.rememberBrowser(account.sub, browser, LATER, 5);
      }
      for (const session of [adas, bobs]) await tenant.sessions.create(session, NEW_SESSION);
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      const [adasGrant, bobsGrant] = [ada, bob].map(({ sub }) => aGrant(client, { sub }));
      assert.ok(adasGrant !== undefined && bobsGrant !== undefined);
      const [adasToken, bobsToken] = [aTokenOf(adasGrant), aTokenOf(bobsGrant)];
      await tenant.grants.create(adasGrant, adasToken);
      await tenant.grants.create(bobsGrant, bobsToken);
      const second = { ...ada, version: 2 };
      await tenant.accounts.replace(second, { expectedVersion: 1, endAll: false });
      assert.deepEqual(await tenant.sessions.find(adas.key), adas);
      assert.deepEqual(await tenant.accessTokens.find(adasToken.key), adasToken);
      await tenant.accounts.replace({ ...second, version: 3 }, { expectedVersion: 2, endAll: true });
      assert.equal(await tenant.sessions.find(adas.key), undefined);
      assert.equal(await tenant.accounts.knowsBrowser(ada.sub, browser, NOW), false);
      assert.equal(await tenant.grants.find(adasGrant.grant_id), undefined);
      assert.equal(await tenant.accessTokens.find(adasToken.key), undefined);
      assert.deepEqual(await tenant.grants.find(bobsGrant.grant_id), bobsGrant);
      assert.deepEqual(await tenant.accessTokens.find(bobsToken.key), bobsToken);
      assert.deepEqual(await tenant.sessions.find(bobs.key), bobs);
      assert.equal(await tenant.accounts.knowsBrowser(bob.sub, browser, NOW), true);
    }),
  );

  test(
    'a deleted account leaves no session, no grant, no consent and no known browser',
    onEmptyStorage(make, async ({ tenant }) => {
      const [account, client, browser] = [anAccount(), aClient(), aDigest()];
      const session = aSession(account.sub);
      await tenant.accounts.create(account, EVENT);
      await tenant.clients.create(client, OPEN);
      await tenant.sessions.create(session, NEW_SESSION);
      await tenant.accounts.rememberBrowser(account.sub, browser, LATER, 5);
      const grant = aGrant(client, { sub: account.sub });
      await tenant.grants.create(grant, aTokenOf(grant));
      await tenant.consents.grant(
        { ...client, sub: account.sub, scope: ['openid'], claims: [], resources: [] },
        NOW,
      );
      assert.equal(await tenant.accounts.delete(account, EVENT), 'done');
      assert.equal(await tenant.sessions.find(session.key), undefined);
      assert.equal(await tenant.grants.find(grant.grant_id), undefined);
      assert.equal(await tenant.consents.find(account.sub, client), undefined);
      assert.equal(await tenant.accounts.knowsBrowser(account.sub, browser, NOW), false);
    }),
  );
}

function browserContract(make: MakeEngine): void {
  const sub = 'ada' as Subject;

  test(
    'a browser is known for one account, until it expires',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const browser = aDigest();
      await tenant.accounts.rememberBrowser(sub, browser, LATER, 5);
      await tenant.accounts.rememberBrowser(sub, browser, LATER - 100, 5);
      assert.equal(await tenant.accounts.knowsBrowser(sub, browser, LATER), true);
      assert.equal(await tenant.accounts.knowsBrowser(sub, browser, LATER + 1), false);
      assert.equal(await tenant.accounts.knowsBrowser(sub, aDigest(), NOW), false);
      assert.equal(await tenant.accounts.knowsBrowser('bob' as Subject, browser, NOW), false);
      assert.equal(await other.accounts.knowsBrowser(sub, browser, NOW), false);
    }),
  );

  test(
    'of more browsers than are kept the ones that expire first are forgotten; expired ones are swept',
    onEmptyStorage(make, async ({ tenant }) => {
      const browsers = times(5, aDigest);
      for (const [index, browser] of browsers.entries()) {
        await tenant.accounts.rememberBrowser(sub, browser, NOW + index, 3);
      }
      const known: boolean[] = [];
      for (const browser of browsers) known.push(await tenant.accounts.knowsBrowser(sub, browser, NOW));
      assert.deepEqual(known, [false, false, true, true, true]);
      assert.equal(await tenant.accounts.sweepExpired(NOW + 4, 1), 1);
      assert.equal(await tenant.accounts.sweepExpired(NOW + 4, 10), 1);
      assert.equal(await tenant.accounts.sweepExpired(NOW + 4, 10), 0);
    }),
  );
}
