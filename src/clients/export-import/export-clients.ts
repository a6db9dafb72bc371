import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientUse, StoredClient } from '../../ports/client-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { openRegistrationToken, openSecret } from '../secrets/client-secrets.ts';

const PAGE = 100;

/**
 * Exports every client as JSON lines after a header line, in constant memory. Each client is complete; one
 * that is registered or deleted meanwhile may or may not be included.
 * @returns lines; undefined for a record that cannot be read, which is logged
 */
export async function* exportClients(needs: RegistryNeeds): AsyncGenerator<string | undefined> {
  yield exportHeader(needs);
  let after: ClientId | undefined;
  while (true) {
    const page: readonly StoredClient[] = await needs.clients.page(after, PAGE);
    // Clients of a federation or of a document are left out: they register again where the issuer moves.
    for (const client of page)
      if (client.expires_at === null && client.document === null) yield await readable(needs, client);
    after = page.at(-1)?.client_id;
    if (page.length < PAGE) return;
    await nextTurn();
  }
}

async function readable(needs: RegistryNeeds, client: StoredClient): Promise<string | undefined> {
  const uses = await needs.clients.uses(client);
  try {
    return exportedClient(needs, client, uses);
  } catch (cause) {
    needs.log.error(
      { client_id: client.client_id, cause },
      'client record cannot be read; the export omits it',
    );
    return undefined;
  }
}

/** The format version of an export. A format with another meaning gets another number. */
export const EXPORT_VERSION = 1;

/** Renders the first line of an export as JSON text. */
function exportHeader({ issuer, clock }: RegistryNeeds): string {
  return JSON.stringify({ chancery_export: EXPORT_VERSION, issuer, exported_at: clock.now() });
}

/**
 * Renders a registration as JSON text with everything that another database needs to continue it. Secrets are
 * decrypted. `data` is kept byte for byte, except that spaces replace its line breaks. Two registrations are equal if their texts are.
 * @throws SealBroken if a secret cannot be decrypted
 */
export function exportedRegistration({ sealer }: RegistryNeeds, client: StoredClient): string {
  const members = {
    client_id: client.client_id,
    issued_at: client.issued_at,
    registered_via: client.registered_via,
    shared: client.shared_digest !== null,
    secrets: client.secrets.map((secret) => ({
      client_secret: openSecret(sealer, client, secret),
      created_at: secret.created_at,
      expires_at: secret.expires_at,
    })),
    registration_access_token: openRegistrationToken(sealer, client),
    ...(client.owner === null ? {} : { owner: client.owner }),
  };
  const data = client.data === null ? '' : `,"data":${onOneLine(client.data)}`;
  return `${JSON.stringify(members).slice(0, -1)},"privileges":${client.privileges},"metadata":${client.metadata}${data}}`;
}

/** A well-formed JSON text has line breaks only between its tokens: strings escape them (RFC 8259 §7). */
function onOneLine(json: string): string {
  return json.replaceAll(/[\r\n]/gu, ' ');
}

/** Renders a registration with the times of its last uses. */
function exportedClient(needs: RegistryNeeds, client: StoredClient, uses: readonly ClientUse[]): string {
  const last_used = JSON.stringify(lastUsed(client, uses));
  return `${exportedRegistration(needs, client).slice(0, -1)},"last_used":${last_used}}`;
}

/** Returns the latest use of each secret. A use of a removed secret counts as a use of the client. */
function lastUsed(client: StoredClient, uses: readonly ClientUse[]): readonly object[] {
  const latest = new Map<number | null, number>();
  for (const { secret_digest, last_used_at } of uses) {
    const index = client.secrets.findIndex(({ digest }) => digest === secret_digest);
    const secret = index === -1 ? null : index;
    latest.set(secret, Math.max(latest.get(secret) ?? 0, last_used_at));
  }
  return [...latest].map(([secret, at]) => ({ secret, at }));
}
