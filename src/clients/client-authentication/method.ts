import type { Certificate } from '../../keys/certificate.ts';
import type { ClientStore, StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AudienceRule, JwtVerifier } from '../../ports/jwt-verifier.ts';
import type { ReplayStore } from '../../ports/replay-store.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type { Tracing } from '../../ports/tracing.ts';
import type { Credentials } from '../../spec/authorization-header.ts';
import type { Awaitable } from '../../spec/awaitable.ts';
import type { ClientCertificate } from '../../spec/client-certificate.ts';
import type { AuthMethod } from '../../spec/client-metadata.ts';
import type { RefusalNotes } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { SignatureAlgorithm } from '../../spec/jose-algorithms.ts';
import type { Parameters } from '../../spec/parameters.ts';
import type { RemoteJwkSets } from '../client-keys/remote-jwk-set.ts';
import type { ClientUses } from '../upkeep/client-uses.ts';
import type { RememberedOutcomes } from './remembered-outcomes.ts';

export interface AuthenticationNeeds {
  /** Records spans; absent where none are recorded. */
  readonly tracing?: Pick<Tracing, 'span'>;
  readonly issuer: string;
  readonly clients: ClientStore;
  /**
   * Returns a client as it is now: renews one whose metadata is a document, or whose registration through a federation has
   * expired, and may register one that is not known yet.
   * @param requestObject the request object of a pushed request
   * @throws OAuthError invalid_client, temporarily_unavailable
   */
  readonly current: (
    found: StoredClient | undefined,
    client_id: ClientId,
    remoteAddress: string,
    requestObject: string | undefined,
  ) => Awaitable<StoredClient | undefined>;
  /**
   * Returns a newer version of a client whose metadata is a document, or the configuration of an entity; undefined if there is
   * none.
   * @throws as `current`
   */
  readonly newer: (client: StoredClient, remoteAddress: string) => Promise<StoredClient | undefined>;
  readonly clock: Clock;
  readonly uses: ClientUses;
  readonly remembered: RememberedOutcomes;
  readonly assertions: AssertionNeeds;
  /** The methods that the settings allow. */
  readonly methods: readonly AuthMethod[];
  /** Whether a secret may come by HTTP Basic and in the form, whichever of the two the client registered. */
  readonly anySecretTransport: boolean;
  /** Whether a client that was deleted, because nothing used it, can register again without a token. */
  readonly openRegistration: boolean;
  /**
   * Returns the certificate authorities that are trusted for client certificates under the current settings.
   */
  readonly certificateAuthorities: () => readonly Certificate[];
}

/** Everything that verifying a client assertion needs. */
export interface AssertionNeeds {
  readonly verifier: JwtVerifier;
  readonly jwkSets: RemoteJwkSets;
  readonly sealer: Sealer;
  readonly replays: ReplayStore;
  readonly audience: AudienceRule;
  /** The algorithms of signatures with key pairs. */
  readonly algorithms: readonly SignatureAlgorithm[];
  /** Seconds. Limits the age of an assertion and the rest of its life, and so how long its `jti` is remembered. */
  readonly lifetimeMax: number;
}

/** The parts of a request that hold credentials. */
export interface Presented {
  readonly authorization: Credentials;
  /** Parameters of the form in the body; undefined if there is no readable form. */
  readonly parameters: Parameters | undefined;
}

/**
 * The client that a request states, and its credential: a secret, an assertion, or empty if only a
 * certificate can prove it.
 */
export interface Claimed {
  readonly client_id: string;
  readonly credential: string;
}

/** The facts about a caller that its connection shows. */
export interface Connection {
  /** The certificate of the connection, if the caller presented one. */
  readonly certificate: ClientCertificate | undefined;
  /** The IP address of the caller, or the one that a trusted proxy names. */
  readonly remoteAddress: string;
}

/** A place in a request where credentials stand. A request may use one place only (RFC 6749 §2.3). */
export interface CredentialPlace {
  /** The method for the log, as far as the place shows it. */
  readonly tried: string;
  /** Says whether the request uses this place, well-formed or not. */
  isUsed(presented: Presented): boolean;
  /** Returns the stated client; undefined if the credentials are malformed. */
  claim(presented: Presented, needs: AssertionNeeds): Claimed | undefined;
}

export type Proof =
  | { readonly proved: true; readonly secret: StoredSecret | undefined }
  | { readonly proved: false; readonly notes: RefusalNotes };

/** A client authentication method (RFC 7591 §2, `token_endpoint_auth_method`). */
export interface AuthenticationMethod {
  readonly name: AuthMethod;
  readonly place: CredentialPlace;
  /**
   * Checks the credential of a client that is registered for this method.
   * @throws OAuthError temporarily_unavailable if the keys of the client cannot be had now
   */
  prove(
    needs: AuthenticationNeeds,
    stored: StoredClient,
    claimed: Claimed,
    connection: Connection,
  ): Awaitable<Proof>;
}

/** Parameters of the body that hold credentials of a client. */
const CREDENTIAL_PARAMETERS = ['client_secret', 'client_assertion', 'client_assertion_type'] as const;

/** Parameters of the body that authenticate or name a client. */
export const AUTHENTICATION_PARAMETERS = ['client_id', ...CREDENTIAL_PARAMETERS] as const;

/** Says whether the body holds credentials of a client, whatever the header holds. */
export function bodyAuthenticates(parameters: Parameters | undefined): boolean {
  return CREDENTIAL_PARAMETERS.some((name) => parameters?.[name] !== undefined);
}
