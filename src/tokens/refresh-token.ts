import type { KeyObject } from 'node:crypto';
import { digestOf } from '../keys/digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { type Digest, type GrantId, IDENTIFIER_LENGTHS } from '../spec/identifiers.ts';
import { authenticated, hasForm, isGenuine, LOCATOR_LENGTH, locatorAt } from './token-identifier.ts';

/**
 * Characters of a refresh token before the full stop: the id of its grant and a random identifier. A MAC over
 * both follows. The grant stores only the digest of the current token; an older one is recognised by its MAC.
 */
const GRANT_ID_LENGTH = LOCATOR_LENGTH + IDENTIFIER_LENGTHS.instance;
const IDENTIFIER_LENGTH = GRANT_ID_LENGTH + IDENTIFIER_LENGTHS.refresh_token;

export interface RefreshTokenNeeds {
  readonly mac: KeyObject;
  readonly random: Random;
  readonly clock: Clock;
}

export interface MintedRefreshToken {
  readonly refresh_token: string;
  readonly digest: Digest;
}

/** Makes the id of a new grant. Ids sort by time of issue. */
export function newGrantId({ clock, random }: Pick<RefreshTokenNeeds, 'clock' | 'random'>): GrantId {
  return (locatorAt(clock.milliseconds()) + random.alphanumeric(IDENTIFIER_LENGTHS.instance)) as GrantId;
}

/** Makes a refresh token of a grant; stores nothing. */
export function mintRefreshToken(
  { mac, random }: Pick<RefreshTokenNeeds, 'mac' | 'random'>,
  grant_id: GrantId,
): MintedRefreshToken {
  const identifier = grant_id + random.alphanumeric(IDENTIFIER_LENGTHS.refresh_token);
  const refresh_token = authenticated('refresh_token', identifier, mac);
  return { refresh_token, digest: digestOf(refresh_token) };
}

/** A refresh token of this server, current or rotated. */
export interface GenuineRefreshToken {
  readonly grant_id: GrantId;
  readonly digest: Digest;
}

/**
 * Verifies the MAC of a refresh token, without a look-up.
 * @returns undefined for a text that this server never issued as a refresh token
 */
export function genuineRefreshToken(
  { mac }: Pick<RefreshTokenNeeds, 'mac'>,
  presented: string,
): GenuineRefreshToken | undefined {
  if (!hasForm(presented, IDENTIFIER_LENGTH)) return undefined;
  if (!isGenuine('refresh_token', presented, IDENTIFIER_LENGTH, mac)) return undefined;
  return { grant_id: presented.slice(0, GRANT_ID_LENGTH) as GrantId, digest: digestOf(presented) };
}
