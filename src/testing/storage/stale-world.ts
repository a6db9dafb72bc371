import assert from 'node:assert/strict';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { StoredGrant } from '../../ports/grant-store.ts';
import type { Storage, TenantStorage } from '../../ports/storage.ts';
import type { ProcessCaches } from '../../spec/caches.ts';
import type { ClientId, GrantId } from '../../spec/identifiers.ts';
import type { RecordCacheLimits } from '../../storage/record-cache.ts';
import type { Choices, RecordModel } from './answer-model.ts';

/** Where the data of the processes is. */
export interface Place {
  /** A storage as each of the processes has it. */
  readonly processes: readonly (() => Promise<Storage>)[];
  /** Closes what a process had open, once nothing is asked of it any more. */
  retire(storage: Storage): Promise<void>;
  /** Begins to end a client, as a process that dies before its commit. */
  crash(client_id: ClientId): Promise<void>;
  remove(): Promise<void>;
}

/** A process: a storage of its own on the same data, and a cache of its own. */
export interface View {
  storage: Storage;
  cached: TenantStorage;
  caches: ProcessCaches;
  readonly limits: RecordCacheLimits;
  readonly open: () => Promise<Storage>;
}

export interface ModelledToken {
  readonly token: StoredAccessToken;
  readonly model: RecordModel<StoredAccessToken>;
}

export interface ModelledGrant {
  readonly grant_id: GrantId;
  readonly model: RecordModel<StoredGrant>;
}

/** A client id with all its registrations, one after the other, and the tokens of the present and earlier ones. */
export interface Subject {
  readonly client_id: ClientId;
  readonly model: RecordModel<StoredClient>;
  tokens: ModelledToken[];
  /** Grants to the present and earlier ones, each with its tokens among those. */
  grants: ModelledGrant[];
  /** One change at a time, so that what is true is known; reading is free. */
  busy: boolean;
}

export interface World {
  readonly place: Place;
  readonly views: readonly View[];
  readonly subjects: readonly Subject[];
  initials: ModelledToken[];
  readonly counts: Map<string, number>;
  serial: number;
}

export type Act = (world: World, choose: Choices) => Promise<void>;

/** Puts the question to one process after the other: each has kept something else. */
export async function ask<Value>(
  world: World,
  model: RecordModel<Value>,
  choose: Choices,
  find: (cached: TenantStorage) => Value | undefined | Promise<Value | undefined>,
): Promise<void> {
  for (const { cached } of choose.below(2) === 0 ? world.views : world.views.toReversed()) {
    const judge = model.question();
    const answer = await find(cached);
    judge(answer);
    const what = answer === undefined ? 'seen to be gone' : 'seen';
    world.counts.set(what, (world.counts.get(what) ?? 0) + 1);
  }
}

export function exclusively(change: (world: World, choose: Choices, subject: Subject) => Promise<void>): Act {
  return async (world, choose) => {
    const subject = choose.among(world.subjects);
    if (subject.busy) return;
    subject.busy = true;
    await change(world, choose, subject);
    subject.busy = false;
  };
}

/** Begins all states, does it, and acknowledges them in the callback in which the caller would be told. */
export async function change<Value>(
  changing: readonly (readonly [RecordModel<Value>, Value | undefined])[],
  expected: unknown,
  perform: () => Promise<unknown>,
): Promise<void> {
  for (const [model, value] of changing) model.begin(value);
  assert.equal(await perform(), expected);
  for (const [model] of changing) model.acknowledge();
}
