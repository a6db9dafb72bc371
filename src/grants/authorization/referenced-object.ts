import { hash } from 'node:crypto';
import { metadataOf } from '../../clients/registered-client.ts';
import type { Settings } from '../../config/settings.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import { JWE_LENGTH_MAX } from '../../ports/jwe.ts';
import type { OutboundHttp } from '../../ports/outbound-http.ts';
import type { BoundedMap } from '../../spec/bounded-map.ts';
import { type Caches, SLOT_BYTES, textBytes } from '../../spec/caches.ts';
import { freshFor } from '../../spec/freshness.ts';

/** A request object that a `request_uri` refers to, or why there is none. */
export type ReferencedObject =
  | { readonly request: string }
  | { readonly problem: 'not-registered' }
  | {
      readonly problem: 'fetch';
      /** For the log. */
      readonly detail: string;
      /** Seconds until a retry. Present if nothing is known about the object now. */
      readonly retryAfter?: number;
    };

/** Finds the request objects that clients publish (RFC 9101 §5.2, OpenID Connect Core 1.0 §6.2). */
export interface ReferencedObjects {
  /**
   * Returns the text behind a `request_uri` of this client. Fetches nothing that the client has not registered.
   * @param remoteAddress the IP address of the request, for the budget of the fetch
   */
  find(client: StoredClient, request_uri: string, remoteAddress: string): Promise<ReferencedObject>;
}

export interface ReferencedObjectNeeds {
  readonly outbound: OutboundHttp;
  readonly clock: Clock;
  readonly caches: Caches;
  readonly settings: Pick<
    Settings,
    'authorization.request-uri-by-reference' | 'authorization.pushed-requests'
  >;
}

/**
 * RFC 9101 §10.8 and §5.2.3 have the first one; the others are what web servers send for a file with a JWT. The signature of the
 * client decides, not the type.
 */
const MEDIA_TYPES = [
  'application/oauth-authz-req+jwt',
  'application/jwt',
  'application/jose',
  'text/plain',
  'application/octet-stream',
];

/** Seconds that a document is cached at most, whatever its server says. */
const LIFETIME_MAX = 300;
/** Seconds for a document with the hash of its content in the fragment: it cannot change (OpenID Connect Core 1.0 §6.2). */
const HASHED_LIFETIME = 3600;

const ENTRY_BYTES = SLOT_BYTES + 128;

interface Kept {
  readonly request: string;
  /** Seconds since the Unix epoch. */
  readonly until: number;
}

/** Opens an empty cache of request objects for one process and tenant. Returns undefined where the server fetches none. */
export function referencedObjects({
  outbound,
  clock,
  caches,
  settings,
}: ReferencedObjectNeeds): ReferencedObjects | undefined {
  if (!settings['authorization.request-uri-by-reference']) return undefined;
  // Whatever was fetched, the request would be refused: it was not pushed.
  if (settings['authorization.pushed-requests'] === 'all-clients') return undefined;
  const kept: BoundedMap<string, Kept> = caches.open('request-objects', {
    weigh: ({ request }, uri) => ENTRY_BYTES + textBytes(uri) + textBytes(request),
  });
  return {
    async find(client, request_uri, remoteAddress) {
      if (!isRegistered(client, request_uri)) return { problem: 'not-registered' };
      // The key has the fragment. §6.2: "If the fragment value used for a URI changes, that signals the server that any cached
      // value for that URI with the old fragment value is no longer valid."
      const known = kept.get(request_uri);
      if (known !== undefined && clock.now() < known.until) return { request: known.request };
      const [url = '', fragment] = request_uri.split('#', 2);
      const cause = { purpose: 'request-objects', remoteAddress, party: client.client_id } as const;
      const fetched = await outbound.get(url, { mediaTypes: MEDIA_TYPES, bodyMax: JWE_LENGTH_MAX }, cause);
      if (fetched.status === 'failed') {
        const { reason, detail, retryAfter } = fetched;
        const retry = retryAfter === undefined ? {} : { retryAfter };
        return { problem: 'fetch', detail: `${reason}: ${detail}`, ...retry };
      }
      const request = Buffer.from(fetched.body).toString('latin1').trim();
      const lifetime =
        fragment === hash('sha256', fetched.body, 'base64url')
          ? HASHED_LIFETIME
          : freshFor(fetched.caching ?? {}, { min: 0, max: LIFETIME_MAX });
      if (lifetime > 0) kept.set(request_uri, { request, until: clock.now() + lifetime });
      return { request };
    },
  };
}

/**
 * Says whether the client registered this `request_uri`, character by character. A registered value without a fragment admits one
 * in the request: it names a version of the document. A registered fragment pins the version.
 */
function isRegistered(client: StoredClient, request_uri: string): boolean {
  const { request_uris } = metadataOf(client);
  const registered = (request_uris ?? []) as readonly string[];
  return registered.includes(request_uri) || registered.includes(request_uri.replace(/#.*$/su, ''));
}
