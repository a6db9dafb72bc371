import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredClient } from '../../ports/client-store.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { Digest, Sealed, Subject } from '../../spec/identifiers.ts';
import { aDigest, anAccount, aSession, NEW_SESSION } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { addStream, aStream, fill, found, waiting } from './event-stream-examples.ts';
import {
  aClient,
  aCode,
  aGrant,
  anEvent,
  aTokenOf,
  EVENT,
  HARD_TEXTS,
  NOW,
  OPEN,
  OTHER_TENANT,
  occurrences,
  TENANT,
  times,
} from './stored-examples.ts';

const ADA = 'ada' as Subject;
const MANY = 100;

/** Streams of security events: what is kept of them, and which acts append to their outboxes. */
export function eventStreamContract(make: MakeEngine): void {
  keeping(make);
  subjects(make);
  sessions(make);
  grants(make);
  accounts(make);
  secrets(make);
}

function keeping(make: MakeEngine): void {
  test(
    'a stream comes back as it was stored, to its own tenant only, and its tenant is listed until the last one goes',
    onEmptyStorage(make, async ({ storage, tenant, other }) => {
      const values = { configuration: HARD_TEXTS[0] ?? '{}', sealed: 's' as Sealed, status_reason: 'r' };
      const { stream } = await addStream(tenant, { ...values, issuer: 'https://alias.example' });
      await addStream(other);
      assert.deepEqual(await found(tenant, stream), stream);
      assert.deepEqual(await tenant.eventStreams.ofClient(stream), [stream]);
      assert.deepEqual(await tenant.eventStreams.page(undefined, 1), [stream]);
      assert.deepEqual(await tenant.eventStreams.page(stream.id, 1), []);
      assert.equal(await other.eventStreams.find(stream.id), undefined);
      assert.deepEqual(
        (await storage.tenants.withEventStreams()).toSorted(),
        [TENANT, OTHER_TENANT].toSorted(),
      );
      await fill(tenant, stream, 2);
      assert.equal(await other.eventStreams.delete(stream.id, EVENT), false);
      assert.equal(await tenant.eventStreams.delete(stream.id, EVENT), true);
      assert.equal(await tenant.eventStreams.delete(stream.id, EVENT), false);
      assert.deepEqual(await waiting(tenant, stream), []);
      assert.deepEqual(await storage.tenants.withEventStreams(), [OTHER_TENANT]);
    }),
  );

  test(
    'a client gets as many streams as it may have, also at the same moment, and a client that is gone gets none',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      const made = await Promise.all(
        times(4, () => tenant.eventStreams.create(aStream(client), 2, anEvent({ action: 'stream.create' }))),
      );
      assert.equal(occurrences(made, true), 2);
      assert.equal((await tenant.eventStreams.ofClient(client)).length, 2);
      const events = await tenant.audit.page(0, MANY);
      assert.equal(events.filter(({ action }) => action === 'stream.create').length, 2);
      assert.equal(await tenant.eventStreams.create(aStream(aClient()), 2, EVENT), false);
    }),
  );

  changes(make);
}

function changes(make: MakeEngine): void {
  test(
    'of two changes of one version one succeeds with its event, and numbers and counts of the outbox stay',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const { stream } = await addStream(tenant);
      await fill(tenant, stream, 2);
      const changed = { ...stream, version: 2, configuration: '{"n":2}', method: 'poll' } as const;
      await onSecondView(engine, async (second) => {
        const event = anEvent({ detail: 'changed' });
        const done = await Promise.all(
          [tenant, second].map((each) => each.eventStreams.replace(changed, 1, { event })),
        );
        assert.equal(occurrences(done, true), 1);
      });
      const now = await found(tenant, stream);
      const kept = { ...changed, sequence: 2, held: 2, verified_at: NOW, due_at: null };
      assert.deepEqual(now, kept);
      const events = await tenant.audit.page(0, MANY);
      assert.equal(events.filter(({ detail }) => detail === 'changed').length, 1);
      const disabled = { ...now, version: 3, status: 'disabled' } as const;
      await tenant.eventStreams.replace(disabled, 2, { discards: true });
      assert.deepEqual(await waiting(tenant, stream), []);
      assert.equal((await found(tenant, stream)).held, 0);
      assert.equal((await tenant.audit.page(0, MANY)).length, events.length);
    }),
  );

  test(
    'the streams of a client that is gone are swept with their outboxes, and those of others stay',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client, stream } = await addStream(tenant);
      const { stream: other } = await addStream(tenant);
      await fill(tenant, stream, 1);
      await tenant.clients.delete(client, EVENT);
      assert.equal(await tenant.eventStreams.sweep(NOW, 10), 1);
      assert.equal(await tenant.eventStreams.sweep(NOW, 10), 0);
      assert.deepEqual(await tenant.eventStreams.page(undefined, MANY), [other]);
      assert.deepEqual(await waiting(tenant, stream), []);
    }),
  );
}

function subjects(make: MakeEngine): void {
  test(
    'a stream leaves out as many subjects as it may, each once, until they are taken in again or the stream goes',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const { stream } = await addStream(tenant);
      const { eventStreams } = tenant;
      const keys = ['b', 'a', 'c'] as unknown as readonly [Digest, Digest, Digest];
      const content = HARD_TEXTS[0] ?? '';
      for (const key of [...keys.slice(0, 2), keys[0]])
        assert.equal(await eventStreams.exclude(stream.id, { key, content }, 2), true);
      assert.equal(await eventStreams.exclude(stream.id, { key: keys[2], content }, 2), false);
      assert.deepEqual(
        await eventStreams.excluded(stream.id),
        [keys[1], keys[0]].map((key) => ({ key, content })),
      );
      assert.deepEqual(await other.eventStreams.excluded(stream.id), []);
      await eventStreams.include(stream.id, keys[0]);
      assert.equal((await eventStreams.excluded(stream.id)).length, 1);
      await eventStreams.delete(stream.id, EVENT);
      assert.deepEqual(await eventStreams.excluded(stream.id), []);
    }),
  );
}

async function signIn(tenant: TenantStorage, values: Partial<StoredSession> = {}): Promise<StoredSession> {
  const session = aSession(ADA, values);
  await tenant.sessions.create(session, NEW_SESSION);
  return session;
}

function sessions(make: MakeEngine): void {
  test(
    'the act that ends a session appends to the streams of the clients that took part, with its time and its actor',
    onEmptyStorage(make, async ({ engine, tenant, other }) => {
      const { client, stream } = await addStream(tenant);
      const { stream: absent } = await addStream(tenant);
      const { client: deaf, stream: unwanted } = await addStream(tenant, { events: 'credential-change' });
      const { client: off, stream: disabled } = await addStream(tenant, { status: 'disabled' });
      const { stream: foreign } = await addStream(other);
      const { sid, key } = await signIn(tenant);
      for (const each of [client, deaf, off]) await tenant.sessions.addClient(sid, each, NOW);
      const event = anEvent({ at: NOW + 5, action: 'session.end', actor: 'end-user', request_id: 'r1' });
      await tenant.sessions.end(key, event);
      await tenant.sessions.end(key, event);
      const told = { kind: 'session-revoked', at: NOW + 5, sub: ADA, sid, action: 'session.end' };
      await onSecondView(engine, async (second) =>
        assert.deepEqual(await waiting(second, stream), [{ ...told, actor: 'end-user', request_id: 'r1' }]),
      );
      for (const each of [absent, unwanted, disabled]) assert.deepEqual(await waiting(tenant, each), []);
      assert.deepEqual(await waiting(other, foreign), []);
      const { sequence, held, due_at } = await found(tenant, stream);
      assert.deepEqual([sequence, held, due_at], [1, 1, 0]);
      assert.equal(await tenant.eventStreams.nextDue(), 0);
    }),
  );

  test(
    'a session that makes way and one of another end-user are told, one that goes on or expires is not',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client, stream } = await addStream(tenant);
      const first = await signIn(tenant);
      await tenant.sessions.addClient(first.sid, client, NOW);
      const next = aSession(ADA);
      await tenant.sessions.create(next, { ...NEW_SESSION, replaces: first.key });
      assert.deepEqual(await waiting(tenant, stream), []);
      await tenant.sessions.create(aSession(ADA), { ...NEW_SESSION, sessionsMax: 1 });
      const replaced = await signIn(tenant);
      await tenant.sessions.addClient(replaced.sid, client, NOW);
      await tenant.sessions.create(aSession(), { ...NEW_SESSION, replaces: replaced.key });
      const expired = await signIn(tenant, { expires_at: NOW - 1 });
      await tenant.sessions.addClient(expired.sid, client, NOW);
      assert.equal(await tenant.sessions.sweepExpired(NOW, 10), 1);
      assert.deepEqual(
        (await waiting(tenant, stream)).map((told) => Reflect.get(told, 'sid') as unknown),
        [first.sid, replaced.sid],
      );
    }),
  );
}

function grants(make: MakeEngine): void {
  test(
    'a grant that ends with an event is told to its client, whichever act ends it; one that ends with its session is told once',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client, stream } = await addStream(tenant);
      const add = async (values = {}) => {
        const grant = aGrant(client, { sub: ADA, ...values });
        await tenant.grants.create(grant, aTokenOf(grant));
        return grant;
      };
      const count = async (): Promise<number> => (await waiting(tenant, stream)).length;
      await tenant.grants.end((await add()).grant_id);
      assert.equal(await count(), 0, 'a grant that has served no client yet');
      const ended = anEvent({ action: 'grant.end', actor: 'cli' });
      await tenant.grants.end((await add()).grant_id, ended);
      const { at, request_id } = ended;
      const told = { kind: 'session-revoked', at, sub: ADA, actor: 'cli', action: 'grant.end', request_id };
      assert.deepEqual(await waiting(tenant, stream), [told]);
      const { grant_id, refresh_token } = await add();
      const reused = { grant_id, presented: aDigest(), next: refresh_token ?? assert.fail(), now: NOW };
      const token = aTokenOf(aGrant(client));
      await tenant.grants.refresh({ ...reused, expires_at: null, token, onReuse: ended });
      assert.equal(await count(), 2, 'a refresh token that was used twice');
      const code = aCode(client);
      await tenant.authorizationCodes.issue(code);
      const given = aGrant(client, { sub: ADA });
      for (const event of [undefined, ended])
        await tenant.authorizationCodes.redeem(code.key, {
          grant: given,
          token: aTokenOf(given),
          onReuse: event,
        });
      assert.equal(await count(), 3, 'a code that was used twice');
      const consent = { sub: ADA, ...client, scope: ['read'], claims: [], resources: [] };
      await add();
      await add();
      await tenant.consents.withdraw(consent.sub, client, anEvent({ action: 'consent.withdraw' }));
      assert.equal(await count(), 4, 'two grants of one client and subject');
      const session = await signIn(tenant);
      await tenant.sessions.addClient(session.sid, client, NOW);
      await add({ sid: session.sid });
      await tenant.sessions.end(session.key, anEvent({ action: 'session.end' }));
      assert.equal(await count(), 5);
    }),
  );
}

function secrets(make: MakeEngine): void {
  test(
    'changed secrets are told to the streams of their client, alone and in a batch, if the change is stored; secrets that are sealed anew are not',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client, stream } = await addStream(tenant);
      const { stream: stranger } = await addStream(tenant);
      const event = anEvent({ action: 'client.secret', actor: 'cli' });
      const secret = (digest: string, expires_at = 0, sealed = 's' as Sealed) =>
        ({ digest: digest as Digest, sealed, created_at: NOW, expires_at }) as const;
      let version = client.version;
      const next = (...held: StoredClient['secrets']): StoredClient => {
        version += 1;
        return { ...client, version, secrets: held };
      };
      const change = async (...held: StoredClient['secrets']): Promise<void> =>
        assert.equal(await tenant.clients.replace(next(...held), version - 1, event, 3), 'done');
      await change(secret('one'));
      assert.equal(
        await tenant.clients.replace(next(secret('one', 0, 'new' as Sealed)), version - 1),
        'done',
      );
      await change(secret('one', 0, 'newer' as Sealed));
      const lost = { ...client, version: 7, secrets: [secret('lost')] };
      assert.equal(await tenant.clients.replace(lost, 99, event, 3), 'changed_meanwhile');
      await change(secret('two'), secret('one', NOW));
      const batch = { kind: 'replace', client: next(secret('two')), expectedVersion: version - 1 } as const;
      assert.deepEqual(await tenant.clients.changeTogether([{ ...batch, event, versionsMax: 3 }]), []);
      const { at, request_id } = event;
      const told = { kind: 'credential-change', credential_type: 'client-secret', at, request_id };
      const act = { ...told, actor: 'cli', action: 'client.secret' };
      assert.deepEqual(
        await waiting(tenant, stream),
        ['create', 'update', 'revoke'].map((change_type) => ({ ...act, change_type })),
      );
      assert.deepEqual(await waiting(tenant, stranger), []);
    }),
  );
}

function accounts(make: MakeEngine): void {
  test(
    'a change of an account is told to clients with a session or a grant of it, before these end, if the change is stored',
    onEmptyStorage(make, async ({ tenant }) => {
      const account = anAccount({ sub: ADA });
      await tenant.accounts.create(account, EVENT);
      const { client, stream } = await addStream(tenant);
      const { client: granted, stream: ofGranted } = await addStream(tenant);
      const { stream: stranger } = await addStream(tenant);
      const session = await signIn(tenant);
      await tenant.sessions.addClient(session.sid, client, NOW);
      const grant = aGrant(granted, { sub: ADA });
      await tenant.grants.create(grant, aTokenOf(grant));
      const signals = [{ kind: 'credential-change', sub: ADA, facts: { change: 'update' } }] as const;
      const event = anEvent({ action: 'account.update', actor: 'cli' });
      const changed = { ...account, version: 2 };
      const change = { expectedVersion: 7, endAll: true, event, signals };
      assert.equal(await tenant.accounts.replace(changed, change), 'changed_meanwhile');
      assert.deepEqual(await waiting(tenant, stream), []);
      await tenant.accounts.replace(changed, { ...change, expectedVersion: 1 });
      const { at, request_id } = event;
      const act = { at, sub: ADA, actor: 'cli', action: 'account.update', request_id };
      assert.deepEqual(await waiting(tenant, stream), [
        { kind: 'credential-change', change: 'update', ...act },
        { kind: 'session-revoked', sid: session.sid, ...act },
      ]);
      assert.deepEqual(await waiting(tenant, ofGranted), [
        { kind: 'credential-change', change: 'update', ...act },
        { kind: 'session-revoked', ...act },
      ]);
      assert.deepEqual(await waiting(tenant, stranger), []);
    }),
  );

  test(
    'the deletion of an account is told as the end of its sessions and grants',
    onEmptyStorage(make, async ({ tenant }) => {
      const account = anAccount({ sub: ADA });
      await tenant.accounts.create(account, EVENT);
      const { client, stream } = await addStream(tenant);
      const session = await signIn(tenant);
      await tenant.sessions.addClient(session.sid, client, NOW);
      await tenant.accounts.delete(account, anEvent({ action: 'account.delete' }));
      assert.deepEqual(
        (await waiting(tenant, stream)).map((told) => Reflect.get(told, 'action') as unknown),
        ['account.delete'],
      );
    }),
  );
}
