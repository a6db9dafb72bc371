import { digestOf } from '../../keys/digest.ts';
import type { Clock } from '../../ports/clock.ts';
import type { InteractionStore } from '../../ports/interaction-store.ts';
import type { Random } from '../../ports/random.ts';
import { type ClientId, type Digest, IDENTIFIER_LENGTHS } from '../../spec/identifiers.ts';
import type { Parameters } from '../../spec/parameters.ts';

/** The beginning of every `request_uri` (RFC 9126 §2.2). */
export const REQUEST_URI_PREFIX = 'urn:ietf:params:oauth:request_uri:';

export interface PushedRequestNeeds {
  readonly interactions: InteractionStore;
  readonly clock: Clock;
  readonly random: Random;
  /** Seconds that a pushed request waits for its end-user. */
  readonly lifetime: number;
}

/** The parameters that a client pushed, and whether it signed them. */
export interface PushedRequest {
  readonly parameters: Parameters;
  readonly signed: boolean;
  /** The keys of a client that is registered by a document (`clientKeysOf`). */
  readonly client_keys?: Digest;
}

/**
 * Stores a pushed request and returns its `request_uri` (§2.2: "The request_uri … MUST be bound to the client that posted the
 * authorization request").
 */
export async function pushRequest(
  needs: PushedRequestNeeds,
  client_id: ClientId,
  request: PushedRequest,
): Promise<{ readonly request_uri: string; readonly expires_in: number }> {
  const reference = needs.random.alphanumeric(IDENTIFIER_LENGTHS.access_token);
  const created_at = needs.clock.now();
  await needs.interactions.begin({
    key: digestOf(reference),
    kind: 'pushed',
    browser: digestOf(client_id),
    version: 1,
    content: JSON.stringify(request),
    created_at,
    expires_at: created_at + needs.lifetime,
  });
  return { request_uri: REQUEST_URI_PREFIX + reference, expires_in: needs.lifetime };
}

/**
 * Takes a pushed request, once (§7.3: "the authorization server … SHOULD treat request_uri values as one-time use").
 * @returns undefined for an unknown, used or expired reference, and for a reference of another client
 */
export async function takePushedRequest(
  { interactions, clock }: PushedRequestNeeds,
  client_id: string,
  request_uri: string,
): Promise<PushedRequest | undefined> {
  const pushed = await interactions.find(digestOf(request_uri.slice(REQUEST_URI_PREFIX.length)));
  if (pushed?.kind !== 'pushed' || pushed.browser !== digestOf(client_id)) return undefined;
  if (clock.now() >= pushed.expires_at || (await interactions.complete(pushed)) !== 'done') return undefined;
  const { parameters, ...kept } = JSON.parse(pushed.content) as PushedRequest;
  return { parameters: Object.assign(Object.create(null), parameters) as Parameters, ...kept };
}
