import type { Change } from '../../ports/change-journal.ts';
import type { RevocationEvent } from '../../spec/revocation-feed.ts';
import { LOCATOR_LENGTH } from '../../tokens/token-identifier.ts';

/** Returns the change as resource servers learn it; undefined for an end that its tokens tell. */
export function revocationEvent(change: Change): RevocationEvent | undefined {
  switch (change.kind) {
    case 'access-token-ended': {
      const { key, expires_at: exp } = change;
      // The key is the locator of the token and its digest.
      const ath = key.slice(LOCATOR_LENGTH);
      return { type: 'token-ended', ath, ...(exp === undefined ? {} : { exp }) };
    }
    case 'client-ended':
    case 'client-changed':
      return { type: change.kind, client_id: change.client_id };
    case 'server-keys-changed':
      return {
        type: 'keys-changed',
        ...(change.removed === undefined ? {} : { revoked: change.removed }),
      };
    case 'grant-ended':
    case 'session-ended':
      return undefined;
  }
}
