import type { Certificate } from '../../keys/certificate.ts';
import type { ClientStore, StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AudienceRule, JwtVerifier } from '../../ports/jwt-verifier.ts';
import type { ReplayStore } from '../../ports/replay-store.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type { Credentials } from '../../spec/authorization-header.ts';
import type { Awaitable } from '../../spec/awaitable.ts';
import type { ClientCertificate } from '../../spec/client-certificate.ts';
import type { AuthMethod } from '../../spec/client-metadata.ts';
import type { Parameters } from '../../spec/parameters.ts';
import type { RemoteJwkSets } from '../client-keys/remote-jwk-set.ts';
import type { ClientUses } from '../upkeep/client-uses.ts';
import type { RememberedOutcomes } from './remembered-outcomes.ts';

export interface AuthenticationNeeds {
  readonly issuer: string;
  readonly clients: ClientStore;
  readonly clock: Clock;
  readonly uses: ClientUses;
  readonly remembered: RememberedOutcomes;
  readonly assertions: AssertionNeeds;
  /** Who may vouch for the certificates of clients, as configured now. */
  readonly certificateAuthorities: () => readonly Certificate[];
}

/** What it takes to verify client assertions. */
export interface AssertionNeeds {
  readonly verifier: JwtVerifier;
  readonly jwkSets: RemoteJwkSets;
  readonly sealer: Sealer;
  readonly replays: ReplayStore;
  readonly audience: AudienceRule;
}

/** What a request offers to authenticate a client with. */
export interface Presented {
  readonly authorization: Credentials;
  /** Of the form in the body; undefined where there is none that can be read. */
  readonly parameters: Parameters | undefined;
}

/** Who a request says it is, and what shall prove it: a secret or an assertion; empty where only a certificate can. */
export interface Claimed {
  readonly client_id: string;
  readonly credential: string;
}

/** A place of a request that credentials come in: credentials in two of them are one too many (RFC 6749 §2.3). */
export interface CredentialPlace {
  /** Whether the request uses this place, well or badly. */
  isUsed(presented: Presented): boolean;
  /** Undefined where it is used badly. */
  claim(presented: Presented, needs: AssertionNeeds): Claimed | undefined;
}

/** `detail` is for the log only. */
export type Proof =
  | { readonly proved: true; readonly secret: StoredSecret | undefined }
  | { readonly proved: false; readonly detail: string };

/** A client authentication method (RFC 7591 §2, `token_endpoint_auth_method`). */
export interface AuthenticationMethod {
  readonly name: AuthMethod;
  readonly place: CredentialPlace;
  /**
   * @param stored a client that is registered for this method
   * @param certificate what the caller presented, to prove itself by or besides
   */
  prove(
    needs: AuthenticationNeeds,
    stored: StoredClient,
    claimed: Claimed,
    certificate: ClientCertificate | undefined,
  ): Awaitable<Proof>;
}

/** Parameters of the body that hold what a client authenticates with. */
const CREDENTIAL_PARAMETERS = ['client_secret', 'client_assertion', 'client_assertion_type'] as const;

/** Parameters by which a client may authenticate in the body, or say who it is. */
export const AUTHENTICATION_PARAMETERS = ['client_id', ...CREDENTIAL_PARAMETERS] as const;

/** Whether the body tries to authenticate a client, whatever the header does. */
export function bodyAuthenticates(parameters: Parameters | undefined): boolean {
  return CREDENTIAL_PARAMETERS.some((name) => parameters?.[name] !== undefined);
}
