import type { KeyObject } from 'node:crypto';
import { digestOf } from '../keys/digest.ts';
import type { AccessTokenStore, StoredAccessToken } from '../ports/access-token-store.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';
import type { Caches } from '../spec/caches.ts';
import { DigestMap } from '../spec/digest-map.ts';
import { parseExactly } from '../spec/exact-json.ts';
import {
  type AccessTokenKey,
  type ClientId,
  type ClientInstance,
  type GrantId,
  IDENTIFIER_LENGTHS,
} from '../spec/identifiers.ts';
import { memberOf } from '../spec/scope.ts';
import { type Confirmation, tokenTypeOf } from './confirmation.ts';
import {
  keyOfSelfContained,
  mayBeJwt,
  type SelfContainedTokenNeeds,
  signAccessToken,
} from './self-contained-token.ts';
import { authenticated, hasForm, isGenuine, LOCATOR_LENGTH, locatorAt } from './token-identifier.ts';

/**
 * Characters of an identifier-based access token before the full stop: a locator and a random identifier. A
 * MAC over both follows, so that a forged token is refused without a look-up (decision 20).
 */
const IDENTIFIER_LENGTH = LOCATOR_LENGTH + IDENTIFIER_LENGTHS.access_token;

export interface AccessTokenNeeds {
  readonly issuer: string;
  readonly mac: KeyObject;
  /** Cache of the keys of tokens whose MAC was verified. */
  readonly genuine: DigestMap<AccessTokenKey, AccessTokenKey>;
  readonly selfContained: SelfContainedTokenNeeds;
  readonly store: AccessTokenStore;
  readonly clock: Clock;
  readonly random: Random;
}

/** Opens the cache `genuine`. @param bytes the memory of an entry */
export const verifiedTokens = (caches: Caches, bytes: number): AccessTokenNeeds['genuine'] =>
  new DigestMap(caches.open('verified-tokens', { weigh: () => bytes }), (key: AccessTokenKey) => key);

/**
 * The formats of access tokens (decision 20). Both have a record, and both are valid only while it exists.
 */
export type AccessTokenFormat = 'identifier' | 'self-contained';

/** The content of an access token. */
export interface AccessTokenContent {
  readonly format: AccessTokenFormat;
  readonly client_id: ClientId;
  readonly client_instance: ClientInstance | null;
  /** The grant that the token belongs to. The token ends with it. */
  readonly grant_id?: GrantId | undefined;
  readonly sub: string;
  /** The account or other subject that it is listed under, where `sub` is a pairwise identifier; absent: `sub`. */
  readonly subject?: string | undefined;
  /** The user name of the resource owner, if known (RFC 7662 §2.2). */
  readonly username?: string | undefined;
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  /** JSON text of the introspection member `dat`. */
  readonly data?: string | undefined;
  /** Further members of the introspection response and claims of the JWT, by name. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
  /** The key that the caller must prove; undefined for a bearer token. */
  readonly confirmation: Confirmation | undefined;
  /** Seconds. */
  readonly lifetime: number;
  /** The latest end, in seconds since the Unix epoch, also if the clock moves on meanwhile; absent: none. */
  readonly endsAt?: number;
}

export interface MintedAccessToken {
  readonly access_token: string;
  readonly stored: StoredAccessToken;
}

/** The members that both formats have. */
interface Members {
  readonly scope: string;
  readonly client_id: ClientId;
  readonly exp: number;
  readonly iat: number;
  readonly sub: string;
  readonly iss: string;
  readonly jti: string;
  readonly [member: string]: unknown;
}

/**
 * Makes an access token and its record; stores nothing.
 * @throws OAuthError invalid_request if a self-contained token becomes too long
 */
export async function mintAccessToken(
  needs: AccessTokenNeeds,
  content: AccessTokenContent,
): Promise<MintedAccessToken> {
  return content.format === 'identifier'
    ? mintIdentifier(needs, content)
    : await mintSelfContained(needs, content);
}

function particularsOf(
  needs: AccessTokenNeeds,
  content: AccessTokenContent,
): { readonly locator: string; readonly members: Members } {
  const iat = needs.clock.now();
  const locator = locatorAt(needs.clock.milliseconds());
  const jti = needs.random.alphanumeric(IDENTIFIER_LENGTHS.instance);
  const members = {
    scope: content.scope.join(' '),
    client_id: content.client_id,
    exp: Math.min(iat + content.lifetime, content.endsAt ?? Infinity),
    iat,
    sub: content.sub,
    iss: needs.issuer,
    ...content.more,
    ...(content.confirmation === undefined ? {} : { cnf: content.confirmation }),
    jti: content.format === 'identifier' ? jti : locator + jti,
  };
  return { locator, members };
}

/** Makes an access token that is an identifier, and its record. Stores nothing. */
export function mintIdentifier(needs: AccessTokenNeeds, content: AccessTokenContent): MintedAccessToken {
  const { locator, members } = particularsOf(needs, content);
  const identifier = locator + needs.random.alphanumeric(IDENTIFIER_LENGTHS.access_token);
  const access_token = authenticated('access_token', identifier, needs.mac);
  const stored = recordOf(keyOf(access_token), content, members, content.audience);
  return { access_token, stored };
}

async function mintSelfContained(
  needs: AccessTokenNeeds,
  content: AccessTokenContent,
): Promise<MintedAccessToken> {
  const { selfContained } = needs;
  const { members } = particularsOf(needs, content);
  const aud = content.audience.length === 0 ? selfContained.defaultAudience : content.audience;
  const claims = {
    ...members,
    aud,
    ...(content.data === undefined ? {} : { dat: parseExactly(content.data) }),
  };
  const { access_token, key } = await signAccessToken(selfContained, claims);
  return { access_token, stored: recordOf(key, content, members, aud) };
}

/**
 * Makes the record with the introspection response, rendered once (RFC 7662 §2.2). The record is immutable,
 * so the response is too.
 */
function recordOf(
  key: AccessTokenKey,
  content: AccessTokenContent,
  { scope, client_id, exp, iat, sub, ...more }: Members,
  aud: readonly string[],
): StoredAccessToken {
  const { username, data, subject = sub } = content;
  const text = JSON.stringify({
    active: true,
    scope,
    client_id,
    ...(username === undefined ? {} : { username }),
    token_type: tokenTypeOf(content.confirmation),
    exp,
    iat,
    sub,
    ...(aud.length === 0 ? {} : { aud }),
    ...more,
  });
  return {
    key,
    expires_at: exp,
    client_id,
    client_instance: content.client_instance,
    grant_id: content.grant_id ?? null,
    ...(subject === client_id ? {} : { sub: subject }),
    introspection: data === undefined ? text : `${text.slice(0, -1)},"dat":${data}}`,
  };
}

/** Says whether a text has the form of an identifier-based token, whose MAC is cheap to verify. */
export const isIdentifierShaped = (presented: string): boolean => hasForm(presented, IDENTIFIER_LENGTH);

/**
 * Finds the live token that a caller presented.
 * @returns undefined for every other text, whatever the reason
 */
export function findAccessToken(
  needs: AccessTokenNeeds,
  presented: string,
): Awaitable<StoredAccessToken | undefined> {
  if (isIdentifierShaped(presented)) {
    const key = keyOf(presented);
    if (needs.genuine.get(key) === undefined) {
      if (!isGenuine('access_token', presented, IDENTIFIER_LENGTH, needs.mac)) return undefined;
      needs.genuine.set(key, key);
    }
    return findLive(needs, key);
  }
  if (!mayBeJwt(presented)) return undefined;
  return whenKnown(keyOfSelfContained(needs.selfContained, needs.issuer, presented), (key) =>
    key === undefined ? undefined : findLive(needs, key),
  );
}

function findLive(
  { store, clock }: AccessTokenNeeds,
  key: AccessTokenKey,
): Awaitable<StoredAccessToken | undefined> {
  return whenKnown(store.find(key), (stored) =>
    stored !== undefined && clock.now() < stored.expires_at ? stored : undefined,
  );
}

/** Returns the scope values of a stored token. */
export function scopeOf(token: StoredAccessToken): readonly string[] {
  const { scope } = JSON.parse(token.introspection) as { scope: string };
  return scope === '' ? [] : scope.split(' ');
}

/** The members of a token's record that say who it is about, and what it is for. */
export interface TokenMembers {
  readonly sub: string;
  readonly aud?: readonly string[];
}

export function membersOf({ introspection }: StoredAccessToken): TokenMembers {
  return JSON.parse(introspection) as TokenMembers;
}

/**
 * RFC 9068 §4: a token for another resource server opens nothing here, so that resource servers cannot use the tokens they receive.
 * @param resource the identifier of the endpoint as a resource of its own (RFC 8707)
 */
export function isForThisServer(
  { issuer, selfContained }: Pick<AccessTokenNeeds, 'issuer' | 'selfContained'>,
  token: StoredAccessToken,
  resource: string = issuer,
): boolean {
  const { aud } = membersOf(token);
  return aud === undefined || [issuer, resource, ...selfContained.defaultAudience].some(memberOf(aud));
}

/** Returns the key of an initial access token, valid or not; undefined for a text of another form. */
export function initialAccessTokenKey(presented: string): AccessTokenKey | undefined {
  return isIdentifierShaped(presented) ? keyOf(presented) : undefined;
}

function keyOf(access_token: string): AccessTokenKey {
  return (access_token.slice(0, LOCATOR_LENGTH) + digestOf(access_token)) as AccessTokenKey;
}

/** The client id that introspection shows for an initial access token, which belongs to no client yet. */
export const NO_CLIENT = 'chancery' as ClientId;

/**
 * Stores an access token as an initial access token, which is good for one registration, with its label and
 * audit event.
 */
export async function issueInitialAccessToken(
  needs: AccessTokenNeeds & { readonly log: Log },
  token: StoredAccessToken,
  about: { readonly label: string; readonly redirect_hosts: readonly string[] | null },
  by: { readonly actor: string; readonly request_id: string },
): Promise<void> {
  const issued_at = needs.clock.now();
  const event: AuditEvent = {
    ...by,
    at: issued_at,
    action: 'initial-access-token.create',
    outcome: 'done',
    client_id: null,
    detail: about.label === '' ? null : about.label,
  };
  await needs.store.issueInitial(token, { ...about, issued_at, scope: scopeOf(token).join(' ') }, event);
  needs.log.info({ ...event }, 'audit');
}
