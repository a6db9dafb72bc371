import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import { CHANGING } from './client-life.ts';

/** The columns of a client, for `asClient`. */
export const CLIENT_COLUMNS = `client_id, instance, ${CHANGING}`;

/** Look-ups also return their key. */
export type ClientRow = Omit<StoredClient, 'secrets'> & { readonly key?: string; readonly secrets: string };

export function asClient({ key: _key, ...row }: ClientRow): StoredClient {
  return { ...row, secrets: JSON.parse(row.secrets) as StoredSecret[] };
}
