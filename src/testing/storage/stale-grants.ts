import assert from 'node:assert/strict';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { Refreshing, StoredGrant } from '../../ports/grant-store.ts';
import type { Digest } from '../../spec/identifiers.ts';
import { type Choices, RecordModel } from './answer-model.ts';
import {
  ask,
  change,
  type ModelledGrant,
  type ModelledToken,
  type Subject,
  type World,
} from './stale-world.ts';
import { aGrant, aTokenOf, NOW } from './stored-examples.ts';

const TOKENS_PER_CLIENT = 6;
const GRANTS_PER_CLIENT = 3;

/** Older ones are not asked for any more. */
export function remember(subject: Subject, token: ModelledToken): void {
  subject.tokens = [...subject.tokens.slice(1 - TOKENS_PER_CLIENT), token];
}

const living = (subject: Subject): readonly ModelledGrant[] =>
  subject.grants.filter(({ model }) => model.latest !== undefined);

export async function lookUpGrant(world: World, choose: Choices): Promise<void> {
  const { grants } = choose.among(world.subjects);
  if (grants.length === 0) return;
  const { grant_id, model } = choose.among(grants);
  await ask(world, model, choose, (cached) => cached.grants.find(grant_id));
}

export async function revoke(world: World, choose: Choices, subject: Subject): Promise<void> {
  const tokens = subject.tokens.filter(({ model }) => model.latest !== undefined);
  if (tokens.length === 0) return;
  const { token, model } = choose.among(tokens);
  const { accessTokens } = choose.among(world.views).cached;
  await change([[model, undefined]], true, () => accessTokens.revoke(token.key, NOW));
}

export async function grant(world: World, choose: Choices, subject: Subject): Promise<void> {
  const client = subject.model.latest;
  if (client === undefined) return;
  const stored = aGrant(client, { sub: subject.client_id });
  const token = aTokenOf(stored);
  const granted = { grant_id: stored.grant_id, model: new RecordModel<StoredGrant>() };
  const issued = { token, model: new RecordModel<StoredAccessToken>() };
  subject.grants = [...subject.grants.slice(1 - GRANTS_PER_CLIENT), granted];
  remember(subject, issued);
  const { grants } = choose.among(world.views).cached;
  granted.model.begin(stored);
  await change([[issued.model, token]], undefined, () => grants.create(stored, token));
  granted.model.acknowledge();
}

function aUse(world: World, stored: StoredGrant, presented: Digest): Refreshing {
  world.serial += 1;
  const next = { digest: `digest${world.serial}` as Digest, expires_at: NOW + 3600 };
  const { grant_id, expires_at } = stored;
  return { grant_id, presented, next, expires_at, token: aTokenOf(stored), now: NOW };
}

export async function refresh(world: World, choose: Choices, subject: Subject): Promise<void> {
  const candidates = living(subject);
  if (candidates.length === 0) return;
  const { model } = choose.among(candidates);
  const stored = model.latest;
  assert.ok(stored?.refresh_token !== null && stored !== undefined);
  const use = aUse(world, stored, stored.refresh_token.digest);
  const issued = { token: use.token, model: new RecordModel<StoredAccessToken>() };
  remember(subject, issued);
  const { grants } = choose.among(world.views).cached;
  model.begin({ ...stored, refresh_token: use.next });
  await change([[issued.model, use.token]], 'refreshed', () => grants.refresh(use));
  model.acknowledge();
}

/** Presents a refresh token that is no longer valid. */
export async function reuse(world: World, choose: Choices, subject: Subject): Promise<void> {
  await ending(choose, subject, 'reused', (stored) => {
    const { grants } = choose.among(world.views).cached;
    return grants.refresh(aUse(world, stored, 'an old one' as Digest));
  });
}

export async function endGrant(world: World, choose: Choices, subject: Subject): Promise<void> {
  const { grants } = choose.among(world.views).cached;
  await ending(choose, subject, true, ({ grant_id }) => grants.end(grant_id));
}

async function ending(
  choose: Choices,
  subject: Subject,
  expected: unknown,
  end: (stored: StoredGrant) => Promise<unknown>,
): Promise<void> {
  const candidates = living(subject);
  if (candidates.length === 0) return;
  const { grant_id, model } = choose.among(candidates);
  const stored = model.latest;
  assert.ok(stored !== undefined);
  const tokens = subject.tokens.filter(({ token }) => token.grant_id === grant_id);
  for (const token of tokens) token.model.begin(undefined);
  await change([[model, undefined]], expected, () => end(stored));
  for (const token of tokens) token.model.acknowledge();
}

/** Everything that the client's end-user has granted, also to what the client was before. */
export async function endGrantsOfSubject(world: World, choose: Choices, subject: Subject): Promise<void> {
  const { grants } = choose.among(world.views).cached;
  const ended = [...subject.grants, ...subject.tokens.filter(({ token }) => token.grant_id !== null)];
  for (const { model } of ended) model.begin(undefined);
  await grants.endAllOf(subject.client_id);
  for (const { model } of ended) model.acknowledge();
}
