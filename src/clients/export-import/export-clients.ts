import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientUse, StoredClient } from '../../ports/client-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { openRegistrationToken, openSecret } from '../secrets/client-secrets.ts';

const PAGE = 100;

/**
 * Every client, in constant memory: a line of JSON for each, after a header line. Each client is whole; one that is
 * registered or deleted meanwhile is there or not. Undefined stands for one that cannot be read; why is in the log.
 */
export async function* exportClients(needs: RegistryNeeds): AsyncGenerator<string | undefined> {
  yield exportHeader(needs);
  let after: ClientId | undefined;
  while (true) {
    const page: readonly StoredClient[] = await needs.clients.page(after, PAGE);
    // A client of a federation registers itself where it goes, and its word is not ours to bring there.
    for (const client of page) if (client.expires_at === null) yield await readable(needs, client);
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
    needs.log.error({ client_id: client.client_id, cause }, 'the record cannot be read');
    return undefined;
  }
}

/** The format of an export; one that means something else has another number. */
export const EXPORT_VERSION = 1;

/** The first line of an export, as JSON text. */
export function exportHeader({ issuer, clock }: RegistryNeeds): string {
  return JSON.stringify({ chancery_export: EXPORT_VERSION, issuer, exported_at: clock.now() });
}

/**
 * A registration with everything that another database needs to go on with it, as JSON text: what was sealed is open,
 * and `data` stands letter for letter. Two registrations are the same when their texts are.
 * @throws SealBroken
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
  };
  const data = client.data === null ? '' : `,"data":${client.data}`;
  return `${JSON.stringify(members).slice(0, -1)},"privileges":${client.privileges},"metadata":${client.metadata}${data}}`;
}

/** A registration and when it was last used, of which a running server says more every day. */
export function exportedClient(
  needs: RegistryNeeds,
  client: StoredClient,
  uses: readonly ClientUse[],
): string {
  const last_used = JSON.stringify(lastUsed(client, uses));
  return `${exportedRegistration(needs, client).slice(0, -1)},"last_used":${last_used}}`;
}

/** The latest use of each secret. That of a secret which is gone is still one of the client, which is not idle. */
function lastUsed(client: StoredClient, uses: readonly ClientUse[]): readonly object[] {
  const latest = new Map<number | null, number>();
  for (const { secret_digest, last_used_at } of uses) {
    const index = client.secrets.findIndex(({ digest }) => digest === secret_digest);
    const secret = index === -1 ? null : index;
    latest.set(secret, Math.max(latest.get(secret) ?? 0, last_used_at));
  }
  return [...latest].map(([secret, at]) => ({ secret, at }));
}
