import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredClient } from '../ports/client-store.ts';
import type { TenantStorage } from '../ports/storage.ts';
import { ProcessCaches } from '../spec/caches.ts';
import type { ClientInstance } from '../spec/identifiers.ts';
import { ampleCaches } from '../testing/caches.ts';
import {
  deleteRemotely,
  type RemoteCall,
  type RemoteState,
  type RemoteVerb,
  remoteStorage,
  replaceRemotely,
} from '../testing/storage/remote-storage.ts';
import { aClient, aServerKey, aToken, times } from '../testing/storage/stored-examples.ts';
import { type RecordCacheLimits, withRecordCache } from './record-cache.ts';

const ROOMY = { clients: 1000, accessTokens: 1000 };

interface Scene {
  readonly state: RemoteState;
  readonly cached: TenantStorage;
  /** How many calls of the verb there were. */
  readonly count: (verb: RemoteVerb) => number;
  /** From now on calls of this verb are left to the test. */
  readonly hold: (verb: RemoteVerb) => void;
  /** From now on calls of this verb fail; of none without one. */
  readonly breakDown: (verb?: RemoteVerb) => void;
  /** The last call of the verb. */
  readonly held: (verb: RemoteVerb) => RemoteCall;
}

/** Calls are answered at once, except for those that the test holds or breaks. */
function scene(limits: RecordCacheLimits = ROOMY, caches = ampleCaches()): Scene {
  const calls: RemoteCall[] = [];
  const holding = new Set<RemoteVerb>();
  let broken: RemoteVerb | undefined;
  const { storage, state } = remoteStorage((call) => {
    calls.push(call);
    if (call.verb === broken) call.fail(new Error('no connection'));
    else if (!holding.has(call.verb)) call.arrive();
  });
  return {
    state,
    cached: withRecordCache(storage, limits, caches),
    count: (verb) => calls.filter((call) => call.verb === verb).length,
    hold: (verb) => void holding.add(verb),
    breakDown: (verb) => {
      broken = verb;
    },
    held: (verb) => {
      const call = calls.findLast((made) => made.verb === verb);
      assert.ok(call, `no call of ${verb}`);
      return call;
    },
  };
}

const there = (state: RemoteState, client: StoredClient = aClient()): StoredClient => {
  state.clients.set(client.client_id, client);
  return client;
};

test('a record is read once, and again after its client was changed or ended', async () => {
  const { state, cached, count } = scene();
  const client = there(state);
  const find = (): unknown => cached.clients.find(client.client_id);
  assert.deepEqual(await find(), client);
  assert.equal(await find(), await find());
  assert.equal(count('clients.find'), 1);
  const second = { ...client, version: 2 };
  replaceRemotely(state, second);
  assert.deepEqual(await find(), second);
  assert.deepEqual(await find(), second);
  assert.equal(count('clients.find'), 2);
  deleteRemotely(state, second);
  assert.equal(await find(), undefined);
});

test('a token is not found once its client is, and one of an id that was registered again is', async () => {
  const { state, cached, count } = scene();
  const client = there(state);
  const token = aToken(client);
  const foreign = aToken();
  for (const each of [token, foreign]) state.tokens.set(each.key, each);
  assert.deepEqual(await cached.accessTokens.find(token.key), token);
  assert.deepEqual(await cached.accessTokens.find(foreign.key), foreign);
  deleteRemotely(state, client);
  const successor = there(state, aClient({ client_id: client.client_id }));
  const heir = aToken(successor);
  state.tokens.set(heir.key, heir);
  assert.equal(await cached.accessTokens.find(token.key), undefined);
  assert.deepEqual(await cached.accessTokens.find(heir.key), heir);
  const before = count('accessTokens.find');
  assert.deepEqual(await cached.accessTokens.find(foreign.key), foreign);
  assert.equal(count('accessTokens.find'), before, 'a token without a client outlives the end of a client');
});

test('an ended token is not found any more, and others of its client still are without being read', async () => {
  const { state, cached, count } = scene();
  const client = there(state);
  const [one, other] = [aToken(client), aToken(client)];
  for (const token of [one, other]) state.tokens.set(token.key, token);
  await cached.accessTokens.find(one.key);
  await cached.accessTokens.find(other.key);
  state.tokens.delete(one.key);
  state.changes.push({ kind: 'access-token-ended', key: one.key });
  assert.equal(await cached.accessTokens.find(one.key), undefined);
  const before = count('accessTokens.find');
  assert.deepEqual(await cached.accessTokens.find(other.key), other);
  assert.equal(count('accessTokens.find'), before);
});

test('an exchanged token is not found any more once a client before it has ended, though the journal names the client alone', async () => {
  const { state, cached } = scene();
  const [own, first, other] = [there(state), there(state), there(state)];
  const token = aToken(own, { via: `${other.instance} ${first.instance}` });
  state.tokens.set(token.key, token);
  assert.deepEqual(await cached.accessTokens.find(token.key), token);
  deleteRemotely(state, first);
  assert.equal(await cached.accessTokens.find(token.key), undefined);
});

test('server keys are read once, as the same array, and again in the very next question after they were changed', async () => {
  const { state, cached, count } = scene();
  const all = (): unknown => cached.serverKeys.all();
  assert.deepEqual(await all(), []);
  state.serverKeys = [aServerKey()];
  assert.deepEqual(await all(), state.serverKeys, 'that there are none is not kept');
  assert.equal(await all(), await all());
  assert.equal(count('serverKeys.all'), 2);
  state.serverKeys = [aServerKey(), aServerKey()];
  state.changes.push({ kind: 'server-keys-changed' });
  assert.deepEqual(await all(), state.serverKeys);
  replaceRemotely(state, there(state));
  await all();
  assert.equal(count('serverKeys.all'), 3, 'other changes do not concern them');
});

test('server keys as of the last reading ask no journal, and follow the next look-up of anything', async () => {
  const { state, cached, count } = scene();
  state.serverKeys = [aServerKey()];
  await cached.serverKeys.all();
  const before = count('head');
  const known = (): unknown => cached.serverKeys.all('last-reading');
  assert.equal(await known(), await known());
  assert.equal(count('head'), before);
  const former = state.serverKeys;
  state.serverKeys = [aServerKey()];
  state.changes.push({ kind: 'server-keys-changed' });
  assert.deepEqual(await known(), former);
  await cached.clients.find(aClient().client_id);
  assert.deepEqual(await known(), state.serverKeys);
});

test('server keys that were read before a change, and arrive after it was learnt, are not kept', async () => {
  const { state, cached, hold, held } = scene();
  state.serverKeys = [aServerKey()];
  hold('serverKeys.all');
  const asked = cached.serverKeys.all();
  await nextTurn();
  const late = held('serverKeys.all');
  late.execute();
  state.serverKeys = [aServerKey()];
  state.changes.push({ kind: 'server-keys-changed' });
  await cached.clients.find(aClient().client_id);
  late.arrive();
  await asked;
  const again = cached.serverKeys.all();
  await nextTurn();
  held('serverKeys.all').arrive();
  assert.deepEqual(await again, state.serverKeys);
});

test('that something is not there is not kept: what is registered elsewhere is found at once', async () => {
  const { state, cached } = scene();
  const client = aClient();
  const token = aToken(client);
  assert.equal(await cached.clients.find(client.client_id), undefined);
  assert.equal(await cached.accessTokens.find(token.key), undefined);
  // Creation and issuing are not in the journal.
  there(state, client);
  state.tokens.set(token.key, token);
  assert.deepEqual(await cached.clients.find(client.client_id), client);
  assert.deepEqual(await cached.accessTokens.find(token.key), token);
});

test('a record that was read before a change that is learnt meanwhile is answered, but not kept', async () => {
  const { state, cached, hold, held, count } = scene();
  const client = there(state);
  hold('clients.find');
  const early = cached.clients.find(client.client_id);
  await nextTurn();
  const slow = held('clients.find');
  slow.execute();
  const second = { ...client, version: 2 };
  replaceRemotely(state, second);
  // Another request learns of the change while the old record is being read.
  await cached.accessTokens.find(aToken().key);
  slow.arrive();
  assert.deepEqual(await early, client);
  const later = cached.clients.find(client.client_id);
  await nextTurn();
  held('clients.find').arrive();
  assert.deepEqual(await later, second);
  assert.equal(count('clients.find'), 2);
});

test('readings of the journal do not overtake each other: an old one that arrives last does not hide a change', async () => {
  const { state, cached, hold, held } = scene();
  const client = there(state);
  await cached.clients.find(client.client_id);
  hold('head');
  const first = cached.clients.find(client.client_id);
  await nextTurn();
  const old = held('head');
  old.execute();
  replaceRemotely(state, { ...client, version: 2 });
  // Began after the change: must not be answered by the reading that was executed before it.
  const second = cached.clients.find(client.client_id);
  await nextTurn();
  assert.equal(held('head'), old);
  old.arrive();
  await first;
  await nextTurn();
  assert.notEqual(held('head'), old);
  held('head').arrive();
  assert.equal((await second)?.version, 2);
});

test('what memory lacks is asked for beside the journal, in one round trip; what it has waits for the journal', async () => {
  const { state, cached, hold, held, count } = scene();
  const [client, token, other] = [there(state), aToken(), aToken()];
  for (const each of [token, other]) state.tokens.set(each.key, each);
  await cached.clients.find(client.client_id);
  hold('head');
  let answered = false;
  const find = async (): Promise<void> => {
    await cached.clients.find(client.client_id);
    answered = true;
  };
  const fromMemory = find();
  assert.deepEqual(await cached.accessTokens.find(token.key), token, 'the journal has not answered');
  assert.equal(answered, false);
  held('head').arrive();
  await fromMemory;
  // Ended before the question, and this process was not told: neither the kept record nor its absence may decide.
  state.tokens.delete(token.key);
  state.changes.push({ kind: 'access-token-ended', key: token.key });
  const late = Promise.resolve(cached.accessTokens.find(token.key));
  assert.deepEqual(await cached.accessTokens.find(other.key), other);
  held('head').arrive();
  assert.equal(await late, undefined);
  assert.equal(count('accessTokens.find'), 3);
});

test('a record that comes into memory while another question for it waits does not answer that one: it may have ended between them', async () => {
  const { state, cached, hold, held, count } = scene();
  const token = aToken();
  state.tokens.set(token.key, token);
  await cached.clients.find(aClient().client_id);
  for (const verb of ['head', 'accessTokens.find'] as const) hold(verb);
  const early = Promise.resolve(cached.accessTokens.find(token.key));
  await nextTurn();
  const [head, find] = [held('head'), held('accessTokens.find')];
  for (const call of [head, find]) call.execute();
  state.tokens.delete(token.key);
  state.changes.push({ kind: 'access-token-ended', key: token.key });
  const late = Promise.resolve(cached.accessTokens.find(token.key));
  find.arrive();
  assert.deepEqual(await early, token);
  head.arrive();
  await nextTurn();
  assert.equal(count('accessTokens.find'), 2);
  held('accessTokens.find').arrive();
  held('head').arrive();
  assert.equal(await late, undefined);
});

for (const verb of ['head', 'since'] as const) {
  test(`nothing is answered from memory while the journal cannot be read (${verb}), and what comes after is right`, async () => {
    const { state, cached, breakDown } = scene();
    const client = there(state);
    const token = aToken(client);
    state.tokens.set(token.key, token);
    await cached.clients.find(client.client_id);
    await cached.accessTokens.find(token.key);
    const second = { ...client, version: 2 };
    replaceRemotely(state, second);
    breakDown(verb);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assert.rejects(async () => await cached.clients.find(client.client_id), /no connection/);
      await assert.rejects(async () => await cached.accessTokens.find(token.key), /no connection/);
    }
    breakDown();
    assert.deepEqual(await cached.clients.find(client.client_id), second);
    deleteRemotely(state, second);
    assert.equal(await cached.accessTokens.find(token.key), undefined);
  });
}

async function keptOf({ cached, count }: Scene, clients: readonly StoredClient[]): Promise<number> {
  for (const client of clients) await cached.clients.find(client.client_id);
  const before = count('clients.find');
  for (const client of clients.toReversed()) await cached.clients.find(client.client_id);
  return clients.length - (count('clients.find') - before);
}

test('records beyond the limit in records are forgotten', async () => {
  const made = scene({ clients: 20, accessTokens: 20 });
  const kept = await keptOf(
    made,
    times(100, () => there(made.state)),
  );
  assert.ok(kept >= 10 && kept <= 20, `${kept} records`);
});

test('H-310 records beyond the memory of the cache are forgotten, however few, and one that is too large is not kept', async () => {
  const caches = new ProcessCaches(5 * 1024 * 1024);
  const made = scene({ clients: undefined, accessTokens: undefined }, caches);
  const large = times(100, () => there(made.state, aClient({ data: 'x'.repeat(100_000) })));
  const kept = await keptOf(made, large);
  assert.ok(kept >= 10 && kept <= 20, `${kept} records of 100 KB in 2 MiB`);
  const figures = caches.figures().find(({ name }) => name === 'clients');
  assert.ok(figures !== undefined && figures.bytes <= figures.bytesMax && figures.bytes > 1_000_000);
  const huge = there(made.state, aClient({ data: 'x'.repeat(2_000_000) }));
  assert.equal(await keptOf(made, [huge]), 0);
  assert.deepEqual(await made.cached.clients.find(huge.client_id), huge);
});

test('after more ends of clients than are remembered, tokens of the first one are still not found', async () => {
  const { state, cached } = scene();
  const client = there(state);
  const token = aToken(client);
  state.tokens.set(token.key, token);
  await cached.accessTokens.find(token.key);
  deleteRemotely(state, client);
  assert.equal(await cached.accessTokens.find(token.key), undefined);
  for (let round = 0; round < 25; round += 1) {
    for (let index = 0; index < 500; index += 1) {
      const instance = `${round}-${index}` as ClientInstance;
      state.changes.push({ kind: 'client-ended', client_id: client.client_id, instance });
    }
    assert.equal(await cached.accessTokens.find(token.key), undefined, `round ${round}`);
  }
});
