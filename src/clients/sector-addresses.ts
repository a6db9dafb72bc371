import type { ClientMetadata } from '../spec/client-metadata.ts';
import { CIBA_GRANT } from '../spec/grant-types.ts';

/** An address of a client that shows which sector it belongs to. */
export interface SectorAddress {
  readonly member: string;
  readonly url: string;
}

/**
 * Returns the addresses of a client that share one host, or that its `sector_identifier_uri` lists: the redirection URIs, which get
 * the answers (OpenID Connect Core 1.0 §8.1). A client that asks people on another device gets tokens without them. It has its
 * `jwks_uri` there too, or for push the address that gets the tokens (OpenID Connect CIBA Core 1.0 §4). Otherwise a client could name the
 * redirection URIs of another one, and see the same subjects.
 */
export function sectorAddresses(metadata: ClientMetadata): readonly SectorAddress[] {
  const { redirect_uris = [] } = metadata;
  const redirects = redirect_uris.map((url, index) => ({ member: `redirect_uris[${index}]`, url }));
  const member = backchannelSectorMember(metadata);
  const url = member === undefined ? undefined : metadata[member];
  return member === undefined || typeof url !== 'string' ? redirects : [...redirects, { member, url }];
}

/** Returns the member that shows the sector of a client that asks people on another device; undefined for other clients. */
export function backchannelSectorMember(
  metadata: ClientMetadata,
): 'backchannel_client_notification_endpoint' | 'jwks_uri' | undefined {
  if (!metadata.grant_types.includes(CIBA_GRANT)) return undefined;
  return metadata['backchannel_token_delivery_mode'] === 'push'
    ? 'backchannel_client_notification_endpoint'
    : 'jwks_uri';
}
