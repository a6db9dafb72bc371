import type { ClientMetadata } from './client-metadata.ts';
import { type DefaultScopeSource, defaultScope } from './default-scope.ts';
import { parseScope } from './scope.ts';
import { parseUri } from './uri.ts';

/**
 * The values by which a client is found in a list. A term is a word for its kind, a space, and a value: `scope openid`. Storage
 * keeps a list of clients for each term.
 */
export interface ClientListing {
  /** As `listedName` makes it; empty for a client without a name. */
  readonly name: string;
  readonly terms: readonly string[];
  /** When the newest secret expires; null for a client without one, or with one that never does. */
  readonly secret_expires_at: number | null;
}

/** Everything that a term can be about. */
export type TermKind =
  /** `public` or `confidential`: whether the client authenticates (RFC 6749 §2.1). */
  | 'type'
  | 'grant'
  /** A scope value that the client is registered for, its default scope included. */
  | 'scope'
  /** The host of a redirection URI, or the scheme with its colon where the scheme is private. */
  | 'redirect'
  /** The whole origin, `registered_via`. */
  | 'via'
  /** The part of an origin before its colon. */
  | 'origin'
  | 'entity'
  | 'owner';

/** The parts of a stored client that its listing is made from. */
export interface ListedSource extends DefaultScopeSource {
  readonly client_id: string;
  readonly metadata: string;
  readonly secrets: readonly { readonly expires_at: number }[];
  readonly entity_id: string | null;
  readonly owner: string | null;
}

/** Characters of a name or term that a list keeps. Indexes of databases limit the length of their keys. */
const LISTED_MAX = 100;
const TERM_MAX = 200;

/** Returns the form of a name that lists are searched and sorted by: without differences of case or width, and cut. */
export const listedName = (text: string): string => cut(folded(text).trim(), LISTED_MAX);

/** Returns a term as a list has it. Terms that differ after their first 200 characters share a list. */
export const term = (kind: TermKind, value: string): string => cut(`${kind} ${storable(value)}`, TERM_MAX);

/** Storage keeps text without NUL, in well-formed UTF-8. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}');
const folded = (text: string): string => storable(text).normalize('NFKC').toLowerCase();
const cut = (text: string, most: number): string =>
  text.length <= most ? text : Array.from(text).slice(0, most).join('');

/** Returns the values by which a client is found. It depends on nothing else, so any process lists a client alike. */
export function listingOf(client: ListedSource): ClientListing {
  const metadata = JSON.parse(client.metadata) as Partial<ClientMetadata>;
  const { client_name, grant_types = [], redirect_uris = [], token_endpoint_auth_method } = metadata;
  const { registered_via } = client;
  const origin = registered_via.split(':', 1)[0] ?? '';
  const entity = entityOf(client);
  const scope =
    metadata.scope === undefined
      ? defaultScope(client)
      : (parseScope(metadata.scope) ?? metadata.scope.split(' '));
  const terms = [
    term('type', token_endpoint_auth_method === 'none' ? 'public' : 'confidential'),
    term('via', registered_via),
    term('origin', origin),
    ...grant_types.map((grant) => term('grant', grant)),
    ...scope.map((value) => term('scope', value)),
    ...redirect_uris.map((uri) => term('redirect', redirectPlace(uri))),
    ...(entity === null ? [] : [term('entity', entity)]),
    ...(client.owner === null ? [] : [term('owner', client.owner)]),
  ];
  const expires_at = client.secrets[0]?.expires_at ?? 0;
  return {
    name: listedName(typeof client_name === 'string' ? client_name : ''),
    terms: [...new Set(terms)].sort(),
    secret_expires_at: expires_at === 0 ? null : expires_at,
  };
}

/** An entity that registers automatically has its identifier as `client_id` (OpenID Federation 1.0 §12.1). */
const entityOf = ({ entity_id, client_id, registered_via }: ListedSource): string | null =>
  entity_id ?? (registered_via.startsWith('federation:') ? client_id : null);

function redirectPlace(uri: string): string {
  const parsed = parseUri(uri);
  return parsed?.http?.host ?? `${parsed?.scheme ?? ''}:`;
}
