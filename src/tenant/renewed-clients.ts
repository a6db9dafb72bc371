import type { DocumentClients } from '../clients/metadata-document/document-clients.ts';
import type { FederatedClients } from '../federation/registration/federated-clients.ts';
import type { StoredClient } from '../ports/client-store.ts';

/** The clients that others vouch for, and that change with them. */
export interface RenewedClients {
  readonly documents: DocumentClients;
  /** Undefined without a federation. */
  readonly federated: FederatedClients | undefined;
}

/** Returns a newer version of a client that others vouch for; undefined if there is none. @throws OAuthError */
export async function newerClient(
  { documents, federated }: RenewedClients,
  client: StoredClient,
  remoteAddress: string,
): Promise<StoredClient | undefined> {
  if (client.document !== null) return await documents.newer(client, remoteAddress);
  return await federated?.newer(client, remoteAddress);
}
