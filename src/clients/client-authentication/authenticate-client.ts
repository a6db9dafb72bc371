import type { ClientStore, StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import { parseAuthorization } from '../../spec/authorization-header.ts';
import { type Awaitable, whenKnown } from '../../spec/awaitable.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { basicChallenge } from '../../spec/www-authenticate.ts';
import { isLive, liveSecretOf } from '../client-secrets.ts';
import type { ClientUses } from '../client-uses.ts';
import { metadataOf } from '../registered-client.ts';
import { clientSecretBasic } from './client-secret-basic.ts';
import { clientSecretPost } from './client-secret-post.ts';
import type { AuthenticationMethod, Claimed, Presented } from './method.ts';
import { isStillAbout, type RememberedOutcomes, rememberedOutcome } from './remembered-outcomes.ts';

const METHODS: readonly AuthenticationMethod[] = [clientSecretBasic, clientSecretPost];

/** Methods a client can authenticate with. Discovery is derived from this list. */
export const AUTHENTICATION_METHODS: readonly string[] = METHODS.map((method) => method.name);

/** Parameters by which a client may authenticate in the body. */
export const AUTHENTICATION_PARAMETERS = ['client_id', 'client_secret'] as const;

export interface AuthenticationNeeds {
  readonly issuer: string;
  readonly clients: ClientStore;
  readonly clock: Clock;
  readonly uses: ClientUses;
  readonly remembered: RememberedOutcomes;
}

/** A client that proved who it is. Only `authenticateClient` makes one. */
export interface AuthenticatedClient {
  readonly stored: StoredClient;
  readonly metadata: ClientMetadata;
}

/** What a request offers to authenticate a client with: its header, and its form where that can be read. */
export interface Offered {
  readonly authorization: string | undefined;
  readonly parameters: Parameters | undefined;
}

/**
 * Exactly one method per request, and it must be the registered one (decision 17).
 * @throws OAuthError invalid_request for two methods at once; invalid_client, the same for every reason, otherwise
 */
export function authenticateClient(
  needs: AuthenticationNeeds,
  offered: Offered,
): Awaitable<AuthenticatedClient> {
  const { authorization, parameters } = offered;
  const onlyHeader = AUTHENTICATION_PARAMETERS.every((name) => parameters?.[name] === undefined);
  const remembered =
    authorization === undefined || !onlyHeader ? undefined : needs.remembered.get(authorization);
  if (remembered === undefined) return authenticateAnew(needs, offered);
  return whenKnown(needs.clients.find(remembered.client_id), (stored) =>
    isStillAbout(remembered, stored) && isLive(remembered.secret, needs.clock.now())
      ? accept(needs, stored, remembered.secret)
      : authenticateAnew(needs, offered),
  );
}

function authenticateAnew(
  needs: AuthenticationNeeds,
  { authorization, parameters }: Offered,
): Awaitable<AuthenticatedClient> {
  const presented: Presented = { authorization: parseAuthorization(authorization), parameters };
  const tried = METHODS.filter((method) => method.isTried(presented));
  if (tried.length > 1 || (tried.length === 1 && triesBearer(presented))) {
    throw new OAuthError('invalid_request', {
      error_description: 'more than one way of authentication is used',
    });
  }
  const [method] = tried;
  if (method === undefined) throw invalidClient(needs, method, 'no client authentication');
  const claimed = method.claim(presented);
  if (claimed === undefined) throw invalidClient(needs, method, 'credentials are not well-formed');
  const claimedTwice = parameters?.['client_id'] ?? claimed.client_id;
  if (claimedTwice !== claimed.client_id)
    throw invalidClient(needs, method, 'two different client identifiers');
  return whenKnown(needs.clients.find(claimed.client_id as ClientId), (stored) => {
    const secret = verify(needs, method, claimed, stored);
    // Only where the header alone is the proof: it must not stand for a secret that came in the body.
    if (authorization !== undefined && method === clientSecretBasic)
      needs.remembered.set(authorization, rememberedOutcome(secret.of, secret.found));
    return accept(needs, secret.of, secret.found);
  });
}

/** Well or badly: a bearer token beside another way of authentication is one too many. */
function triesBearer({ authorization }: Presented): boolean {
  return (
    authorization.scheme === 'bearer' ||
    (authorization.scheme === 'unusable' && authorization.tried === 'bearer')
  );
}

/** @throws OAuthError invalid_client */
function verify(
  needs: AuthenticationNeeds,
  method: AuthenticationMethod,
  claimed: Claimed,
  stored: StoredClient | undefined,
): { readonly of: StoredClient; readonly found: StoredSecret } {
  if (stored === undefined) throw invalidClient(needs, method, 'unknown client');
  const secret = liveSecretOf(stored, claimed.secret, needs.clock.now());
  if (metadataOf(stored).token_endpoint_auth_method !== method.name) {
    throw invalidClient(needs, method, 'not the registered method');
  }
  if (secret === undefined) throw invalidClient(needs, method, 'wrong or expired secret');
  return { of: stored, found: secret };
}

function accept(needs: AuthenticationNeeds, stored: StoredClient, secret: StoredSecret): AuthenticatedClient {
  needs.uses.note(stored, secret);
  return { stored, metadata: metadataOf(stored) };
}

/** RFC 6749 §5.2: a client that tried the Authorization header gets the challenge of its scheme. */
function invalidClient(
  needs: AuthenticationNeeds,
  method: AuthenticationMethod | undefined,
  detail: string,
): OAuthError {
  return new OAuthError('invalid_client', {
    error_description: 'client authentication failed',
    detail,
    ...(method === clientSecretBasic ? { challenge: basicChallenge(needs.issuer) } : {}),
  });
}
