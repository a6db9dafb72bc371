import { clientInformation, sourceOf } from '../clients/client-information.ts';
import { withoutSetSigner } from '../clients/client-keys/key-source.ts';
import { clientFederation } from '../clients/federated-client.ts';
import { metadataOf } from '../clients/registered-client.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { StoredClient } from '../ports/client-store.ts';
import { NotFound } from '../spec/errors.ts';
import type { ClientId } from '../spec/identifiers.ts';
import type { Surroundings } from './command.ts';
import type { RegistrySession } from './registry-session.ts';
import { printFields, timeText } from './table.ts';

/** Returns the client of an id. Rejects with NotFound for an unknown id. */
export async function clientNamed({ needs }: RegistrySession, client_id: string): Promise<StoredClient> {
  const client = await needs.clients.find(client_id as ClientId);
  if (client === undefined) throw new NotFound(`there is no client ${JSON.stringify(client_id)}`);
  return client;
}

/** Returns the last time at which a client, with any of its secrets or without one, was used; null without a use on record. */
export async function lastUsedAt(needs: RegistryNeeds, client: StoredClient): Promise<number | null> {
  const uses = await needs.clients.uses(client);
  return uses.length === 0 ? null : Math.max(...uses.map(({ last_used_at }) => last_used_at));
}

interface Display {
  readonly json: boolean;
  readonly secrets: boolean;
}

/** Prints the client information response, and the origin and last use of the client. */
export async function printClient(
  needs: RegistryNeeds,
  client: StoredClient,
  { json, secrets }: Display,
  context: Surroundings,
): Promise<void> {
  const last_used_at = await lastUsedAt(needs, client);
  const remembered = { registered_via: client.registered_via, last_used_at };
  const information = secrets ? clientInformation(needs, client) : withoutSecrets(client);
  if (json) {
    context.print(`${JSON.stringify(remembered).slice(0, -1)},${information.slice(1)}`);
    return;
  }
  const members = JSON.parse(information) as Record<string, unknown>;
  const { client_id, client_id_issued_at, client_secret_expires_at, ...rest } = members;
  printFields(context.print, [
    ['client_id', String(client_id)],
    ['client_id_issued_at', timeText(Number(client_id_issued_at), '-')],
    ...(client_secret_expires_at === undefined
      ? []
      : ([['client_secret_expires_at', timeText(Number(client_secret_expires_at), 'never')]] as const)),
    ['registered_via', client.registered_via],
    ['last_used_at', timeText(last_used_at, 'not on record')],
    ...Object.entries(rest).flatMap(([name, value]) =>
      name === 'chancery_federation'
        ? federationFields(client)
        : [[name, valueText(name, value, client)] as const],
    ),
  ]);
}

/** Returns the client information response without secrets and tokens, so that nothing is decrypted. `data` is unchanged. */
function withoutSecrets(client: StoredClient): string {
  const [secret] = client.secrets;
  const members = {
    client_id: client.client_id,
    client_id_issued_at: client.issued_at,
    ...(secret === undefined ? {} : { client_secret_expires_at: secret.expires_at }),
    ...sourceOf(client),
    ...withoutSetSigner(metadataOf(client)),
  };
  const data = client.data === null ? '' : `,"data":${client.data}`;
  return `${JSON.stringify(members).slice(0, -1)}${data}}`;
}

function federationFields(client: StoredClient): readonly (readonly [string, string])[] {
  const federation = clientFederation(client);
  if (federation === undefined) return [];
  const { trust_chain, trust_marks, verified_trust_marks, failure } = federation;
  return [
    ['entity_id', federation.entity_id],
    ['registration', federation.registration],
    ['trust_anchor', federation.trust_anchor],
    ['trust_chain', trust_chain.join(' ← ') || '-'],
    ['expires_at', timeText(federation.expires_at, 'never')],
    ['trust_chain_expires_at', timeText(federation.trust_chain_expires_at, '-')],
    ['resolved_at', timeText(federation.resolved_at, '-')],
    ['trust_marks', trust_marks.join(' ') || '-'],
    ['verified_trust_marks', verified_trust_marks.join(' ') || '-'],
    ...(failure === undefined
      ? []
      : ([['last_renewal', `failed at ${timeText(failure.at, '-')}: ${failure.words}`]] as const)),
  ];
}

function valueText(name: string, value: unknown, client: StoredClient): string {
  if (name === 'data') return client.data ?? '';
  if (typeof value === 'string') return value;
  const isList = Array.isArray(value) && value.every((element) => typeof element === 'string');
  return isList ? value.join(' ') : JSON.stringify(value);
}
