import { createHmac, type KeyObject } from 'node:crypto';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { parseUri } from '../../spec/uri.ts';

/**
 * The subject of an end-user as a client may know it (OpenID Connect Core 1.0 §8). A pairwise one is the same for all
 * clients of a sector, and tells nobody without the secret who it is or whether two of them are one.
 * @param secret of the tenant; it never changes, or every pairwise subject would be somebody else
 */
export function subjectFor(metadata: ClientMetadata, sub: string, secret: KeyObject): string {
  if (metadata['subject_type'] !== 'pairwise') return sub;
  const sector = sectorIdentifier(metadata);
  // §8.1: "Any OpenID Provider MUST … not be reversible by any party other than the OpenID Provider." A host holds no NUL.
  return createHmac('sha256', secret).update(`${sector}\0${sub}`).digest('base64url');
}

/**
 * The identifier of a session as a client may know it: one value for everybody would tell clients of pairwise subjects that
 * two of those are one end-user (OpenID Connect Core 1.0 §17.3).
 * @param secret as for `subjectFor`
 */
export function sessionFor(metadata: ClientMetadata, sid: string, secret: KeyObject): string {
  if (metadata['subject_type'] !== 'pairwise') return sid;
  // No sector begins with NUL: what is hashed here is never what is hashed for a subject.
  const text = `\0sid\0${sectorIdentifier(metadata)}\0${sid}`;
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/**
 * §8.1: "the Sector Identifier … is the host component" of `sector_identifier_uri` where it is registered, otherwise of
 * the redirection URIs: registration has made sure that they have one host (clients/metadata-rules.ts).
 */
function sectorIdentifier({ sector_identifier_uri, redirect_uris = [] }: ClientMetadata): string {
  const uri = typeof sector_identifier_uri === 'string' ? sector_identifier_uri : redirect_uris[0];
  const host = parseUri(uri ?? '')?.http?.host;
  if (host === undefined) throw new Error('a client of pairwise subjects without a sector');
  return host;
}
