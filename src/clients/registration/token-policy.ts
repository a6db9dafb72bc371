import type { StoredClient } from '../../ports/client-store.ts';
import { CLIENT_METADATA, type ClientMetadata } from '../../spec/client-metadata.ts';
import { metadataOf } from '../registered-client.ts';
import type { ValidatedMetadata } from './validate-metadata.ts';

/** How access tokens of a client are made, where the request does not say. Members of its metadata that the operator owns. */
export interface TokenPolicy {
  readonly format: 'identifier' | 'self-contained' | undefined;
  /** Seconds. */
  readonly lifetime: number | undefined;
  /** The audience where none is asked for, and the only ones that may be asked for. */
  readonly audience: readonly string[] | undefined;
}

const OWNED = Object.entries(CLIENT_METADATA).flatMap(([name, { privilege }]) =>
  privilege === 'token-policy' ? [name] : [],
);

export function tokenPolicyOf(metadata: ClientMetadata): TokenPolicy {
  const { chancery_access_token_format, chancery_access_token_lifetime, chancery_access_token_audience } =
    metadata;
  // Checked when they were registered.
  return {
    format: chancery_access_token_format as TokenPolicy['format'],
    lifetime: chancery_access_token_lifetime as TokenPolicy['lifetime'],
    audience: chancery_access_token_audience as TokenPolicy['audience'],
  };
}

/** A client neither sets nor loses them by an update of its own: what it echoes back is ignored (as in decision 9). */
export function withTokenPolicyOf(client: StoredClient, validated: ValidatedMetadata): ValidatedMetadata {
  const kept = metadataOf(client);
  const without = Object.entries(validated.metadata).filter(([name]) => !OWNED.includes(name));
  const owned = OWNED.flatMap((name) => (kept[name] === undefined ? [] : [[name, kept[name]] as const]));
  const metadata = Object.fromEntries([...without, ...owned]) as unknown as ClientMetadata;
  return { ...validated, metadata };
}
