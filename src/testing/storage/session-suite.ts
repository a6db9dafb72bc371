import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionId, Subject } from '../../spec/identifiers.ts';
import { aDigest, anAccount, aSession, NEW_SESSION } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, anEvent, EVENT, NOW, times } from './stored-examples.ts';

const ADA = 'ada' as Subject;
const BOB = 'bob' as Subject;

export function sessionContract(make: MakeEngine): void {
  storedContract(make);
  eventContract(make);
  replacementContract(make);
  raceContract(make);
  limitContract(make);
  clientsContract(make);
  endContract(make);
}

function eventContract(make: MakeEngine): void {
  test(
    'a session and the event of its sign-in are stored together, or neither',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const event = anEvent({
        action: 'session.create',
        sub: ADA,
        address: '2001:db8::7',
        user_agent: 'B/1',
      });
      const refused = await tenant.sessions.create(aSession(ADA), {
        ...NEW_SESSION,
        accountVersion: 7,
        event,
      });
      assert.deepEqual(refused, { outcome: 'account_changed' });
      assert.deepEqual(await tenant.audit.page(0, 9), []);
      await tenant.sessions.create(aSession(ADA), { ...NEW_SESSION, event });
      const [recorded, ...more] = await tenant.audit.page(0, 9);
      assert.deepEqual([recorded, more], [{ ...event, sequence: recorded?.sequence }, []]);
      assert.deepEqual(await other.audit.page(0, 9), []);
    }),
  );
}

function storedContract(make: MakeEngine): void {
  test(
    'a session is found by its key, its sid and its subject, in its own tenant only',
    onEmptyStorage(make, async ({ engine, tenant, other }) => {
      const session = aSession(ADA, { acr: 'urn:level:2', amr: ['pwd', 'otp'] });
      const creation = await tenant.sessions.create(session, NEW_SESSION);
      assert.deepEqual(creation, { outcome: 'created', session, ended: [] });
      await onSecondView(engine, async (second) => {
        assert.deepEqual(await second.sessions.find(session.key), session);
        assert.deepEqual(await second.sessions.findBySid(session.sid), session);
        assert.deepEqual(await second.sessions.ofSubject(ADA), [session]);
      });
      assert.equal(await tenant.sessions.findBySid(session.key as string as SessionId), undefined);
      assert.equal(await other.sessions.find(session.key), undefined);
      assert.equal(await other.sessions.findBySid(session.sid), undefined);
      assert.deepEqual(await other.sessions.ofSubject(ADA), []);
    }),
  );

  test(
    'use moves the end of a session on, never back and never beyond its absolute end',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const session = aSession(ADA);
      await tenant.sessions.create(session, NEW_SESSION);
      assert.equal(await tenant.sessions.touch(session.key, NOW + 60, NOW + 660), true);
      assert.equal(await tenant.sessions.touch(session.key, NOW + 30, NOW + 630), true);
      assert.equal(await other.sessions.touch(session.key, NOW + 90, NOW + 690), false);
      const touched = await tenant.sessions.find(session.key);
      assert.deepEqual(touched, { ...session, last_seen_at: NOW + 60, expires_at: NOW + 660 });
      await tenant.sessions.touch(session.key, NOW + 3500, NOW + 4100);
      assert.equal((await tenant.sessions.find(session.key))?.expires_at, session.ends_at);
    }),
  );

  test(
    'sweeping removes expired sessions of its own tenant, the oldest first, with their clients',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const sessions = times(3, (index) => aSession(ADA, { expires_at: NOW - 3 + index }));
      const live = aSession(ADA, { expires_at: NOW });
      for (const session of [...sessions, live]) {
        await tenant.sessions.create(session, NEW_SESSION);
        await tenant.sessions.addClient(session.sid, aClient(), NOW);
      }
      await other.sessions.create(aSession(ADA, { expires_at: NOW - 3 }), NEW_SESSION);
      assert.equal(await tenant.sessions.sweepExpired(NOW, 2), 2);
      assert.notEqual(await tenant.sessions.find(sessions[2]?.key ?? aDigest()), undefined);
      assert.equal(await tenant.sessions.sweepExpired(NOW, 2), 1);
      assert.equal(await tenant.sessions.sweepExpired(NOW, 2), 0);
      const [swept] = sessions;
      assert.ok(swept !== undefined);
      assert.deepEqual(await tenant.sessions.clients(swept.sid), []);
      assert.equal((await tenant.sessions.clients(live.sid)).length, 1);
      assert.equal((await other.sessions.ofSubject(ADA)).length, 1);
    }),
  );
}

function replacementContract(make: MakeEngine): void {
  test(
    'the same end-user signs in again: the old key is dead, and sid and clients go on',
    onEmptyStorage(make, async ({ tenant }) => {
      const [old, client] = [aSession(ADA), aClient()];
      await tenant.sessions.create(old, NEW_SESSION);
      await tenant.sessions.addClient(old.sid, client, NOW + 1);
      const again = aSession(ADA, { auth_time: NOW + 60 });
      const conditions = { ...NEW_SESSION, replaces: old.key, now: NOW + 60 };
      const kept = { ...again, sid: old.sid };
      assert.deepEqual(await tenant.sessions.create(again, conditions), {
        outcome: 'created',
        session: kept,
        ended: [],
      });
      assert.equal(await tenant.sessions.find(old.key), undefined);
      assert.deepEqual(await tenant.sessions.findBySid(old.sid), kept);
      assert.deepEqual(
        (await tenant.sessions.clients(old.sid)).map(({ client_id }) => client_id),
        [client.client_id],
      );
    }),
  );

  test(
    'if another subject signs in, or the old session had expired, it ends with its clients, and the sid is new',
    onEmptyStorage(make, async ({ tenant }) => {
      const [adas, expired, client] = [aSession(ADA), aSession(BOB, { expires_at: NOW }), aClient()];
      await tenant.sessions.create(adas, NEW_SESSION);
      await tenant.sessions.addClient(adas.sid, client, NOW);
      const bobs = aSession(BOB);
      const first = await tenant.sessions.create(bobs, { ...NEW_SESSION, replaces: adas.key });
      const clients = [{ ...pick(client), first_used_at: NOW, last_used_at: NOW }];
      assert.deepEqual(first, { outcome: 'created', session: bobs, ended: [{ ...adas, clients }] });
      assert.equal(await tenant.sessions.find(adas.key), undefined);
      assert.deepEqual(await tenant.sessions.clients(bobs.sid), []);

      await tenant.sessions.create(expired, NEW_SESSION);
      const anew = aSession(BOB);
      const second = await tenant.sessions.create(anew, { ...NEW_SESSION, replaces: expired.key });
      assert.deepEqual(second, { outcome: 'created', session: anew, ended: [{ ...expired, clients: [] }] });
    }),
  );
}

function raceContract(make: MakeEngine): void {
  test(
    'of two sign-ins at once that replace one session, one goes on with its sid',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const old = aSession(ADA);
      await tenant.sessions.create(old, NEW_SESSION);
      await onSecondView(engine, async (second) => {
        const conditions = { ...NEW_SESSION, replaces: old.key };
        const creations = await Promise.all(
          [tenant, second].map((view) => view.sessions.create(aSession(ADA), conditions)),
        );
        const sids = creations.map((creation) => creation.outcome === 'created' && creation.session.sid);
        assert.equal(sids.filter((sid) => sid === old.sid).length, 1);
        assert.equal((await tenant.sessions.ofSubject(ADA)).length, 2);
      });
    }),
  );

  test(
    'an account that was changed after the password check gets no session, and keeps its old ones',
    onEmptyStorage(make, async ({ tenant }) => {
      const account = anAccount();
      await tenant.accounts.create(account, EVENT);
      const old = aSession(account.sub);
      const conditions = { ...NEW_SESSION, accountVersion: 1 };
      assert.equal((await tenant.sessions.create(old, conditions)).outcome, 'created');
      const stale = { ...conditions, accountVersion: 2, replaces: old.key };
      const refused = { outcome: 'account_changed' };
      assert.deepEqual(await tenant.sessions.create(aSession(account.sub), stale), refused);
      assert.deepEqual(await tenant.sessions.create(aSession(BOB), conditions), refused);
      assert.deepEqual(await tenant.sessions.ofSubject(account.sub), [old]);
    }),
  );
}

const pick = ({ client_id, instance }: ReturnType<typeof aClient>) => ({ client_id, instance });

function limitContract(make: MakeEngine): void {
  test(
    'of more sessions than a subject may have, the ones not seen for longest end; the new one never does',
    onEmptyStorage(make, async ({ tenant }) => {
      const sessions = times(4, (index) => aSession(ADA, { last_seen_at: NOW + index }));
      for (const session of sessions) await tenant.sessions.create(session, NEW_SESSION);
      const bobs = aSession(BOB, { last_seen_at: NOW - 60 });
      await tenant.sessions.create(bobs, NEW_SESSION);
      const oldest = aSession(ADA, { last_seen_at: NOW - 1 });
      const creation = await tenant.sessions.create(oldest, { ...NEW_SESSION, sessionsMax: 3 });
      assert.equal(creation.outcome, 'created');
      assert.deepEqual(
        creation.ended.map(({ key }) => key),
        [sessions[1]?.key, sessions[0]?.key],
      );
      assert.deepEqual(await tenant.sessions.ofSubject(ADA), [sessions[3], sessions[2], oldest]);
      assert.deepEqual(await tenant.sessions.ofSubject(BOB), [bobs]);
    }),
  );
}

function clientsContract(make: MakeEngine): void {
  test(
    'clients that took part are listed once each, with their first and last use',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const [session, first, second] = [aSession(ADA), aClient(), aClient()];
      await tenant.sessions.create(session, NEW_SESSION);
      assert.equal(await tenant.sessions.addClient(session.sid, first, NOW), true);
      assert.equal(await tenant.sessions.addClient(session.sid, second, NOW + 1), true);
      assert.equal(await tenant.sessions.addClient(session.sid, first, NOW + 9), true);
      assert.equal(await tenant.sessions.addClient(session.sid, first, NOW + 5), true);
      assert.equal(await other.sessions.addClient(session.sid, first, NOW), false);
      assert.deepEqual(await tenant.sessions.clients(session.sid), [
        { ...pick(first), first_used_at: NOW, last_used_at: NOW + 9 },
        { ...pick(second), first_used_at: NOW + 1, last_used_at: NOW + 1 },
      ]);
      assert.deepEqual(await other.sessions.clients(session.sid), []);
    }),
  );

  test(
    'no client is noted for a session that is gone',
    onEmptyStorage(make, async ({ tenant }) => {
      const session = aSession(ADA);
      await tenant.sessions.create(session, NEW_SESSION);
      await tenant.sessions.end(session.key);
      assert.equal(await tenant.sessions.addClient(session.sid, aClient(), NOW), false);
      assert.deepEqual(await tenant.sessions.clients(session.sid), []);
      assert.equal(await tenant.sessions.touch(session.key, NOW, NOW + 600), false);
    }),
  );
}

function endContract(make: MakeEngine): void {
  test(
    'of fifty that end one session at once, over two views, one gets it; then neither view finds it',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const [session, client] = [aSession(ADA), aClient()];
      await tenant.sessions.create(session, NEW_SESSION);
      await tenant.sessions.addClient(session.sid, client, NOW);
      await onSecondView(engine, async (second) => {
        assert.deepEqual(await second.sessions.find(session.key), session);
        const views = [tenant, second];
        const ended = await Promise.all(
          times(50, (index) => (views[index % 2] ?? tenant).sessions.end(session.key)),
        );
        const clients = [{ ...pick(client), first_used_at: NOW, last_used_at: NOW }];
        assert.deepEqual(
          ended.filter((one) => one !== undefined),
          [{ ...session, clients }],
        );
        for (const view of views) assert.equal(await view.sessions.find(session.key), undefined);
      });
    }),
  );

  test(
    'all sessions of a subject end at once, but for the one that is named; other subjects and tenants keep theirs',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const [one, two, three] = [aSession(ADA), aSession(ADA), aSession(ADA)];
      const [bobs, others] = [aSession(BOB), aSession(ADA)];
      for (const session of [one, two, three, bobs]) await tenant.sessions.create(session, NEW_SESSION);
      await other.sessions.create(others, NEW_SESSION);
      const ended = await tenant.sessions.endAllOf(ADA, two.key);
      assert.deepEqual(new Set(ended.map(({ key }) => key)), new Set([one.key, three.key]));
      assert.deepEqual(await tenant.sessions.ofSubject(ADA), [two]);
      assert.equal((await tenant.sessions.endAllOf(ADA)).length, 1);
      assert.deepEqual(await tenant.sessions.endAllOf(ADA), []);
      assert.deepEqual(await tenant.sessions.find(bobs.key), bobs);
      assert.deepEqual(await other.sessions.find(others.key), others);
    }),
  );
}
