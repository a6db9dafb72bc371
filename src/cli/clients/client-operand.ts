import type { ClientManager } from '../../clients/registration/registration-authority.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { NotFound } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { RegistrySession } from '../registry-session.ts';

/** @throws NotFound */
export async function clientNamed({ needs }: RegistrySession, client_id: string): Promise<StoredClient> {
  const client = await needs.clients.find(client_id as ClientId);
  if (client === undefined) throw new NotFound(`there is no client ${JSON.stringify(client_id)}`);
  return client;
}

/** Whoever may run the command may open the database: the command line manages clients as the master token does. */
export function managing(session: RegistrySession, client_id: string): () => Promise<ClientManager> {
  return async () => ({ kind: 'master', client: await clientNamed(session, client_id) });
}
