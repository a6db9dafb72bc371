import type { Change } from '../ports/change-journal.ts';
import type { AccessTokenKey, ClientId, ClientInstance } from '../spec/identifiers.ts';

/** A change as it stands in the journal's table, on either engine. */
export interface ChangeRow {
  readonly kind: Change['kind'];
  /** Of whom or what; empty for the server itself. */
  readonly subject: string;
  readonly instance: string | null;
}

export function changeRow(change: Change): ChangeRow {
  const { kind } = change;
  switch (kind) {
    case 'client-changed':
      return { kind, subject: change.client_id, instance: null };
    case 'client-ended':
      return { kind, subject: change.client_id, instance: change.instance };
    case 'access-token-ended':
      return { kind, subject: change.key, instance: null };
    case 'server-keys-changed':
      return { kind, subject: '', instance: null };
  }
}

export function changeOf({ kind, subject, instance }: ChangeRow): Change {
  switch (kind) {
    case 'client-changed':
      return { kind, client_id: subject as ClientId };
    case 'client-ended':
      return { kind, client_id: subject as ClientId, instance: instance as ClientInstance };
    case 'access-token-ended':
      return { kind, key: subject as AccessTokenKey };
    case 'server-keys-changed':
      return { kind };
  }
}
