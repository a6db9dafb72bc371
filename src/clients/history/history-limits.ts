import type { Settings } from '../../config/settings.ts';
import type { ClientManager } from '../registration/registration-authority.ts';

/** Returns how many former versions are kept of each client; 0 if the history is off. */
export function keptVersionsMax(
  settings: Pick<Settings, 'history.lifetime' | 'history.versions-per-client'>,
): number {
  return settings['history.lifetime'] === 0 ? 0 : settings['history.versions-per-client'];
}

/** Ways of registration that one party can use any number of times without asking an operator. */
const REPEATABLE = /^(?:open$|statement:)/;

/**
 * Says whether a deleted client can be restored. A client that its own registrant deletes, and that needed no operator, is not
 * kept: anyone could fill the database, or crowd out what an operator wants back, and the registrant can register again.
 */
export function isKeptAfterDeletion(
  settings: Pick<Settings, 'history.deleted-lifetime'>,
  { kind, client }: ClientManager,
): boolean {
  if (settings['history.deleted-lifetime'] === 0) return false;
  return kind === 'master' || !REPEATABLE.test(client.registered_via);
}
