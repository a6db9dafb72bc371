import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import { parseAuthorization } from '../../spec/authorization-header.ts';
import { type Awaitable, whenKnown } from '../../spec/awaitable.ts';
import type { ClientCertificate } from '../../spec/client-certificate.ts';
import type { AuthMethod, ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError, type RefusalNotes } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { basicChallenge } from '../../spec/www-authenticate.ts';
import type { DpopProof } from '../../tokens/dpop-proof.ts';
import { isAutomatic, mayHaveRolledKeys } from '../federated-client.ts';
import { metadataOf } from '../registered-client.ts';
import { isLive } from '../secrets/client-secrets.ts';
import { clientSecretJwt, privateKeyJwt } from './client-assertion.ts';
import { none, noneByBasic } from './client-identifier.ts';
import { clientSecretBasic, clientSecretPost } from './client-secret.ts';
import {
  type AuthenticationMethod,
  type AuthenticationNeeds,
  bodyAuthenticates,
  type Claimed,
  type Connection,
  type CredentialPlace,
  type Presented,
} from './method.ts';
import { selfSignedTlsClientAuth, statedCertificateProblem, tlsClientAuth } from './mutual-tls.ts';
import { isStillAbout, rememberedOutcome } from './remembered-outcomes.ts';

const METHODS: readonly AuthenticationMethod[] = [
  clientSecretBasic,
  clientSecretPost,
  clientSecretJwt,
  privateKeyJwt,
  tlsClientAuth,
  selfSignedTlsClientAuth,
];

/** Lists the methods by which a client can authenticate. Discovery shows this list. */
export function authenticationMethods(possible: readonly AuthMethod[]): readonly AuthMethod[] {
  return METHODS.map((method) => method.name).filter((name) => possible.includes(name));
}

/** The methods that an endpoint accepts, and the places of a request where their credentials stand. */
interface Accepted {
  readonly methods: readonly AuthenticationMethod[];
  readonly places: ReadonlySet<CredentialPlace>;
}

const accepting = (methods: readonly AuthenticationMethod[]): Accepted => ({
  methods,
  places: new Set(methods.map((method) => method.place)),
});

const PROVEN = accepting(METHODS);
const NAMED = accepting([...METHODS, none, noneByBasic]);

/**
 * Lists the same methods and `none`, for endpoints that also serve public clients. Discovery shows this list.
 */
export function identificationMethods(possible: readonly AuthMethod[]): readonly AuthMethod[] {
  return [...authenticationMethods(possible), ...(possible.includes(none.name) ? [none.name] : [])];
}

/** A client that proved its identity, or a public client that stated it. Only this file makes one. */
export interface AuthenticatedClient {
  readonly stored: StoredClient;
  readonly metadata: ClientMetadata;
  /** The certificate of the connection, whether or not it served as the credential. */
  readonly certificate: ClientCertificate | undefined;
  /** The signed DPoP proof of the request (RFC 9449); absent without one. */
  readonly proof?: DpopProof | undefined;
}

/**
 * The parts of a request that can authenticate a client. `parameters` is undefined if the body is not a
 * readable form.
 */
export interface Offered extends Connection {
  readonly authorization: string | undefined;
  readonly parameters: Parameters | undefined;
}

/**
 * Authenticates a client by exactly one method, which must be the one in its registration (decision 17), or another way to
 * send the same secret (decision 44).
 * @throws OAuthError invalid_request for two methods at once; otherwise invalid_client, with the same text
 * for every reason, or temporarily_unavailable if the keys of the client cannot be had now
 */
export function authenticateClient(
  needs: AuthenticationNeeds,
  offered: Offered,
): Awaitable<AuthenticatedClient> {
  return needs.tracing === undefined
    ? authenticate(needs, offered, PROVEN)
    : needs.tracing.span('authenticate client', 'internal', {}, () => authenticate(needs, offered, PROVEN));
}

/**
 * Authenticates a client as `authenticateClient` does, and accepts a public client (`none`) that only states
 * its identifier (RFC 6749 §3.2.1, RFC 7009 §2.1). For endpoints where the caller also shows a token or a
 * code.
 */
export function identifyClient(needs: AuthenticationNeeds, offered: Offered): Awaitable<AuthenticatedClient> {
  return needs.tracing === undefined
    ? authenticate(needs, offered, NAMED)
    : needs.tracing.span('authenticate client', 'internal', {}, () => authenticate(needs, offered, NAMED));
}

/**
 * Says whether a pushed request has no credentials but a request object. OpenID Federation 1.0 §12.1.1.2: "either a Request Object
 * MUST be used as a PAR parameter … or a client authentication method". A certificate of the connection may prove the client too.
 */
export function leavesProofToRequestObject({ authorization, parameters }: Offered): boolean {
  return (
    parameters?.['request'] !== undefined && authorization === undefined && !bodyAuthenticates(parameters)
  );
}

/**
 * Returns the client that pushes an authorisation request: one that `identifyClient` returns, or an automatic client whose request
 * object has still to prove it. Every other client authenticates. The certificate of an automatic client must be in its key set.
 * @throws OAuthError as `authenticateClient`
 */
export function identifyPushingClient(
  needs: AuthenticationNeeds,
  offered: Offered,
): Awaitable<Pick<AuthenticatedClient, 'stored'>> {
  const client_id = offered.parameters?.['client_id'];
  if (!leavesProofToRequestObject(offered) || client_id === undefined)
    return whenKnown(identifyClient(needs, offered), (client) =>
      isAutomatic(client.stored) ? withStatedCertificate(needs, client, offered) : client,
    );
  return whenKnown(clientOf(needs, client_id as ClientId, offered), (stored) =>
    stored !== undefined && isAutomatic(stored) ? { stored } : identifyClient(needs, offered),
  );
}

async function withStatedCertificate(
  needs: AuthenticationNeeds,
  client: AuthenticatedClient,
  offered: Offered,
): Promise<AuthenticatedClient> {
  const { stored } = client;
  const problem = await statedCertificateProblem(needs, stored, offered);
  if (problem === undefined) return client;
  throw new OAuthError('invalid_client', {
    error_description: `${FAILED}: ${problem}`,
    ...proofNotes(stored, { reason: 'certificate-key', detail: problem }),
  });
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
  if (claimed === undefined)
    throw invalidClient(needs, place, {
      reason: 'malformed-credentials',
      detail: 'credentials are not well-formed',
    });
  const stated = parameters?.['client_id'] ?? claimed.client_id;
  if (stated !== claimed.client_id)
    throw invalidClient(needs, place, {
      reason: 'two-client-ids',
      detail: 'client_id and the credentials name different clients',
      values: { client_id: stated, credentials: claimed.client_id },
    });
  const { client_id: client } = claimed;
  return whenKnown(clientOf(needs, client as ClientId, offered), (stored) => {
    if (stored === undefined)
      throw invalidClient(needs, place, { reason: 'unknown-client', detail: 'unknown client', client });
    if (stored.document !== null)
      return proveDocumentClient(needs, stored, { place, claimed, offered, methods });
    const method = acceptedMethod(needs, stored, place, methods);
    if (method === undefined) throw invalidClient(needs, place, otherMethod(needs, stored));
    return whenKnown(method.prove(needs, stored, claimed, offered), (proof) => {
      if (!proof.proved && mayHaveRolledKeys(stored, proof.notes))
        return proveNewer(needs, stored, { place, claimed, offered, methods }, proof.notes);
      if (!proof.proved) throw invalidClient(needs, place, proofNotes(stored, proof.notes));
      // A secret from the body is never remembered under a header: only the header itself is the proof here.
      if (authorization !== undefined && method === clientSecretBasic && proof.secret !== undefined)
        needs.remembered.set(authorization, rememberedOutcome(stored, proof.secret));
      return accept(needs, stored, proof.secret, offered);
    });
  });
}

/** Notes that the request uses another method than the client is registered for. */
function otherMethod({ methods }: AuthenticationNeeds, stored: StoredClient): RefusalNotes {
  const { token_endpoint_auth_method: registered } = metadataOf(stored);
  if (!methods.includes(registered)) {
    const detail = `registered for ${registered}, which client-authentication.methods does not hold`;
    return proofNotes(stored, { reason: 'authentication-method-off', detail });
  }
  const detail = `not the registered method, ${registered}`;
  return proofNotes(stored, { reason: 'other-authentication-method', detail });
}

interface Attempt {
  readonly place: CredentialPlace;
  readonly claimed: Claimed;
  readonly offered: Offered;
  readonly methods: readonly AuthenticationMethod[];
}

/** Proves a client whose metadata is a document. If the proof fails, its owner may have changed its keys or its method. */
async function proveDocumentClient(
  needs: AuthenticationNeeds,
  stored: StoredClient,
  attempt: Attempt,
): Promise<AuthenticatedClient> {
  const problem = await problemOf(needs, stored, attempt);
  if (problem === undefined) return accept(needs, stored, undefined, attempt.offered);
  return await proveNewer(needs, stored, attempt, problem);
}

/** Proves a client by its metadata of now, after those that the server has did not suffice. */
async function proveNewer(
  needs: AuthenticationNeeds,
  stored: StoredClient,
  attempt: Attempt,
  notes: RefusalNotes,
): Promise<AuthenticatedClient> {
  const problem = proofNotes(stored, notes);
  const newer = await needs.newer(stored, attempt.offered.remoteAddress);
  const still = newer === undefined ? problem : await problemOf(needs, newer, attempt);
  if (newer === undefined || still !== undefined) throw invalidClient(needs, attempt.place, still ?? problem);
  return accept(needs, newer, undefined, attempt.offered);
}

/** Returns why the credentials do not prove the client; undefined if they do. */
async function problemOf(
  needs: AuthenticationNeeds,
  stored: StoredClient,
  { place, claimed, offered, methods }: Attempt,
): Promise<RefusalNotes | undefined> {
  const method = acceptedMethod(needs, stored, place, methods);
  if (method === undefined) return otherMethod(needs, stored);
  const proof = await method.prove(needs, stored, claimed, offered);
  return proof.proved ? undefined : proofNotes(stored, proof.notes);
}

/** Adds the client and its registered method to what the log says about a proof. */
function proofNotes(stored: StoredClient, notes: RefusalNotes): RefusalNotes {
  const { token_endpoint_auth_method: registered } = metadataOf(stored);
  return { client: stored.client_id, registered, ...notes };
}

function clientOf(
  { clients, current }: AuthenticationNeeds,
  client_id: ClientId,
  { remoteAddress, parameters }: Offered,
): Awaitable<StoredClient | undefined> {
  return whenKnown(clients.find(client_id), (found) =>
    current(found, client_id, remoteAddress, parameters?.['request']),
  );
}

/**
 * Returns the one place of the request that holds credentials.
 * @throws OAuthError invalid_request if there are several; invalid_client if there is none
 */
function placeUsed(
  needs: AuthenticationNeeds,
  presented: Presented,
  places: ReadonlySet<CredentialPlace>,
): CredentialPlace {
  const [place, another] = [...places].filter((each) => each.isUsed(presented));
  if (another !== undefined || (place !== undefined && triesBearer(presented))) {
    throw new OAuthError('invalid_request', {
      error_description: 'the request uses more than one client authentication method; use exactly one',
      reason: 'several-authentication-methods',
      tried: [place, another].map((each) => each?.tried ?? 'bearer').join(' and '),
    });
  }
  if (place === undefined)
    throw invalidClient(needs, place, {
      reason: 'no-client-authentication',
      detail: 'no client authentication',
    });
  return place;
}

/** Two ways to send one thing: RFC 6749 §2.3.1 requires HTTP Basic for every client with a password (decision 44). */
const SENDING_A_SECRET: ReadonlySet<AuthMethod> = new Set([clientSecretBasic.name, clientSecretPost.name]);

/**
 * Returns the method that the client is registered for, or another way to send the same secret, if its credentials stand in
 * `place`. The registration decides how an assertion is verified, not the assertion: otherwise a public key could serve as
 * the secret of a MAC.
 */
function acceptedMethod(
  { anySecretTransport, methods: allowed }: AuthenticationNeeds,
  stored: StoredClient,
  place: CredentialPlace,
  methods: readonly AuthenticationMethod[],
): AuthenticationMethod | undefined {
  const { token_endpoint_auth_method: registered } = metadataOf(stored);
  if (!allowed.includes(registered)) return undefined;
  const isAccepted = (name: AuthMethod): boolean =>
    name === registered ||
    (anySecretTransport && SENDING_A_SECRET.has(registered) && SENDING_A_SECRET.has(name));
  return methods.find((method) => method.place === place && isAccepted(method.name));
}

/**
 * Says whether the header tries a bearer token, well-formed or not. Together with another method it makes
 * two.
 */
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

const FAILED = 'client authentication failed';

/** One text for every reason: it must not tell which identifiers exist (decision 19). */
const REGISTER_AGAIN =
  'a client that registered itself is deleted after a time without use, and can register again';

/** Names the methods where the one that clients have without a word is off. */
const acceptedWords = ({ methods }: AuthenticationNeeds): string =>
  `this server accepts ${methods.join(', ')}`;

/**
 * Makes the refusal. RFC 6749 §5.2: a client that used the Authorization header gets the challenge of its
 * scheme.
 */
function invalidClient(
  needs: AuthenticationNeeds,
  place: CredentialPlace | undefined,
  notes: RefusalNotes,
): OAuthError {
  return new OAuthError('invalid_client', {
    error_description: [
      FAILED,
      ...(needs.methods.includes('client_secret_basic') ? [] : [acceptedWords(needs)]),
      ...(needs.openRegistration ? [REGISTER_AGAIN] : []),
    ].join('; '),
    ...(place === undefined ? {} : { tried: place.tried }),
    ...notes,
    ...(place === clientSecretBasic.place ? { challenge: basicChallenge(needs.issuer) } : {}),
  });
}
