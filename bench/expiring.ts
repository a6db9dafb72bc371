import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredAccessToken } from '../src/ports/access-token-store.ts';
import type { Ours } from './ours.ts';
import { sqlitePlace } from './place.ts';
import { anotherLike } from './seed.ts';

/** Longer than a row takes to insert. */
const INSERTION_S = 40e-6;
const LEAD_S = 10;

/** Tokens that expire one after the other while a load runs. */
export interface Expiring {
  /** Tokens that expire in a second. */
  readonly rate: number;
  readonly seconds: number;
}

/** Inserts the tokens, and resolves when the first is about to expire. Nothing asks about one of them. */
export async function addExpiring({ program, client }: Ours, expiring: Expiring): Promise<void> {
  const { rate, seconds } = expiring;
  const from = Math.ceil(Date.now() / 1000 + rate * seconds * INSERTION_S + LEAD_S);
  const { client_id, instance } = client;
  const claims = { active: true, iss: program.issuer, client_id, sub: client_id, jti: '' };
  const about = { scope: 'read write', token_type: 'Bearer', exp: from, iat: from };
  const example = {
    client_id,
    client_instance: instance,
    grant_id: null,
    introspection: JSON.stringify({ ...claims, ...about }),
  };
  await sqlitePlace(program.folder).insertTokens(expiringLike(example, expiring, from));
  if (Date.now() >= from * 1000) throw new Error('the first tokens expired before the last were stored');
  await sleep(from * 1000 - Date.now());
}

function* expiringLike(
  example: Omit<StoredAccessToken, 'key' | 'expires_at'>,
  { rate, seconds }: Expiring,
  from: number,
): Generator<StoredAccessToken> {
  for (let second = 0; second < seconds; second += 1)
    for (let count = 0; count < rate; count += 1)
      yield anotherLike({ ...example, expires_at: from + second });
}

/** Returns how many seconds ago the oldest token that is still stored expired. */
export function oldestExpired({ program }: Ours): number {
  const database = new DatabaseSync(join(program.folder, 'chancery.db'), { readOnly: true });
  try {
    const row = database.prepare('SELECT min(expires_at) AS oldest FROM access_token').get();
    return Math.max(0, Math.floor(Date.now() / 1000) - Number(row?.['oldest']));
  } finally {
    database.close();
  }
}
