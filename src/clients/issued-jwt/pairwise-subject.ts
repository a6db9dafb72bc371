import { createHmac, type KeyObject } from 'node:crypto';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { parseUri } from '../../spec/uri.ts';
import { sectorAddresses } from '../sector-addresses.ts';

/**
 * Returns the subject identifier that a client sees (OpenID Connect Core 1.0 §8). A pairwise one is the same for
 * all clients of a sector. Without the secret it reveals neither the end-user nor whether two of them are the
 * same.
 * @param secret of the tenant; it must never change, because every pairwise subject would change with it
 */
export function subjectFor(metadata: ClientMetadata, sub: string, secret: KeyObject): string {
  if (metadata['subject_type'] !== 'pairwise') return sub;
  const sector = sectorIdentifier(metadata);
  // §8.1: "Any OpenID Provider MUST … not be reversible by any party other than the OpenID Provider." A host
  // holds no NUL, so the text is unambiguous.
  return createHmac('sha256', secret).update(`${sector}\0${sub}`).digest('base64url');
}

/**
 * Returns the session identifier that a client sees. One value for all clients would let clients with
 * pairwise subjects link their end-users (OpenID Connect Core 1.0 §17.3).
 * @param secret as for `subjectFor`
 */
export function sessionFor(metadata: ClientMetadata, sid: string, secret: KeyObject): string {
  if (metadata['subject_type'] !== 'pairwise') return sid;
  // No sector begins with NUL, so this text never equals one of `subjectFor`.
  const text = `\0sid\0${sectorIdentifier(metadata)}\0${sid}`;
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/**
 * OpenID Connect Core 1.0 §8.1: "the Sector Identifier … is the host component" of `sector_identifier_uri`, or
 * else of the redirection URIs, or of the address that stands for them. Registration admits only redirection URIs of one host
 * (clients/registration/metadata-rules.ts).
 */
function sectorIdentifier(metadata: ClientMetadata): string {
  const { sector_identifier_uri } = metadata;
  const uri =
    typeof sector_identifier_uri === 'string' ? sector_identifier_uri : sectorAddresses(metadata)[0]?.url;
  const host = parseUri(uri ?? '')?.http?.host;
  if (host === undefined) throw new Error('a client with pairwise subjects has no sector identifier');
  return host;
}
