import type { AuditEvent } from '../ports/audit-log.ts';
import type { KeyKind } from '../ports/key-maker.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { ServerKeyStore, StoredServerKey } from '../ports/server-key-store.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { keyPlace, type MakingNeeds, makeKeyPair } from './make-server-keys.ts';
import { keyState, kindOf } from './server-key.ts';

export type KeyEvent = Extract<AuditEvent['action'], `server-key.${string}`>;

/** Everything that a change of server keys needs. Durations are in seconds. */
export interface KeyLifeNeeds extends MakingNeeds {
  readonly store: ServerKeyStore;
  /** Is called for each change after it is durable. */
  readonly report: (event: KeyEvent, key: { readonly kid: string; readonly use: string }) => void;
  readonly settings: {
    /** Whether `sig` and `enc` keys are configured. The server never changes such keys. */
    readonly configured: boolean;
    /** How long a key is published before it signs: longer than caches may keep the set. */
    readonly announcement: number;
    /** The age at which a key gets a successor; 0 for never. */
    readonly rotationInterval: number;
    /** How long a key stays published after its successor took over: as long as anything that it signed. */
    readonly retention: number;
  };
}

/** The author of a change, for the audit log. */
export type KeyChangeBy = Pick<AuditEvent, 'actor' | 'request_id'> &
  Partial<Pick<AuditEvent, 'reason' | 'address' | 'user_agent'>>;

/** A stored key pair. */
export type StoredKeyPair = StoredServerKey & {
  readonly use: 'sig' | 'enc' | 'federation';
  readonly public_jwk: string;
};

export function isKeyPair(key: StoredServerKey): key is StoredKeyPair {
  return key.use !== 'mac' && key.use !== 'pairwise' && key.public_jwk !== null;
}

export const jwkOf = ({ public_jwk }: StoredKeyPair): JsonWebKey => JSON.parse(public_jwk) as JsonWebKey;

export function keyEvent(
  { clock }: Pick<KeyLifeNeeds, 'clock'>,
  action: KeyEvent,
  kid: string,
  by: KeyChangeBy,
): AuditEvent {
  return { at: clock.now(), action, outcome: 'done', client_id: null, detail: kid, ...by };
}

/** Makes a new key of the same use, kind and algorithm as `key`. */
export async function makeAnother(
  needs: MakingNeeds,
  key: StoredKeyPair,
  life: Partial<Pick<StoredServerKey, 'active_at' | 'succeeds'>>,
): Promise<StoredServerKey> {
  const jwk = jwkOf(key);
  const alg = jwk['alg'];
  return await makeKeyPair(needs, key.use, kindToMake(jwk), {
    ...life,
    ...(typeof alg === 'string' ? { alg } : {}),
  });
}

function kindToMake(jwk: JsonWebKey): KeyKind {
  const kind = kindOf(jwk);
  if (kind !== 'RSA') return kind as KeyKind;
  const bits = Buffer.from(String(jwk['n']), 'base64url').length * 8;
  return bits <= 2048 ? 'RSA-2048' : bits <= 3072 ? 'RSA-3072' : 'RSA-4096';
}

/** Returns the keys without a successor: one for each use and kind. */
export function lastOfTheirLines(keys: readonly StoredServerKey[]): readonly StoredKeyPair[] {
  return keys
    .filter(isKeyPair)
    .filter(({ retired_at, sealed_jwk }) => retired_at === null && sealed_jwk !== null);
}

/**
 * Returns when a successor may take over. A signature key waits until all caches have seen it. An encryption key takes over
 * at once: clients use it as soon as they see it, and every process can decrypt with it.
 */
export function earliestActivation(needs: KeyLifeNeeds, use: StoredServerKey['use']): number {
  const now = needs.clock.now();
  return use === 'enc' ? now : now + needs.settings.announcement;
}

export function isInUse(key: StoredServerKey, now: number): boolean {
  return keyState(key, now) === 'active';
}

/** Seals keys again with the first key of the ring if an older one sealed them. Returns how many. */
export async function resealServerKeys(store: ServerKeyStore, sealer: Sealer): Promise<number> {
  let resealed = 0;
  for (const { kid, sealed_jwk } of await store.all()) {
    if (sealed_jwk === null || sealer.isCurrent(sealed_jwk)) continue;
    const place = keyPlace(kid);
    await store.reseal(kid, sealer.seal(sealer.open(sealed_jwk, place), place));
    resealed += 1;
  }
  return resealed;
}

export type Revocation =
  | 'revoked'
  /** There is no key pair with this `kid`, or it was removed. */
  | 'unknown'
  /** The key is configured, so the server cannot change it. */
  | 'configured';

/**
 * Removes a compromised key. It is no longer published, its signatures no longer verify, and a new key takes over at once
 * if it was in use.
 */
export async function revokeServerKey(
  needs: KeyLifeNeeds,
  kid: string,
  by: KeyChangeBy,
): Promise<Revocation> {
  const key = (await needs.store.all()).filter(isKeyPair).find((candidate) => candidate.kid === kid);
  if (key === undefined) return 'unknown';
  if (needs.settings.configured && key.use !== 'federation') return 'configured';
  const replacement = await makeAnother(needs, key, {});
  const removal = { at: needs.clock.now(), reason: 'compromised', replacement } as const;
  const event = keyEvent(needs, 'server-key.revoke', key.kid, by);
  if (!(await needs.store.remove(key.kid, removal, event))) return 'unknown';
  needs.report('server-key.revoke', key);
  return 'revoked';
}
