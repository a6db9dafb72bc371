import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { digestOf } from '../keys/digest.ts';
import type { AccessTokenStore, StoredAccessToken } from '../ports/access-token-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';
import type { BoundedMap } from '../spec/bounded-map.ts';
import {
  type AccessTokenKey,
  type ClientId,
  type ClientInstance,
  type GrantId,
  IDENTIFIER_LENGTHS,
} from '../spec/identifiers.ts';
import type { Confirmation } from './confirmation.ts';
import { LOCATOR_LENGTH, locatorAt } from './locator.ts';

/**
 * An identifier-based access token: a locator, a random identifier, a full stop and a MAC over both.
 * The MAC lets a forged token be refused without a look-up (decision 20).
 */
const IDENTIFIER_LENGTH = LOCATOR_LENGTH + IDENTIFIER_LENGTHS.access_token;
const MAC_LENGTH = 22;
const TOKEN_LENGTH = IDENTIFIER_LENGTH + 1 + MAC_LENGTH;

export interface AccessTokenNeeds {
  readonly issuer: string;
  readonly mac: KeyObject;
  /** Keys of tokens whose MAC was found to be ours: it need not be computed again. */
  readonly genuine: BoundedMap<AccessTokenKey, true>;
  readonly store: AccessTokenStore;
  readonly clock: Clock;
  readonly random: Random;
}

/** What an access token stands for. */
export interface AccessTokenContent {
  readonly client_id: ClientId;
  readonly client_instance: ClientInstance | null;
  /** The grant that it is issued for, and that ends it. */
  readonly grant_id?: GrantId;
  readonly sub: string;
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  /** JSON text of the introspection member `dat`. */
  readonly data?: string;
  /** Who may use the token; undefined for everybody who bears it. */
  readonly confirmation: Confirmation | undefined;
  /** Seconds. */
  readonly lifetime: number;
}

export interface MintedAccessToken {
  readonly access_token: string;
  readonly stored: StoredAccessToken;
}

/** Makes an access token and the record of it; nothing is stored yet. */
export function mintAccessToken(needs: AccessTokenNeeds, content: AccessTokenContent): MintedAccessToken {
  const identifier =
    locatorAt(needs.clock.milliseconds()) + needs.random.alphanumeric(IDENTIFIER_LENGTHS.access_token);
  const access_token = `${identifier}.${macOf(identifier, needs.mac)}`;
  const iat = needs.clock.now();
  const exp = iat + content.lifetime;
  return {
    access_token,
    stored: {
      key: keyOf(access_token),
      expires_at: exp,
      client_id: content.client_id,
      client_instance: content.client_instance,
      grant_id: content.grant_id ?? null,
      introspection: introspectionText(needs, content, { iat, exp }),
    },
  };
}

/** RFC 7662 §2.2, rendered once: the record never changes, so neither does the answer. */
function introspectionText(
  needs: AccessTokenNeeds,
  content: AccessTokenContent,
  times: { iat: number; exp: number },
): string {
  const text = JSON.stringify({
    active: true,
    scope: content.scope.join(' '),
    client_id: content.client_id,
    token_type: 'Bearer',
    exp: times.exp,
    iat: times.iat,
    sub: content.sub,
    ...(content.audience.length === 0 ? {} : { aud: content.audience }),
    iss: needs.issuer,
    jti: needs.random.alphanumeric(IDENTIFIER_LENGTHS.instance),
    ...(content.confirmation === undefined ? {} : { cnf: content.confirmation }),
  });
  return content.data === undefined ? text : `${text.slice(0, -1)},"dat":${content.data}}`;
}

/** The live token behind what a caller presented. @returns undefined for anything else, whatever the reason. */
export function findAccessToken(
  needs: AccessTokenNeeds,
  presented: string,
): Awaitable<StoredAccessToken | undefined> {
  if (presented.length !== TOKEN_LENGTH || presented[IDENTIFIER_LENGTH] !== '.') return undefined;
  const key = keyOf(presented);
  if (needs.genuine.get(key) === undefined) {
    if (!hasGenuineMac(presented, needs.mac)) return undefined;
    needs.genuine.set(key, true);
  }
  return whenKnown(needs.store.find(key), (stored) =>
    stored !== undefined && needs.clock.now() < stored.expires_at ? stored : undefined,
  );
}

/** Scope values of a stored token. */
export function scopeOf(token: StoredAccessToken): readonly string[] {
  const { scope } = JSON.parse(token.introspection) as { scope: string };
  return scope === '' ? [] : scope.split(' ');
}

function hasGenuineMac(presented: string, mac: KeyObject): boolean {
  const expected = macOf(presented.slice(0, IDENTIFIER_LENGTH), mac);
  const given = Buffer.from(presented.slice(IDENTIFIER_LENGTH + 1), 'latin1');
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected, 'latin1'));
}

function macOf(identifier: string, mac: KeyObject): string {
  return createHmac('sha256', mac).update(identifier, 'latin1').digest('base64url').slice(0, MAC_LENGTH);
}

function keyOf(access_token: string): AccessTokenKey {
  return (access_token.slice(0, LOCATOR_LENGTH) + digestOf(access_token)) as AccessTokenKey;
}
