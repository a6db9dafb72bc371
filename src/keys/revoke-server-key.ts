import { isKeyPair, type KeyChangeBy, type KeyLifeNeeds, keyEvent, makeAnother } from './server-key-life.ts';

export type Revocation =
  | 'revoked'
  /** There is no key pair of this `kid`, or not any more. */
  | 'unknown'
  /** It is configured, and not ours to change. */
  | 'configured';

/**
 * Ends a compromised key: it is published no more, nothing that it signed verifies any more, and a new one takes over at
 * once where it was in use.
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
