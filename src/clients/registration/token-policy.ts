import type { StoredClient } from '../../ports/client-store.ts';
import { CLIENT_METADATA, type ClientMetadata } from '../../spec/client-metadata.ts';
import { metadataOf } from '../registered-client.ts';
import type { ValidatedMetadata } from './validate-metadata.ts';

/** How access tokens of a client are made, unless the request says otherwise. Operators own these members. */
export interface TokenPolicy {
  readonly format: 'identifier' | 'self-contained' | undefined;
  /** Seconds. */
  readonly lifetime: number | undefined;
  /** The default audience, and the only values that a request may ask for. */
  readonly audience: readonly string[] | undefined;
}

const OWNED = Object.entries(CLIENT_METADATA).flatMap(([name, { privilege }]) =>
  privilege === 'token-policy' ? [name] : [],
);

/** Returns the token policy in the metadata of a client. */
export function tokenPolicyOf(metadata: ClientMetadata): TokenPolicy {
  const { chancery_access_token_format, chancery_access_token_lifetime, chancery_access_token_audience } =
    metadata;
  // Registration has checked these values.
  return {
    format: chancery_access_token_format as TokenPolicy['format'],
    lifetime: chancery_access_token_lifetime as TokenPolicy['lifetime'],
    audience: chancery_access_token_audience as TokenPolicy['audience'],
  };
}

/**
 * Returns updated metadata with the token policy of the stored client. An update by the client itself neither
 * sets nor removes it; the values it sends are ignored (as in decision 9).
 */
export function withTokenPolicyOf(client: StoredClient, validated: ValidatedMetadata): ValidatedMetadata {
  const kept = metadataOf(client);
  const without = Object.entries(validated.metadata).filter(([name]) => !OWNED.includes(name));
  const owned = OWNED.flatMap((name) => (kept[name] === undefined ? [] : [[name, kept[name]] as const]));
  const metadata = Object.fromEntries([...without, ...owned]) as unknown as ClientMetadata;
  return { ...validated, metadata };
}
