import type { StoredClient, StoredSecret } from '../ports/client-store.ts';
import type { Sealer } from '../ports/sealer.ts';
import { defaultScope } from '../spec/default-scope.ts';
import { withoutSetSigner } from './client-keys/key-source.ts';
import { clientFederation } from './federated-client.ts';
import { documentOf } from './metadata-document/document-state.ts';
import { metadataOf } from './registered-client.ts';
import { openRegistrationToken, openSecret } from './secrets/client-secrets.ts';

export interface InformationNeeds {
  readonly issuer: string;
  readonly sealer: Sealer;
}

/**
 * Renders the client information response as JSON text (RFC 7591 §3.2.1, RFC 7592 §3). It reads the stored
 * record only, so the response cannot promise what was not stored. `data` is inserted byte for byte.
 * @throws SealBroken if a secret cannot be decrypted
 */
export function clientInformation(needs: InformationNeeds, client: StoredClient): string {
  return rendered(needs, client, sourceOf(client));
}

/**
 * Renders the same for the response to an explicit registration (OpenID Federation 1.0 §12.2.3), without the members about its
 * source: the claims of the response say them.
 * @throws SealBroken if a secret cannot be decrypted
 */
export function registeredMembers(needs: InformationNeeds, client: StoredClient): string {
  return rendered(needs, client, {});
}

function rendered(needs: InformationNeeds, client: StoredClient, source: object): string {
  const [secret] = client.secrets;
  const members = {
    client_id: client.client_id,
    client_id_issued_at: client.issued_at,
    ...(secret === undefined
      ? {}
      : {
          client_secret: openSecret(needs.sealer, client, secret),
          client_secret_expires_at: endOfSecret(client, secret),
        }),
    ...(isManaged(client) ? management(needs, client) : {}),
    ...source,
  };
  return `${JSON.stringify(members).slice(0, -1)},${metadataText(client)}}`;
}

/**
 * Renders the registered metadata as the members of a JSON object, with the default scope of a client that registered none
 * (RFC 7591 §3.2.1: "including any fields provisioned by the authorization server itself").
 */
export function metadataText(client: StoredClient): string {
  const provided = defaultScope(client);
  const scope =
    provided.length === 0 || metadataOf(client).scope !== undefined
      ? ''
      : `,"scope":${JSON.stringify(provided.join(' '))}`;
  const data = client.data === null ? '' : `,"data":${client.data}`;
  const shown =
    client.federation === null ? client.metadata : JSON.stringify(withoutSetSigner(metadataOf(client)));
  return `${shown.slice(1, -1)}${scope}${data}`;
}

/**
 * Returns when the secret stops working, in seconds since the Unix epoch; 0 for never (RFC 7591 §3.2.1). It ends with its client
 * at the latest, and relying parties of a federation compare it with the end of their registration (OpenID Federation 1.0 §12.2.3).
 */
function endOfSecret({ expires_at }: StoredClient, secret: StoredSecret): number {
  if (expires_at === null) return secret.expires_at;
  return secret.expires_at === 0 ? expires_at : Math.min(secret.expires_at, expires_at);
}

/**
 * Says whether the response holds a registration token. A shared client has none: every registrant of the
 * same metadata gets this response. The statements of a federation manage its clients (OpenID Federation 1.0
 * §12.2.3: a registration access token "SHOULD NOT"). A document manages its client.
 */
function isManaged({ shared_digest, expires_at, document }: StoredClient): boolean {
  return shared_digest === null && expires_at === null && document === null;
}

/**
 * Returns the member that says where the metadata of a client come from, for operators: its metadata document, or its
 * federation. No member for other clients.
 */
export function sourceOf(client: StoredClient): object {
  const chancery_federation = clientFederation(client);
  if (chancery_federation !== undefined) return { chancery_federation };
  const state = documentOf(client);
  if (state === undefined) return {};
  const { fetched_at, fresh_until } = state;
  return { chancery_metadata_document: { fetched_at, fresh_until } };
}

/** RFC 7592 §3. */
function management(needs: InformationNeeds, client: StoredClient): object {
  return {
    registration_access_token: openRegistrationToken(needs.sealer, client),
    registration_client_uri: registrationClientUri(needs.issuer, client.client_id),
  };
}

export function registrationClientUri(issuer: string, client_id: string): string {
  return `${issuer}/clients/${encodeURIComponent(client_id)}`;
}
