import type { StoredServerKey } from '../ports/server-key-store.ts';
import type { KeyId } from '../spec/identifiers.ts';
import { keyState, kindOf } from './server-key.ts';
import {
  earliestActivation,
  isInUse,
  isKeyPair,
  jwkOf,
  type KeyChangeBy,
  type KeyLifeNeeds,
  keyEvent,
  lastOfTheirLines,
  makeAnother,
  type StoredKeyPair,
} from './server-key-life.ts';

const BY_SERVER: KeyChangeBy = { actor: 'server', request_id: 'keys' };

/**
 * Performs the key rotation that is due: removes retired keys after their retention and announces successors of old keys.
 * Every process runs it; if two do so at once, the store lets one of them succeed.
 */
export async function tendServerKeys(needs: KeyLifeNeeds): Promise<void> {
  const keys = await needs.store.all();
  for (const key of keys.filter((candidate) => hasOutlived(needs, candidate))) await removeKey(needs, key);
  for (const key of lastOfTheirLines(keys).filter((candidate) => isDue(needs, candidate))) {
    const active_at = Math.max(
      earliestActivation(needs, key.use),
      key.active_at + needs.settings.rotationInterval,
    );
    await announceSuccessor(needs, key, active_at, BY_SERVER);
  }
}

/** Tells whether everything that a retired key signed has expired. */
function hasOutlived({ clock, settings }: KeyLifeNeeds, { retired_at }: StoredServerKey): boolean {
  return retired_at !== null && retired_at + settings.retention <= clock.now();
}

async function removeKey(needs: KeyLifeNeeds, { kid, use }: StoredServerKey): Promise<void> {
  const event = keyEvent(needs, 'server-key.remove', kid, BY_SERVER);
  const removal = { at: needs.clock.now(), reason: 'superseded' } as const;
  if (await needs.store.remove(kid, removal, event)) needs.report('server-key.remove', { kid, use });
}

/** Tells whether a key needs a successor. Federation keys never rotate by the clock: superiors publish them, and an operator must tell them first. */
function isDue(needs: KeyLifeNeeds, key: StoredKeyPair): boolean {
  const { rotationInterval, announcement, configured } = needs.settings;
  if (rotationInterval === 0 || configured || key.use === 'federation') return false;
  const now = needs.clock.now();
  const ahead = key.use === 'sig' ? announcement : 0;
  return isInUse(key, now) && key.active_at + rotationInterval - ahead <= now;
}

/** Stores a successor and returns it; undefined if another process was faster. */
async function announceSuccessor(
  needs: KeyLifeNeeds,
  key: StoredKeyPair,
  active_at: number,
  by: KeyChangeBy,
): Promise<StoredServerKey | undefined> {
  const successor = await makeAnother(needs, key, { active_at, succeeds: key.kid });
  const action =
    keyState(successor, needs.clock.now()) === 'active' ? 'server-key.activate' : 'server-key.announce';
  if (!(await needs.store.succeed(successor, keyEvent(needs, action, successor.kid, by)))) return undefined;
  needs.report(action, successor);
  return successor;
}

export interface RotationRequest {
  readonly uses: readonly StoredServerKey['use'][];
  /** `RSA` or a curve; undefined for all kinds. */
  readonly kind: string | undefined;
  /** Skips the announcement. Verifiers may then see a signature of a key that they do not know yet. */
  readonly at_once: boolean;
}

export interface Rotated {
  readonly kid: KeyId;
  readonly use: StoredServerKey['use'];
  readonly kind: string;
  readonly succeeds: KeyId | null;
  readonly active_at: number;
  /** `known`: it was announced before, and nothing changes. */
  readonly change: 'announced' | 'activated' | 'known';
}

/** A successor that is not made yet. */
export type PlannedRotation = Omit<Rotated, 'kid'>;

/** Returns what `rotateServerKeys` would do now. */
export async function plannedRotation(
  needs: KeyLifeNeeds,
  request: RotationRequest,
): Promise<readonly PlannedRotation[]> {
  const now = needs.clock.now();
  return (await requestedKeys(needs, request)).map((key) => {
    const { use, kid, succeeds, active_at: announced } = key;
    const same = { use, kind: kindOf(jwkOf(key)) };
    if (keyState(key, now) === 'announced')
      return request.at_once
        ? { ...same, succeeds, active_at: now, change: 'activated' }
        : { ...same, succeeds, active_at: announced, change: 'known' };
    const active_at = request.at_once ? now : earliestActivation(needs, use);
    return { ...same, succeeds: kid, active_at, change: active_at <= now ? 'activated' : 'announced' };
  });
}

/** Returns the keys without a successor that a rotation is about. Configured keys never change. */
async function requestedKeys(
  { store, settings }: KeyLifeNeeds,
  { uses, kind }: RotationRequest,
): Promise<readonly StoredKeyPair[]> {
  return lastOfTheirLines(await store.all()).filter(
    (key) =>
      uses.includes(key.use) &&
      (kind === undefined || kind === kindOf(jwkOf(key))) &&
      !(settings.configured && key.use !== 'federation'),
  );
}

/** Gives each requested key a successor. An announced successor is not made again; with `at_once` it becomes active now. */
export async function rotateServerKeys(
  needs: KeyLifeNeeds,
  request: RotationRequest,
  by: KeyChangeBy,
): Promise<readonly Rotated[]> {
  const rotated: Rotated[] = [];
  for (const key of await requestedKeys(needs, request)) {
    const kind = kindOf(jwkOf(key));
    const { successor, change } = await follow(needs, key, request.at_once, by);
    const { kid, use, succeeds, active_at } = successor;
    rotated.push({ kid, use, kind, succeeds, active_at, change });
  }
  return rotated;
}

async function follow(
  needs: KeyLifeNeeds,
  key: StoredKeyPair,
  atOnce: boolean,
  by: KeyChangeBy,
): Promise<{ readonly successor: StoredServerKey; readonly change: Rotated['change'] }> {
  const now = needs.clock.now();
  if (keyState(key, now) === 'announced') {
    if (!atOnce) return { successor: key, change: 'known' };
    if (await needs.store.advance(key.kid, now, keyEvent(needs, 'server-key.activate', key.kid, by)))
      needs.report('server-key.activate', key);
    return { successor: { ...key, active_at: now }, change: 'activated' };
  }
  const active_at = atOnce ? now : earliestActivation(needs, key.use);
  const successor = await announceSuccessor(needs, key, active_at, by);
  if (successor !== undefined) return { successor, change: active_at <= now ? 'activated' : 'announced' };
  const other = (await needs.store.all()).filter(isKeyPair).find(({ succeeds }) => succeeds === key.kid);
  return { successor: other ?? key, change: 'known' };
}
