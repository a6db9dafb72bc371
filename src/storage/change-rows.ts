import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { AccessTokenEnd, Change } from '../ports/change-journal.ts';
import type {
  AccessTokenKey,
  ClientId,
  ClientInstance,
  GrantId,
  KeyId,
  SessionId,
} from '../spec/identifiers.ts';

/** A change as a row of the journal. */
export interface ChangeRow {
  readonly kind: 'client-changed' | 'client-ended' | 'access-token-ended' | 'server-keys-changed';
  /** The client, token, grant, session or removed server key; empty for any other change of the server's own keys. */
  readonly subject: string;
  readonly instance: string | null;
  /** Names the thing that ended, if it is no token. */
  readonly ended: 'grant' | 'session' | null;
  readonly client_id: string | null;
  readonly sub: string | null;
  readonly expires_at: number | null;
}

export const CHANGE_COLUMNS = 'kind, subject, instance, ended, client_id, sub, expires_at';

const NO_FACTS = { instance: null, ended: null, client_id: null, sub: null, expires_at: null };
/** A program of an earlier version takes the end of a grant or session for that of a token that it does not know. */
const TOKEN_KIND = 'access-token-ended';

export function changeRow(change: Change): ChangeRow {
  const { kind } = change;
  switch (kind) {
    case 'client-changed':
      return { ...NO_FACTS, kind, subject: change.client_id };
    case 'client-ended':
      return { ...NO_FACTS, kind, subject: change.client_id, instance: change.instance };
    case 'access-token-ended': {
      const { key: subject, expires_at = null, client_id = null, sub = null } = change;
      return { ...NO_FACTS, kind, subject, expires_at, client_id, sub };
    }
    case 'grant-ended': {
      const { grant_id: subject, client_id, sub } = change;
      return { ...NO_FACTS, kind: TOKEN_KIND, ended: 'grant', subject, client_id, sub };
    }
    case 'session-ended':
      return { ...NO_FACTS, kind: TOKEN_KIND, ended: 'session', subject: change.sid, sub: change.sub };
    case 'server-keys-changed':
      return { ...NO_FACTS, kind, subject: change.removed ?? '' };
  }
}

export function changeOf({ kind, subject, instance, ended, client_id, sub, expires_at }: ChangeRow): Change {
  switch (kind) {
    case 'client-changed':
      return { kind, client_id: subject as ClientId };
    case 'client-ended':
      return { kind, client_id: subject as ClientId, instance: instance as ClientInstance };
    case 'access-token-ended': {
      if (ended === 'session') return { kind: 'session-ended', sid: subject as SessionId, sub: sub ?? '' };
      if (ended === 'grant')
        return {
          kind: 'grant-ended',
          grant_id: subject as GrantId,
          client_id: client_id as ClientId,
          sub: sub ?? '',
        };
      return {
        kind,
        key: subject as AccessTokenKey,
        ...(expires_at === null ? {} : { expires_at }),
        ...(client_id === null ? {} : { client_id: client_id as ClientId }),
        ...(sub === null ? {} : { sub }),
      };
    }
    case 'server-keys-changed':
      return { kind, ...(subject === '' ? {} : { removed: subject as KeyId }) };
  }
}

/** @param row a removed row of an access token: `key`, `expires_at`, `client_id` and `sub` */
export function tokenEnd(row: Readonly<Record<string, unknown>>): AccessTokenEnd {
  const { key, expires_at, client_id, sub } = row as unknown as StoredAccessToken;
  return { kind: 'access-token-ended', key, expires_at, client_id, ...(sub ? { sub } : {}) };
}
