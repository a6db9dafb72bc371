import type { ClientMetadata } from '../spec/client-metadata.ts';
import { CIBA_GRANT, DEVICE_GRANT } from '../spec/grant-types.ts';

/** An address of a client that shows which sector it belongs to. */
export interface SectorAddress {
  readonly member: string;
  readonly url: string;
}

/** A member that shows the sector of a client, and the grant type that makes it needed. */
export interface SectorProof {
  readonly member: 'backchannel_client_notification_endpoint' | 'jwks_uri';
  readonly grant: typeof CIBA_GRANT | typeof DEVICE_GRANT;
}

/**
 * Returns the addresses of a client that share one host, or that its `sector_identifier_uri` lists: the redirection URIs, which get
 * the answers (OpenID Connect Core 1.0 §8.1). A client whose people sit at another device gets tokens without them. It has its
 * `jwks_uri` there too, or for push the address that gets the tokens (OpenID Connect CIBA Core 1.0 §4). Otherwise a client could name the
 * redirection URIs of another one, and see the same subjects.
 */
export function sectorAddresses(metadata: ClientMetadata): readonly SectorAddress[] {
  const { redirect_uris = [] } = metadata;
  const redirects = redirect_uris.map((url, index) => ({ member: `redirect_uris[${index}]`, url }));
  const members = new Set(sectorProofs(metadata).map(({ member }) => member));
  const proofs = [...members].flatMap((member) => {
    const url = metadata[member];
    return typeof url === 'string' ? [{ member, url }] : [];
  });
  return [...redirects, ...proofs];
}

/** Returns what shows the sector of a client that gets tokens without its redirection URIs; nothing for other clients. */
export function sectorProofs({ grant_types, ...metadata }: ClientMetadata): readonly SectorProof[] {
  const proofs: SectorProof[] = [];
  if (grant_types.includes(CIBA_GRANT)) {
    const isPushed = metadata['backchannel_token_delivery_mode'] === 'push';
    const member = isPushed ? 'backchannel_client_notification_endpoint' : 'jwks_uri';
    proofs.push({ member, grant: CIBA_GRANT });
  }
  if (grant_types.includes(DEVICE_GRANT)) proofs.push({ member: 'jwks_uri', grant: DEVICE_GRANT });
  return proofs;
}
