import type { KeyObject } from 'node:crypto';
import { digestOf } from '../keys/digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { type Digest, type GrantId, IDENTIFIER_LENGTHS } from '../spec/identifiers.ts';
import { authenticated, hasForm, isGenuine, LOCATOR_LENGTH, locatorAt } from './token-identifier.ts';

/**
 * A refresh token: the identifier of its grant, a random one of its own, a full stop and a MAC over both. Of a grant only
 * the digest of the token that is good now is kept; an older one is known by its MAC to have been good once.
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

export function newGrantId({ clock, random }: Pick<RefreshTokenNeeds, 'clock' | 'random'>): GrantId {
  return (locatorAt(clock.milliseconds()) + random.alphanumeric(IDENTIFIER_LENGTHS.instance)) as GrantId;
}

/** Makes a refresh token of a grant; nothing is stored yet. */
export function mintRefreshToken(
  { mac, random }: Pick<RefreshTokenNeeds, 'mac' | 'random'>,
  grant_id: GrantId,
): MintedRefreshToken {
  const identifier = grant_id + random.alphanumeric(IDENTIFIER_LENGTHS.refresh_token);
  const refresh_token = authenticated('refresh_token', identifier, mac);
  return { refresh_token, digest: digestOf(refresh_token) };
}

/** A refresh token that this server issued, whether it is good now or not. */
export interface GenuineRefreshToken {
  readonly grant_id: GrantId;
  readonly digest: Digest;
}

/** @returns undefined for whatever this server never issued as a refresh token; nothing is looked up */
export function genuineRefreshToken(
  { mac }: Pick<RefreshTokenNeeds, 'mac'>,
  presented: string,
): GenuineRefreshToken | undefined {
  if (!hasForm(presented, IDENTIFIER_LENGTH)) return undefined;
  if (!isGenuine('refresh_token', presented, IDENTIFIER_LENGTH, mac)) return undefined;
  return { grant_id: presented.slice(0, GRANT_ID_LENGTH) as GrantId, digest: digestOf(presented) };
}
