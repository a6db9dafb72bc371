import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Storage } from '../../ports/storage.ts';
import type { ClientId, ClientInstance } from '../../spec/identifiers.ts';
import { type RecordCacheLimits, withRecordCache } from '../../storage/record-cache.ts';
import { ampleCaches } from '../caches.ts';
import { type Choices, choices, RecordModel } from './answer-model.ts';
import {
  endGrant,
  endGrantsOfSubject,
  grant,
  lookUpGrant,
  refresh,
  remember,
  reuse,
  revoke,
} from './stale-grants.ts';
import {
  type Act,
  ask,
  change,
  exclusively,
  type ModelledToken,
  type Place,
  type Subject,
  type View,
  type World,
} from './stale-world.ts';
import { aClient, aToken, EVENT, LABEL, OPEN, TENANT, times } from './stored-examples.ts';

/** A longer search: `STALE_ANSWERS_ACTS=1000000`; the same again: `STALE_ANSWERS_SEED`, printed on failure. */
const ACTS = Number(process.env['STALE_ANSWERS_ACTS'] ?? 90_000);
const SEED = Number(process.env['STALE_ANSWERS_SEED'] ?? Date.now() % 1_000_000);

/** The number of concurrent actors. It is lower than the number of records, so that most records are free. */
const WALKERS = 8;
const CLIENTS = 12;
/**
 * A cache with room for all, and one that is full nearly always: records come and go, and a token enters only when it is asked about
 * for the second time (`src/spec/digest-map.ts`).
 */
const LIMITS = [
  { clients: 1000, accessTokens: 1000 },
  { clients: 4, accessTokens: 6 },
] as const;

/**
 * Processes with caches of their own act and ask at once, on one place: no answer is older than its question.
 * @param share of the acts that this place does; one that is far away does fewer
 */
export function staleAnswers(name: string, makePlace: () => Promise<Place>, share: number): void {
  test(`${name}: no answer is older than its question`, { timeout: 3_600_000 }, async () => {
    const place = await makePlace();
    const world = await openWorld(place);
    try {
      let left = Math.ceil(ACTS * share);
      const walk = async (walker: number): Promise<void> => {
        const choose = choices(SEED * 100 + walker);
        while (left > 0) {
          left -= 1;
          await act(world, choose);
        }
      };
      await Promise.all(times(WALKERS, walk)).catch((cause: unknown) => {
        throw new Error(`seed ${SEED}: ${(cause as Error).message}`, { cause });
      });
      for (const view of world.views) noteEvictions(world, view);
      requireVariety(world, ACTS * share);
    } finally {
      for (const view of world.views) await view.storage.close();
      await place.remove();
    }
  });
}

async function openWorld(place: Place): Promise<World> {
  const views: View[] = [];
  for (const open of place.processes) {
    const storage = await open();
    const limits = LIMITS[views.length % LIMITS.length] ?? LIMITS[0];
    views.push({ ...opened(storage, limits), limits, open });
  }
  const subjects = times(CLIENTS, (index) => {
    const client_id = `client${index}` as ClientId;
    return { client_id, model: new RecordModel<StoredClient>(), tokens: [], grants: [], busy: false };
  });
  return { place, views, subjects, initials: [], counts: new Map(), serial: 0 };
}

/** Opens the records of a process with a cache of its own. */
function opened(storage: Storage, limits: RecordCacheLimits): Pick<View, 'storage' | 'cached' | 'caches'> {
  const caches = ampleCaches();
  return { storage, caches, cached: withRecordCache(storage.forTenant(TENANT), limits, caches) };
}

const evicted = (name: string): string => `${name} evicted`;

/** Counts what a process had to evict. A record enters a cache that is full in another way than one with room. */
function noteEvictions({ counts }: World, { caches }: View): void {
  for (const { name, evictions } of caches.figures()) {
    const what = evicted(name);
    counts.set(what, (counts.get(what) ?? 0) + evictions);
  }
}

/** How often, and what. */
const ACT_ROWS: readonly (readonly [weight: number, name: string, act: Act])[] = [
  [30, 'introspect', introspect],
  [25, 'authenticate', authenticate],
  [8, 'introspect initial', introspectInitial],
  [6, 'issue', exclusively(issue)],
  [6, 'update', exclusively(update)],
  [4, 'delete', exclusively(end)],
  [6, 'register', exclusively(register)],
  [4, 'revoke', exclusively(revoke)],
  [4, 'grant', exclusively(grant)],
  [6, 'refresh', exclusively(refresh)],
  [3, 'reuse', exclusively(reuse)],
  [2, 'end grant', exclusively(endGrant)],
  [1, 'end grants of subject', exclusively(endGrantsOfSubject)],
  [6, 'look up grant', lookUpGrant],
  [3, 'issue initial', issueInitial],
  [2, 'revoke initial', revokeInitial],
  [2, 'crash in the middle', crashInTheMiddle],
  [0.1, 'reopen', reopen],
];

const ACT_TABLE: readonly (readonly [name: string, act: Act])[] = ACT_ROWS.flatMap(([weight, name, act]) =>
  times(weight * 10, () => [name, act] as const),
);

async function act(world: World, choose: Choices): Promise<void> {
  const [name, chosen] = choose.among(ACT_TABLE);
  await chosen(world, choose);
  world.counts.set(name, (world.counts.get(name) ?? 0) + 1);
  // Where in the event loop the next act happens: the same callback, the same turn, the next one, from a timer.
  const pause = choose.below(8);
  if (pause === 1) await Promise.resolve();
  if (pause === 2) await new Promise<void>((resolve) => process.nextTick(resolve));
  if (pause >= 3 && pause <= 5) await nextTurn();
  if (pause === 6) await sleep(0);
}

function requireVariety({ counts }: World, acts: number): void {
  for (const [weight, name] of ACT_ROWS) {
    const least = Math.min(10, acts / 1000);
    if (weight >= 1) assert.ok((counts.get(name) ?? 0) > least, `${name}: ${counts.get(name)}`);
  }
  // Otherwise no record entered a cache that was full.
  for (const name of ['clients', 'access-tokens']) {
    const count = counts.get(evicted(name)) ?? 0;
    assert.ok(count > Math.min(10, acts / 1000), `${evicted(name)}: ${count}`);
  }
  for (const name of ['seen', 'seen to be gone']) {
    assert.ok((counts.get(name) ?? 0) > Math.min(500, acts / 40), `${name}: ${counts.get(name)}`);
  }
}

async function authenticate(world: World, choose: Choices): Promise<void> {
  const { client_id, model } = choose.among(world.subjects);
  await ask(world, model, choose, (cached) => cached.clients.find(client_id));
}

async function introspect(world: World, choose: Choices): Promise<void> {
  const { tokens } = choose.among(world.subjects);
  if (tokens.length === 0) return;
  const { token, model } = choose.among(tokens);
  await ask(world, model, choose, (cached) => cached.accessTokens.find(token.key));
}

async function introspectInitial(world: World, choose: Choices): Promise<void> {
  if (world.initials.length === 0) return;
  const { token, model } = choose.among(world.initials);
  await ask(world, model, choose, (cached) => cached.accessTokens.find(token.key));
}

/** With an initial access token if there is one to be had, which ends by it. */
async function register(world: World, choose: Choices, { client_id, model }: Subject): Promise<void> {
  if (model.latest !== undefined) return;
  world.serial += 1;
  const client = aClient({ client_id, instance: `instance${world.serial}` as ClientInstance });
  const initial = choose.below(2) === 0 ? takeInitial(world, choose) : undefined;
  const conditions = { ...OPEN, reuseDeletedId: true };
  const { clients } = choose.among(world.views).cached;
  model.begin(client);
  initial?.model.begin(undefined);
  const outcome = await clients.create(
    client,
    initial === undefined ? conditions : { ...conditions, initialAccessToken: initial.token.key },
  );
  assert.equal(outcome, 'created');
  model.acknowledge();
  initial?.model.acknowledge();
}

async function update(world: World, choose: Choices, { model }: Subject): Promise<void> {
  const client = model.latest;
  if (client === undefined) return;
  const view = choose.among(world.views);
  const changed = { ...client, version: client.version + 1, metadata: `{"secret":${choose.below(1e9)}}` };
  await change([[model, changed]], 'done', () => view.cached.clients.replace(changed, client.version, EVENT));
  // The author of a change sees it in the same callback that reports it.
  const judge = model.question();
  judge(await view.cached.clients.find(client.client_id));
}

async function end(world: World, choose: Choices, { model, tokens, grants }: Subject): Promise<void> {
  const client = model.latest;
  if (client === undefined) return;
  const { clients } = choose.among(world.views).cached;
  const ending = [...tokens, ...grants];
  for (const each of ending) each.model.begin(undefined);
  await change([[model, undefined]], 'done', () => clients.delete(client, EVENT));
  for (const each of ending) each.model.acknowledge();
}

async function issue(world: World, choose: Choices, subject: Subject): Promise<void> {
  const client = subject.model.latest;
  if (client === undefined) return;
  const token = aToken(client);
  const model = new RecordModel<StoredAccessToken>();
  remember(subject, { token, model });
  const { accessTokens } = choose.among(world.views).cached;
  await change([[model, token]], undefined, () => accessTokens.issue(token));
}

async function issueInitial(world: World, choose: Choices): Promise<void> {
  const token = aToken();
  const model = new RecordModel<StoredAccessToken>();
  const { accessTokens } = choose.among(world.views).cached;
  await change([[model, token]], undefined, () => accessTokens.issueInitial(token, LABEL, EVENT));
  // Ended ones stay for a while, to be asked for.
  world.initials = [...world.initials.slice(-20), { token, model }];
}

function takeInitial(world: World, choose: Choices): ModelledToken | undefined {
  const usable = world.initials.filter(({ model }) => model.latest !== undefined);
  return usable.length === 0 ? undefined : choose.among(usable);
}

async function revokeInitial(world: World, choose: Choices): Promise<void> {
  const initial = takeInitial(world, choose);
  if (initial === undefined) return;
  const { accessTokens } = choose.among(world.views).cached;
  await change([[initial.model, undefined]], true, () =>
    accessTokens.revokeInitial(initial.token.key, EVENT),
  );
}

/** Ends a process before its commit. No reader may have seen its change. */
async function crashInTheMiddle({ place, subjects }: World, choose: Choices): Promise<void> {
  await place.crash(choose.among(subjects).client_id);
}

/** A process is started again while its predecessor finishes: it knows nothing, and what it was told is there. */
async function reopen(world: World, choose: Choices): Promise<void> {
  const view = choose.among(world.views);
  const storage = await view.open();
  const old = view.storage;
  noteEvictions(world, view);
  Object.assign(view, opened(storage, view.limits));
  await world.place.retire(old);
}
