import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import { parseAuthorization } from '../../spec/authorization-header.ts';
import { type Awaitable, whenKnown } from '../../spec/awaitable.ts';
import type { ClientCertificate } from '../../spec/client-certificate.ts';
import { type AuthMethod, authMethods, type ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { Parameters } from '../../spec/parameters.ts';
import type { CertificateTrust } from '../../spec/server-capabilities.ts';
import { basicChallenge } from '../../spec/www-authenticate.ts';
import { type Confirmation, confirmationBy } from '../../tokens/confirmation.ts';
import { metadataOf } from '../registered-client.ts';
import { isLive } from '../secrets/client-secrets.ts';
import { clientSecretJwt, privateKeyJwt } from './client-assertion.ts';
import { none } from './client-identifier.ts';
import { clientSecretBasic, clientSecretPost } from './client-secret.ts';
import {
  type AuthenticationMethod,
  type AuthenticationNeeds,
  bodyAuthenticates,
  type CredentialPlace,
  type Presented,
} from './method.ts';
import { selfSignedTlsClientAuth, tlsClientAuth } from './mutual-tls.ts';
import { isStillAbout, rememberedOutcome } from './remembered-outcomes.ts';

const METHODS: readonly AuthenticationMethod[] = [
  clientSecretBasic,
  clientSecretPost,
  clientSecretJwt,
  privateKeyJwt,
  tlsClientAuth,
  selfSignedTlsClientAuth,
];

/** Methods a client can authenticate with. Discovery is derived from this list. */
export function authenticationMethods(trust: CertificateTrust): readonly AuthMethod[] {
  const possible = authMethods(trust);
  return METHODS.map((method) => method.name).filter((name) => possible.includes(name));
}

/** What an endpoint accepts. */
interface Accepted {
  readonly methods: readonly AuthenticationMethod[];
  readonly places: ReadonlySet<CredentialPlace>;
}

const accepting = (methods: readonly AuthenticationMethod[]): Accepted => ({
  methods,
  places: new Set(methods.map((method) => method.place)),
});

const PROVEN = accepting(METHODS);
const NAMED = accepting([...METHODS, none]);

/** Methods where a public client may say who it is instead. Discovery is derived from this list. */
export function identificationMethods(trust: CertificateTrust): readonly AuthMethod[] {
  return [...authenticationMethods(trust), none.name];
}

/** A client that proved who it is, or that is public and said so. Only this file makes one. */
export interface AuthenticatedClient {
  readonly stored: StoredClient;
  readonly metadata: ClientMetadata;
  /** What it presented besides, or as, its credentials. */
  readonly certificate: ClientCertificate | undefined;
}

/** What a request offers to authenticate a client with: its header, its form where that can be read, its certificate. */
export interface Offered {
  readonly authorization: string | undefined;
  readonly parameters: Parameters | undefined;
  readonly certificate: ClientCertificate | undefined;
}

/**
 * Exactly one method per request, and it must be the registered one (decision 17).
 * @throws OAuthError invalid_request for two methods at once; invalid_client, the same for every reason, otherwise
 */
export function authenticateClient(
  needs: AuthenticationNeeds,
  offered: Offered,
): Awaitable<AuthenticatedClient> {
  return authenticate(needs, offered, PROVEN);
}

/**
 * As `authenticateClient`; a public client (`none`) need only say who it is (RFC 6749 §3.2.1, RFC 7009 §2.1). For
 * endpoints where the caller shows a token or a code besides.
 */
export function identifyClient(needs: AuthenticationNeeds, offered: Offered): Awaitable<AuthenticatedClient> {
  return authenticate(needs, offered, NAMED);
}

function authenticate(
  needs: AuthenticationNeeds,
  offered: Offered,
  accepted: Accepted,
): Awaitable<AuthenticatedClient> {
  const { authorization, parameters } = offered;
  const onlyHeader = parameters?.['client_id'] === undefined && !bodyAuthenticates(parameters);
  const remembered =
    authorization === undefined || !onlyHeader ? undefined : needs.remembered.get(authorization);
  if (remembered === undefined) return authenticateAnew(needs, offered, accepted);
  return whenKnown(needs.clients.find(remembered.client_id), (stored) =>
    isStillAbout(remembered, stored) && isLive(remembered.secret, needs.clock.now())
      ? accept(needs, stored, remembered.secret, offered)
      : authenticateAnew(needs, offered, accepted),
  );
}

function authenticateAnew(
  needs: AuthenticationNeeds,
  offered: Offered,
  { methods, places }: Accepted,
): Awaitable<AuthenticatedClient> {
  const { authorization, parameters } = offered;
  const presented: Presented = { authorization: parseAuthorization(authorization), parameters };
  const place = placeUsed(needs, presented, places);
  const claimed = place.claim(presented, needs.assertions);
  if (claimed === undefined) throw invalidClient(needs, place, 'credentials are not well-formed');
  const claimedTwice = parameters?.['client_id'] ?? claimed.client_id;
  if (claimedTwice !== claimed.client_id)
    throw invalidClient(needs, place, 'two different client identifiers');
  return whenKnown(needs.clients.find(claimed.client_id as ClientId), (stored) => {
    if (stored === undefined) throw invalidClient(needs, place, 'unknown client');
    const method = registeredMethod(stored, place, methods);
    if (method === undefined) throw invalidClient(needs, place, 'not the registered method');
    return whenKnown(method.prove(needs, stored, claimed, offered.certificate), (proof) => {
      if (!proof.proved) throw invalidClient(needs, place, proof.detail);
      // Only where the header alone is the proof: it must not stand for a secret that came in the body.
      if (authorization !== undefined && method === clientSecretBasic && proof.secret !== undefined)
        needs.remembered.set(authorization, rememberedOutcome(stored, proof.secret));
      return accept(needs, stored, proof.secret, offered);
    });
  });
}

/** @throws OAuthError invalid_request where there are several; invalid_client where there is none */
function placeUsed(
  needs: AuthenticationNeeds,
  presented: Presented,
  places: ReadonlySet<CredentialPlace>,
): CredentialPlace {
  const [place, another] = [...places].filter((each) => each.isUsed(presented));
  if (another !== undefined || (place !== undefined && triesBearer(presented))) {
    throw new OAuthError('invalid_request', {
      error_description: 'more than one way of authentication is used',
    });
  }
  if (place === undefined) throw invalidClient(needs, place, 'no client authentication');
  return place;
}

/** What an assertion is, the registration says and not the assertion: a public key is never the secret of a MAC. */
function registeredMethod(
  stored: StoredClient,
  place: CredentialPlace,
  methods: readonly AuthenticationMethod[],
): AuthenticationMethod | undefined {
  const { token_endpoint_auth_method } = metadataOf(stored);
  return methods.find((method) => method.name === token_endpoint_auth_method && method.place === place);
}

/** Well or badly: a bearer token beside another way of authentication is one too many. */
function triesBearer({ authorization }: Presented): boolean {
  return (
    authorization.scheme === 'bearer' ||
    (authorization.scheme === 'unusable' && authorization.tried === 'bearer')
  );
}

function accept(
  needs: AuthenticationNeeds,
  stored: StoredClient,
  secret: StoredSecret | undefined,
  { certificate }: Offered,
): AuthenticatedClient {
  needs.uses.note(stored, secret);
  return { stored, metadata: metadataOf(stored), certificate };
}

/** RFC 6749 §5.2: a client that tried the Authorization header gets the challenge of its scheme. */
function invalidClient(
  needs: AuthenticationNeeds,
  place: CredentialPlace | undefined,
  detail: string,
): OAuthError {
  return new OAuthError('invalid_client', {
    error_description: 'client authentication failed',
    detail,
    ...(place === clientSecretBasic.place ? { challenge: basicChallenge(needs.issuer) } : {}),
  });
}

/**
 * What the access tokens of this request are bound to: the certificate it came with, for a client that is registered
 * with `tls_client_certificate_bound_access_tokens` (RFC 8705 §3.4); undefined for every other client.
 * @throws OAuthError invalid_request where such a client shows no certificate. RFC 8705 §3.4 leaves it to the server
 * "whether to return an error or issue an unbound token": an unbound one is what the client asked not to get.
 */
export function tokenConfirmation({ metadata, certificate }: AuthenticatedClient): Confirmation | undefined {
  if (metadata['tls_client_certificate_bound_access_tokens'] !== true) return undefined;
  if (certificate !== undefined) return confirmationBy(certificate);
  throw new OAuthError('invalid_request', {
    error_description: 'access tokens of this client are bound to its certificate, and none was presented',
  });
}
