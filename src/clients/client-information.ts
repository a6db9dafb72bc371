import type { StoredClient } from '../ports/client-store.ts';
import type { Sealer } from '../ports/sealer.ts';
import { openRegistrationToken, openSecret } from './secrets/client-secrets.ts';

export interface InformationNeeds {
  readonly issuer: string;
  readonly sealer: Sealer;
}

/**
 * The client information response (RFC 7591 §3.2.1, RFC 7592 §3) as JSON text. It is made from the stored record
 * alone, so that it cannot promise what was not stored. `data` is inserted letter for letter.
 */
export function clientInformation(needs: InformationNeeds, client: StoredClient): string {
  const [secret] = client.secrets;
  const members = {
    client_id: client.client_id,
    client_id_issued_at: client.issued_at,
    ...(secret === undefined
      ? {}
      : {
          client_secret: openSecret(needs.sealer, client, secret),
          client_secret_expires_at: secret.expires_at,
        }),
    ...(isManaged(client) ? management(needs, client) : {}),
  };
  const metadata = client.metadata.slice(1, -1);
  const data = client.data === null ? '' : `,"data":${client.data}`;
  return `${JSON.stringify(members).slice(0, -1)},${metadata}${data}}`;
}

/**
 * Whoever registers a shared client again gets the same answer, so it must not hold what manages the client for all of
 * them. One of a federation is managed by its statements (OpenID Federation §12.2.3: a registration access token "SHOULD NOT").
 */
function isManaged({ shared_digest, expires_at }: StoredClient): boolean {
  return shared_digest === null && expires_at === null;
}

/** RFC 7592 §3. */
function management(needs: InformationNeeds, client: StoredClient): object {
  return {
    registration_access_token: openRegistrationToken(needs.sealer, client),
    registration_client_uri: registrationClientUri(needs.issuer, client.client_id),
  };
}

function registrationClientUri(issuer: string, client_id: string): string {
  return `${issuer}/clients/${encodeURIComponent(client_id)}`;
}
