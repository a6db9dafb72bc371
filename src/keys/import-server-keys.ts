import type { StoredServerKey } from '../ports/server-key-store.ts';
import type { KeyId } from '../spec/identifiers.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { publishedJwk, storedKey } from './make-server-keys.ts';
import { type BroughtKey, readServerJwkSet, ServerJwkSetRefused } from './server-jwk-set.ts';
import { kindOf } from './server-key.ts';
import {
  earliestActivation,
  isKeyPair,
  jwkOf,
  type KeyChangeBy,
  type KeyLifeNeeds,
  keyEvent,
  lastOfTheirLines,
} from './server-key-life.ts';

export interface ImportedKey {
  readonly kid: string;
  readonly use: 'sig' | 'enc';
  /**
   * `published`: only published, because it has no private half. For the others nothing changes. `known`: this key is there.
   * `taken`: another key has its kid. `removed`: a key with its kid was removed, and never returns.
   */
  readonly outcome: 'announced' | 'activated' | 'published' | 'known' | 'taken' | 'removed';
  readonly active_at?: number;
}

/**
 * Imports keys that were made elsewhere. A private key takes over from the key of its use and kind, like a generated
 * successor. A public key is published as long as a retired key, so that signatures made elsewhere still verify.
 * @throws ServerJwkSetRefused before any key of the set is imported
 */
export async function importServerKeys(
  needs: KeyLifeNeeds,
  text: string,
  atOnce: boolean,
  by: KeyChangeBy,
): Promise<readonly ImportedKey[]> {
  if (needs.settings.configured)
    throw new ServerJwkSetRefused('keys.jwk-set is configured: add the keys to that set instead');
  const brought = await readServerJwkSet(text, needs.keyMaker);
  const unused = brought.findIndex(({ use, isPrivate }) => use === 'enc' && !isPrivate);
  if (unused !== -1)
    throw new ServerJwkSetRefused(
      `keys[${unused}] has no private half: the server could not decrypt with it`,
    );
  const imported: ImportedKey[] = [];
  for (const key of brought)
    imported.push(
      key.isPrivate ? await bringPrivate(needs, key, atOnce, by) : await bringPublic(needs, key, by),
    );
  return imported;
}

async function bringPrivate(
  needs: KeyLifeNeeds,
  { use, kid, jwk }: BroughtKey,
  atOnce: boolean,
  by: KeyChangeBy,
): Promise<ImportedKey> {
  const now = needs.clock.now();
  const kind = kindOf(jwk);
  const before = lastOfTheirLines(await needs.store.all()).findLast(
    (key) => key.use === use && kindOf(jwkOf(key)) === kind,
  );
  // An announced successor becomes active first; with `--now` it does so at once.
  if (atOnce && before !== undefined && before.active_at > now)
    await needs.store.advance(before.kid, now, keyEvent(needs, 'server-key.activate', before.kid, by));
  const active_at = atOnce ? now : Math.max(earliestActivation(needs, use), before?.active_at ?? 0);
  const key = { ...storedKey(needs, use, jwk), active_at, succeeds: before?.kid ?? null };
  const action = active_at <= now ? 'server-key.activate' : 'server-key.announce';
  const event = keyEvent(needs, action, kid, by);
  const done =
    before === undefined ? await needs.store.add(key, event) : await needs.store.succeed(key, event);
  if (!done) return { kid, use, outcome: await whyUnchanged(needs, kid, jwk) };
  needs.report(action, { kid, use });
  return { kid, use, outcome: active_at <= now ? 'activated' : 'announced', active_at };
}

async function bringPublic(
  needs: KeyLifeNeeds,
  { use, kid, jwk }: BroughtKey,
  by: KeyChangeBy,
): Promise<ImportedKey> {
  const now = needs.clock.now();
  const key: StoredServerKey = {
    kid: kid as KeyId,
    use,
    created_at: now,
    active_at: now,
    retired_at: now,
    succeeds: null,
    public_jwk: JSON.stringify(publishedJwk(jwk, use)),
    sealed_jwk: null,
  };
  if (!(await needs.store.add(key, keyEvent(needs, 'server-key.add', kid, by))))
    return { kid, use, outcome: await whyUnchanged(needs, kid, jwk) };
  needs.report('server-key.add', { kid, use });
  return { kid, use, outcome: 'published' };
}

/** Returns why a key was not added, although the store knows its kid. */
async function whyUnchanged(
  { store, keyMaker }: KeyLifeNeeds,
  kid: string,
  jwk: JsonWebKey,
): Promise<'known' | 'taken' | 'removed'> {
  if ((await store.removed()).some((key) => key.kid === kid)) return 'removed';
  const there = (await store.all()).filter(isKeyPair).find((key) => key.kid === kid);
  if (there === undefined) return 'taken';
  const [own, other] = await Promise.all(
    [jwk, jwkOf(there)].map(async (key) => await keyMaker.thumbprint(key)),
  );
  return own === other ? 'known' : 'taken';
}
