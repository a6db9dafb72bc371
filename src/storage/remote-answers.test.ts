import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { StoredClient } from '../ports/client-store.ts';
import { ampleCaches } from '../testing/caches.ts';
import { type Choices, choices, RecordModel } from '../testing/storage/answer-model.ts';
import {
  deleteRemotely,
  type RemoteCall,
  remoteStorage,
  replaceRemotely,
} from '../testing/storage/remote-storage.ts';
import { aClient, aToken, times } from '../testing/storage/stored-examples.ts';
import { type RecordCacheLimits, withRecordCache } from './record-cache.ts';

const SEED = Number(process.env['STALE_ANSWERS_SEED'] ?? Date.now() % 1_000_000);
const QUESTIONS = 10_000;
const WALKERS = 8;

/** Executes and answers after some turns each, so that calls overtake each other; now and then one fails. */
async function slowly(call: RemoteCall, choose: Choices): Promise<void> {
  // A record on its way for long is overtaken by readings of the journal.
  const [before, after] = [choose.below(4), choose.below(call.verb.endsWith('find') ? 40 : 6)];
  for (let turn = 0; turn < before; turn += 1) await nextTurn();
  if (choose.below(200) === 0) return call.fail(new Error('no connection'));
  call.execute();
  for (let turn = 0; turn < after; turn += 1) await nextTurn();
  call.arrive();
}

/** Caches with room for all, and caches that are full nearly always: then a token enters at the second time only. */
for (const [what, limits] of [
  ['with room for all', { clients: 100, accessTokens: 10_000 }],
  ['that are full', { clients: 3, accessTokens: 3 }],
] as const)
  test(`a remote store whose answers overtake each other and fail, caches ${what}: no answer is older than its question`, async () => {
    const { evictions } = await searched(limits);
    assert.equal(evictions > 10, what === 'that are full', `${evictions} evictions`);
  });

async function searched(limits: RecordCacheLimits): Promise<{ readonly evictions: number }> {
  const choose = choices(SEED);
  const caches = ampleCaches();
  const { storage, state } = remoteStorage((call) => void slowly(call, choose));
  const cached = withRecordCache(storage, limits, caches);
  const records = times(10, () => ({
    client: new RecordModel<StoredClient>(),
    token: new RecordModel<StoredAccessToken>(),
    client_id: aClient().client_id,
    key: aToken().key,
  }));
  let [left, failures, seen] = [QUESTIONS, 0, 0];

  /** Another process registers, changes or deletes; it is done at once, and known to be. */
  const change = (record: (typeof records)[number]): void => {
    const { client, client_id } = record;
    const present = client.latest;
    if (present === undefined) {
      const created = aClient({ client_id });
      const issued = aToken(created);
      // A token's key is never issued twice. The former one is not there any more, nor asked for after this.
      record.key = issued.key;
      record.token = new RecordModel<StoredAccessToken>();
      state.clients.set(client_id, created);
      state.tokens.set(issued.key, issued);
      client.begin(created);
      record.token.begin(issued);
    } else if (choose.below(2) === 0) {
      const changed = { ...present, version: present.version + 1 };
      replaceRemotely(state, changed);
      client.begin(changed);
    } else {
      deleteRemotely(state, present);
      client.begin(undefined);
      record.token.begin(undefined);
    }
    client.acknowledge();
    record.token.acknowledge();
  };
  const question = async (record: (typeof records)[number]): Promise<void> => {
    const [judgeClient, judgeToken] = [record.client.question(), record.token.question()];
    if (choose.below(2) === 0) judgeClient(await cached.clients.find(record.client_id));
    else judgeToken(await cached.accessTokens.find(record.key));
    seen += 1;
  };
  const walk = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const record = choose.among(records);
      if (choose.below(10) === 0) change(record);
      await question(record).catch((error: unknown) => {
        if ((error as Error).message !== 'no connection') throw new Error(`seed ${SEED}`, { cause: error });
        failures += 1;
      });
    }
  };
  await Promise.all(times(WALKERS, walk));
  assert.ok(failures > 10 && seen > QUESTIONS / 2, `${failures} failures, ${seen} answers`);
  const tokens = caches.figures().find(({ name }) => name === 'access-tokens');
  return { evictions: tokens?.evictions ?? 0 };
}
