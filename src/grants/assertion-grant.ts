import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import type { RemoteJwkSets } from '../clients/client-keys/remote-jwk-set.ts';
import { registeredScope } from '../clients/registered-client.ts';
import { digestOf } from '../keys/digest.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { JwtVerifier } from '../ports/jwt-verifier.ts';
import type { ReplayKind, ReplayStore } from '../ports/replay-store.ts';
import type { SamlAssertionVerifier, SamlKeys } from '../ports/saml-assertion-verifier.ts';
import { OAuthError, quotedValue, type RefusalNotes } from '../spec/errors.ts';
import type { ClientId } from '../spec/identifiers.ts';
import type { SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { memberOf, parseScope } from '../spec/scope.ts';
import { withoutAdminScope } from './admin-scope.ts';

/**
 * An issuer whose assertions about subjects this server accepts
 * (RFC 7521 §3: "the authorization server has established a trust relationship").
 */
export interface AssertionIssuer {
  readonly issuer: string;
  /** The claim or SAML attribute that names the subject; undefined: `sub` or the `NameID`. */
  readonly subjectFrom: string | undefined;
  /** Put in front of each subject, so that two issuers never name the same subject. */
  readonly subjectPrefix: string;
  /** The only subjects it may name; undefined = any. */
  readonly subjects: readonly string[] | undefined;
  /** The scope values it may grant. */
  readonly scope: readonly string[];
  /** The clients that may present its assertions; undefined = any. */
  readonly clients: readonly string[] | undefined;
  /** Further names of this server; its issuer identifier always counts. */
  readonly audiences: readonly string[];
}

/**
 * The uses of the JWTs of an issuer: a grant (RFC 7523 §2.1), a token to exchange (RFC 8693 §2.1), or an identity assertion grant
 * (draft-ietf-oauth-identity-assertion-authz-grant-01 §4.4).
 */
export type IssuerUse = 'grant' | 'subject-token' | 'actor-token' | 'id-jag';

export interface JwtIssuer extends AssertionIssuer {
  /** The uses that the issuer is trusted for. */
  readonly uses: readonly IssuerUse[];
  /** Claims of the new token, each with the claim of an exchanged JWT that it comes from. */
  readonly claims: Readonly<Record<string, string>>;
  readonly keys: { readonly jwks: readonly JsonWebKey[] } | { readonly jwks_uri: string };
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly requireJti: boolean;
}

export interface SamlIssuer extends AssertionIssuer, SamlKeys {}

export interface AssertionGrantNeeds {
  /** Our issuer identifier. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** Its address among `mtls_endpoint_aliases` (RFC 8705 §5); undefined without aliases. */
  readonly tokenEndpointAlias: string | undefined;
  /** `legacy` also accepts the address of the token endpoint, and an audience with further members (decision 18). */
  readonly audience: 'issuer' | 'legacy';
  readonly jwtIssuers: readonly JwtIssuer[];
  readonly samlIssuers: readonly SamlIssuer[];
  /** Characters of a SAML assertion. */
  readonly samlLengthMax: number;
  /** Seconds. */
  readonly lifetimeMax: number;
  /** Seconds. */
  readonly clockSkew: number;
  readonly verifier: JwtVerifier;
  readonly samlVerifier: SamlAssertionVerifier;
  readonly clock: Clock;
  readonly jwkSets: RemoteJwkSets;
  readonly replays: ReplayStore;
  readonly clients: ClientStore;
}

/** Returns every address of the token endpoint that discovery publishes: an issuer may name the one that its client calls. */
export function tokenEndpoints({
  tokenEndpoint,
  tokenEndpointAlias,
}: Pick<AssertionGrantNeeds, 'tokenEndpoint' | 'tokenEndpointAlias'>): readonly string[] {
  return tokenEndpointAlias === undefined ? [tokenEndpoint] : [tokenEndpoint, tokenEndpointAlias];
}

/** The content of a verified assertion. */
export interface Asserted {
  readonly issuer: AssertionIssuer;
  /** As the issuer writes it, without prefix. */
  readonly subject: unknown;
  /** Makes the assertion usable once; undefined if it has no identifier and needs none. */
  readonly id: string | undefined;
  /** Seconds since the Unix epoch. */
  readonly expires_at: number;
}

/** RFC 6749 §5.2, `sub` of an access token. */
const SUBJECT_LENGTH_MAX = 255;

const ID_LENGTH_MAX = 256;

/**
 * Returns the parameter `assertion`.
 * @throws OAuthError invalid_request if it is missing
 */
export function requireAssertion(assertion: string | undefined): string {
  if (assertion === undefined) {
    throw new OAuthError('invalid_request', {
      error_description: 'assertion is missing',
      reason: 'missing-parameter',
    });
  }
  return assertion;
}

/** Builds the error for an assertion or token that is refused: its words follow the name of it. */
export type Refusing = (problem: string, detail?: string, notes?: RefusalNotes) => OAuthError;

/** Builds the error for an assertion that is refused (RFC 7521 §4.1.1: "If the assertion is not valid or has expired, … invalid_grant"). */
export function invalidAssertion(problem: string, detail?: string, notes: RefusalNotes = {}): OAuthError {
  return new OAuthError('invalid_grant', {
    error_description: `the assertion ${problem}`,
    reason: 'assertion',
    ...(detail === undefined ? {} : { detail }),
    ...notes,
  });
}

const untrusted = (iss: string): RefusalNotes => ({ reason: 'assertion-issuer', values: { iss } });

/**
 * Returns the trusted issuer with this name.
 * @throws OAuthError invalid_grant if the issuer is not trusted, or if this client may not present its assertions
 */
export function trustedIssuer<Issuer extends AssertionIssuer>(
  issuers: readonly Issuer[],
  claimed: string,
  client: AuthenticatedClient,
  refused: Refusing = invalidAssertion,
): Issuer {
  const issuer = issuers.find((trusted) => trusted.issuer === claimed);
  if (issuer === undefined)
    throw refused('has an issuer that is not trusted here', claimed, untrusted(claimed));
  if (issuer.clients !== undefined && !issuer.clients.includes(client.stored.client_id)) {
    throw refused('may not be presented by this client', undefined, untrusted(claimed));
  }
  return issuer;
}

/**
 * Returns the subject and the scope of the token for a verified assertion, and marks the assertion as used. A request
 * that fails before that does not use the assertion up: the client can correct the request and send it again.
 * @throws OAuthError invalid_grant, invalid_scope
 */
export async function useAssertion(
  needs: AssertionGrantNeeds,
  kind: ReplayKind,
  client: AuthenticatedClient,
  asserted: Asserted,
  requestedScope: string | undefined,
): Promise<{ readonly sub: string; readonly scope: readonly string[] }> {
  const sub = await mappedSubject(needs, asserted);
  const scope = grantedScope(
    requestedScope,
    withoutAdminScope(registeredScope(client.stored)),
    asserted.issuer.scope,
  );
  await requireUnused(needs, kind, asserted);
  return { sub, scope };
}

/** Characters by which two subjects look alike, or a log line lies: a person cannot see them. */
const MISLEADING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\s|\s$/u;

/** Returns the `sub` of the token. The configuration decides which subjects an issuer may name, not the assertion. */
export async function mappedSubject(
  needs: Pick<AssertionGrantNeeds, 'clients'>,
  { issuer, subject }: Pick<Asserted, 'issuer' | 'subject'>,
  refused: Refusing = invalidAssertion,
): Promise<string> {
  if (typeof subject !== 'string' || subject === '') throw refused('names no subject');
  if (MISLEADING.test(subject)) {
    throw refused(
      'names no subject that a person can read: it has a control or invisible character, or a space at its beginning or end',
    );
  }
  if (issuer.subjects !== undefined && !issuer.subjects.includes(subject)) {
    throw refused('names a subject that its issuer may not name');
  }
  const sub = issuer.subjectPrefix + subject;
  if (sub.length > SUBJECT_LENGTH_MAX)
    throw refused(`names a subject of more than ${SUBJECT_LENGTH_MAX} characters`);
  // RFC 9700 §4.15: a token about a subject must not look like the token of a client that acts for itself.
  if ((await needs.clients.find(sub as ClientId)) !== undefined) {
    throw refused('names a subject that is the client_id of a client');
  }
  return sub;
}

/**
 * Returns the requested scope, or without a request all that can be granted. Grants a value only if the client is registered
 * for it and the issuer may grant it (RFC 7521 §4.1).
 */
function grantedScope(
  requested: string | undefined,
  registered: readonly string[],
  allowed: readonly string[],
): readonly string[] {
  const grantable = registered.filter(memberOf(allowed));
  if (requested === undefined && grantable.length === 0) {
    throw invalidScope(
      'the issuer of the assertion may grant no scope value that the client is registered for',
    );
  }
  if (requested === undefined) return grantable;
  const values = parseScope(requested);
  if (values === undefined) throw invalidScope('scope must be scope values separated by spaces');
  const isGrantable = memberOf(grantable);
  const excess = values.find((value) => !isGrantable(value));
  if (excess !== undefined) {
    throw invalidScope(
      `scope value ${quotedValue(excess)} is not registered for the client, or the issuer of the assertion may not grant it`,
    );
  }
  return values;
}

function invalidScope(error_description: string): OAuthError {
  return new OAuthError('invalid_scope', { error_description, reason: 'scope-not-registered' });
}

/**
 * Remembers the identifier of the assertion, and rejects a second use (RFC 7523 §3 rule 7). Runs last: an earlier call
 * would let a stranger use up an assertion that belongs to another client.
 */
async function requireUnused(
  { replays, clockSkew }: AssertionGrantNeeds,
  kind: ReplayKind,
  { issuer, id, expires_at }: Asserted,
): Promise<void> {
  if (id === undefined) return;
  if (id === '' || id.length > ID_LENGTH_MAX)
    throw invalidAssertion(`has an identifier that is empty or longer than ${ID_LENGTH_MAX} characters`);
  // The replay record lives as long as the assertion would be accepted.
  const isNew = await replays.rememberOnce(kind, issuer.issuer, digestOf(id), expires_at + clockSkew);
  if (!isNew) throw invalidAssertion('was used before', undefined, { reason: 'jwt-used', values: { id } });
}
