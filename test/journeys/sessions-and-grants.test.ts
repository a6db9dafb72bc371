import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { StoredGrant } from '../../src/ports/grant-store.ts';
import type { StoredSession } from '../../src/ports/session-store.ts';
import type { Storage, TenantStorage } from '../../src/ports/storage.ts';
import { DEFAULT_TENANT, type Digest } from '../../src/spec/identifiers.ts';
import {
  aDigest,
  anAccount,
  anInteraction,
  aSession,
  NEW_SESSION,
} from '../../src/testing/storage/end-user-examples.ts';
import { aClient, aGrant, aTokenOf, EVENT, OPEN } from '../../src/testing/storage/stored-examples.ts';
import { openProgramStorage } from '../program/storage-place.ts';
import { one, registryCommands } from './registry-commands.ts';

/** The operator lists and ends an end-user's sessions and grants, and sees the claims of an account. */
const folder = mkdtempSync(join(tmpdir(), 'chancery-open-'));
const registry = registryCommands(folder);
const account = anAccount({ claims: '{"name":"Ada","email":"ada@example.com"}' });
const client = aClient();
let storage: Storage;
let tenant: TenantStorage;

before(async () => {
  await registry.run('accounts', 'list').catch(() => undefined);
  storage = await openProgramStorage(folder);
  tenant = storage.forTenant(DEFAULT_TENANT);
  await tenant.accounts.create(account, EVENT);
  await tenant.clients.create(client, OPEN);
});
after(async () => {
  await storage.close();
  rmSync(folder, { recursive: true });
});

async function aSignedInSession(): Promise<StoredSession> {
  const now = Math.floor(Date.now() / 1000);
  const times = {
    auth_time: now,
    created_at: now,
    last_seen_at: now,
    expires_at: now + 900,
    ends_at: now + 900,
  };
  const session = aSession(account.sub, times);
  await tenant.sessions.create(session, { ...NEW_SESSION, now });
  await tenant.sessions.addClient(session.sid, client, now);
  return session;
}

async function aLiveGrant(values: Partial<StoredGrant> = {}): Promise<StoredGrant> {
  const authorization = JSON.stringify({ scope: ['openid', 'email'], audience: [] });
  const grant = aGrant(client, { sub: account.sub, authorization, expires_at: null, ...values });
  await tenant.grants.create(grant, aTokenOf(grant));
  return grant;
}

test('sessions list, end: one by its name, or all; their grants end, their clients are to be told, and the audit knows', async () => {
  const sessions = [await aSignedInSession(), await aSignedInSession(), await aSignedInSession()];
  const [first, second, third] = sessions;
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const ending = await aLiveGrant({ sid: first.sid });
  const listed = await registry.json('sessions', 'list', account.username);
  assert.deepEqual(new Set(listed.map(({ sid }) => sid)), new Set(sessions.map(({ sid }) => sid)));
  assert.deepEqual(listed[0]?.['clients'], [client.client_id]);
  assert.ok((await registry.run('sessions', 'list', account.username)).includes(first.sid));
  const ended = await one(registry.json('sessions', 'end', account.username, first.sid));
  assert.deepEqual(ended, { sub: account.sub, ended: [first.sid], untold: [] });
  assert.equal(await tenant.sessions.find(first.key), undefined);
  assert.equal(await tenant.grants.find(ending.grant_id), undefined);
  assert.equal((await tenant.logoutNotifications.page(undefined, 10)).length, 1);
  assert.equal(await registry.run('sessions', 'end', '--sub', account.sub), 'ended 2 sessions\n');
  assert.deepEqual(await tenant.sessions.ofSubject(account.sub), []);
  const ends = (await registry.audit()).filter(({ action }) => action === 'session.end');
  assert.equal(ends.length, 3);
  assert.deepEqual([ends[0]?.actor, ends[0]?.sub, ends[0]?.detail], ['cli', account.sub, `sid ${first.sid}`]);
});

test('sessions end names the clients that a command cannot tell, because they have a frontchannel_logout_uri only', async () => {
  const uris = { frontchannel_logout_uri: 'https://rp.example/out' };
  const back = { backchannel_logout_uri: 'https://rp.example/back' };
  const front = aClient({ metadata: JSON.stringify(uris) });
  const both = aClient({ metadata: JSON.stringify({ ...uris, ...back }) });
  for (const each of [front, both]) await tenant.clients.create(each, OPEN);
  for (const end of ['text', 'json']) {
    const session = await aSignedInSession();
    for (const each of [front, both]) await tenant.sessions.addClient(session.sid, each, session.created_at);
    const words = ['sessions', 'end', account.username, session.sid];
    if (end === 'json') assert.deepEqual((await one(registry.json(...words)))['untold'], [front.client_id]);
    else
      assert.match(
        await registry.run(...words),
        new RegExp(
          `^ended 1 session\\nnot told, .* frontchannel_logout_uri only, .*: ${front.client_id}\\n$`,
        ),
      );
  }
});

test('grants list, revoke: what clients may do, without a token; one by its name, or all', async () => {
  const [first, second] = [await aLiveGrant(), await aLiveGrant()];
  await aLiveGrant({ expires_at: 1 });
  const listed = await registry.json('grants', 'list', account.username);
  assert.deepEqual(
    new Set(listed.map(({ grant_id }) => grant_id)),
    new Set([first.grant_id, second.grant_id]),
  );
  assert.deepEqual(listed[0]?.['scope'], ['openid', 'email']);
  assert.doesNotMatch(JSON.stringify(listed), /digest/);
  assert.ok((await registry.run('grants', 'list', account.username)).includes('openid email'));
  await one(registry.json('grants', 'revoke', account.username, first.grant_id));
  assert.equal(await tenant.grants.find(first.grant_id), undefined);
  assert.deepEqual(await tenant.grants.find(second.grant_id), second);
  await registry.run('grants', 'revoke', '--sub', account.sub);
  assert.deepEqual(await tenant.grants.ofSubject(account.sub), []);
  const event = (await registry.audit()).find(({ action }) => action === 'grant.end');
  assert.deepEqual([event?.actor, event?.client_id], ['cli', client.client_id]);
});

test('a session or grant of another end-user, an unknown name: 1, and one line; no name at all: 2', async () => {
  for (const words of [
    ['sessions', 'end', account.username, 'sid'],
    ['grants', 'revoke', account.username, 'grant'],
    ['grants', 'list', 'nobody'],
  ]) {
    const { how, stderr } = await registry.attempt(...words);
    assert.equal(how, 1, words.join(' '));
    assert.match(stderr, /^[^\n]+\n$/u);
  }
  for (const words of [
    ['sessions', 'list'],
    ['grants', 'revoke'],
    ['sessions', 'end', '--sub', '', 'x'],
  ])
    assert.equal((await registry.attempt(...words)).how, 2, words.join(' '));
});

test('accounts update: claims are given, changed and taken away; sessions and grants go on', async () => {
  const session = await aSignedInSession();
  const changes = ['--email', 'new@example.com', '--claim', 'email_verified=true', '--remove-claim', 'name'];
  await registry.run('accounts', 'update', account.username, ...changes);
  const shown = await one(registry.json('accounts', 'show', account.username));
  assert.deepEqual(shown['claims'], { email: 'new@example.com', email_verified: true });
  assert.deepEqual(await tenant.sessions.find(session.key), session);
  assert.equal((await registry.attempt('accounts', 'update', account.username)).how, 2);
  const refused = await registry.attempt('accounts', 'update', account.username, '--claim', 'sub=x');
  assert.deepEqual([refused.how, /reserved for the server/u.test(refused.stderr)], [1, true]);
  const event = (await registry.audit()).find(({ action }) => action === 'account.update');
  assert.deepEqual([event?.sub, event?.detail], [account.sub, 'claims']);
});

test('requests list, refuse: an operator sees what waits for people without a browser, and refuses it once', async () => {
  const now = Math.floor(Date.now() / 1000);
  const backchannel = { id: 'request-1', binding_message: 'Order 4711', address: '192.0.2.7' };
  const asked = { id: backchannel.id, client_id: client.client_id, client_instance: client.instance };
  const request = {
    ...asked,
    key: 'key' as Digest,
    person: 'person' as Digest,
    sub: account.sub,
    state: 'open',
    code: null,
    poll_interval: 5,
    content: JSON.stringify({ mode: 'poll', request: { scope: ['openid'], backchannel } }),
    created_at: now,
    expires_at: now + 600,
    kept_until: now + 600,
    attempts: 0,
    due_at: null,
    problem: null,
  } as const;
  await tenant.backchannelRequests.begin(request, { perPerson: 9, perClient: 9 }, EVENT);
  const listed = await one(registry.json('requests', 'list'));
  assert.deepEqual(
    [listed['sub'], listed['state'], listed['binding_message']],
    [account.sub, 'open', 'Order 4711'],
  );
  assert.match(await registry.run('requests', 'list'), /request-1 .* open .* Order 4711/u);
  await registry.run('requests', 'refuse', 'request-1');
  assert.equal((await tenant.backchannelRequests.find(request.key))?.state, 'denied');
  const again = await registry.attempt('requests', 'refuse', 'request-1');
  assert.deepEqual([again.how, /no request waits under the id request-1/u.test(again.stderr)], [1, true]);
  const event = (await registry.audit()).find(({ action }) => action === 'backchannel.deny');
  assert.deepEqual([event?.sub, event?.client_id], [account.sub, client.client_id]);
});

test('devices list, refuse: an operator sees which devices wait, and refuses one once', async () => {
  const { client_id, instance: client_instance } = client;
  const user_code = aDigest();
  const asked = { scope: ['films'], address: '192.0.2.7', user_code };
  const waiting = { client_id, client_instance, interval: 5, asked };
  const expires_at = Math.floor(Date.now() / 1000) + 600;
  const device = anInteraction({ kind: 'device', expires_at, content: JSON.stringify(waiting) });
  await tenant.interactions.begin(device);
  await tenant.interactions.begin(anInteraction({ kind: 'user-code', key: user_code, expires_at }));
  const id = `request-${device.key}`;
  assert.match(
    await registry.run('devices', 'list'),
    new RegExp(`${id} .* open .* 192\\.0\\.2\\.7 .* films`, 'u'),
  );
  await registry.run('devices', 'refuse', id);
  assert.equal((await one(registry.json('devices', 'list')))['state'], 'denied');
  const again = await registry.attempt('devices', 'refuse', id);
  assert.deepEqual([again.how, /no device waits under the id request-/u.test(again.stderr)], [1, true]);
  const event = (await registry.audit()).find(({ action }) => action === 'device.deny');
  assert.equal(event?.client_id, client_id);
});
