import { withoutSetSigner } from '../../../clients/client-keys/key-source.ts';
import { type ClientFederation, clientFederation } from '../../../clients/federated-client.ts';
import { documentOf } from '../../../clients/metadata-document/document-state.ts';
import { metadataOf, registeredScope } from '../../../clients/registered-client.ts';
import { nameOf } from '../../../clients/secrets/rotate-secret.ts';
import { digestOf } from '../../../keys/digest.ts';
import type { ListedClient } from '../../../ports/client-lists.ts';
import type { StoredClient } from '../../../ports/client-store.ts';
import type { JsonValue } from '../../../spec/json.ts';
import { timeOrNever, timeText } from '../../../spec/time-text.ts';
import type { Item } from '../operation.ts';

/** Returns a client as the administration shows it, without its secrets. */
export function clientItem({ client, last_used_at }: ListedClient, now: number): Item {
  const { token_endpoint_auth_method } = metadataOf(client);
  return {
    client_id: client.client_id,
    created_at: timeText(client.issued_at),
    registered_via: client.registered_via,
    owner: client.owner,
    type: token_endpoint_auth_method === 'none' ? 'public' : 'confidential',
    state: client.expires_at === null || client.expires_at > now ? 'active' : 'expired',
    expires_at: timeOrNever(client.expires_at),
    last_used_at: last_used_at === 0 ? null : timeText(last_used_at),
    scope: registeredScope(client),
    secrets: client.secrets.map((secret) => ({
      id: nameOf(secret),
      created_at: timeText(secret.created_at),
      expires_at: secret.expires_at === 0 ? null : timeText(secret.expires_at),
    })),
    federation: federationItem(clientFederation(client)),
    document: documentItem(client),
    metadata: shownMetadata(client),
  };
}

/** Returns the metadata that a client is registered with, with `data`: what a replacement would send. */
export function shownMetadata(client: StoredClient): { readonly [member: string]: JsonValue } {
  const metadata = withoutSetSigner(metadataOf(client)) as { readonly [member: string]: JsonValue };
  return client.data === null ? metadata : { ...metadata, data: JSON.parse(client.data) as JsonValue };
}

function federationItem(federation: ClientFederation | undefined): Item | null {
  if (federation === undefined) return null;
  const { expires_at, trust_chain_expires_at, resolved_at, failure, ...rest } = federation;
  return {
    ...rest,
    expires_at: timeOrNever(expires_at ?? null),
    trust_chain_expires_at: timeOrNever(trust_chain_expires_at ?? null),
    resolved_at: timeOrNever(resolved_at ?? null),
    ...(failure === undefined ? {} : { failure: { ...failure, at: timeText(failure.at) } }),
  };
}

function documentItem(client: StoredClient): Item | null {
  const state = documentOf(client);
  if (state === undefined) return null;
  return { fetched_at: timeText(state.fetched_at), fresh_until: timeText(state.fresh_until) };
}

const DIGEST_LENGTH = 8;

/** Returns the version of a client for its entity tag. An id that is registered again begins with version 1. */
export const versionOfClient = ({ version, instance }: StoredClient): string =>
  `${version}-${digestOf(instance).slice(0, DIGEST_LENGTH)}`;
