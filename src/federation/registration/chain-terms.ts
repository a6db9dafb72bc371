import type { FederationState } from '../../clients/federated-client.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { SoundStatement } from '../entity-statement.ts';
import { isArray, isObject } from '../json-value.ts';
import type { TrustChain, TrustNeeds } from '../trust-chain/resolve-trust.ts';

export interface ChainTermNeeds {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  readonly trust: Pick<TrustNeeds, 'requiredTrustMarks'>;
}

export interface ChainTermOptions {
  /** When the registration ends. */
  readonly expires_at: number;
  /** Seconds after which the entity is resolved again at the latest. */
  readonly interval: number;
  readonly submitted?: FederationState['submitted'];
}

/** The members of a client that say which chain its registration rests on, and until when. */
export type ChainTerms = Pick<StoredClient, 'federation' | 'resolved_at' | 'renew_at'> & {
  readonly expires_at: number;
};

/** Returns the terms of a registration that a chain was found for just now. */
export function chainTerms(
  { clock, random, trust }: ChainTermNeeds,
  chain: TrustChain,
  { expires_at, interval, submitted }: ChainTermOptions,
): ChainTerms {
  const resolved_at = clock.now();
  const [configuration] = chain.statements;
  const state: FederationState = {
    trust_anchor: chain.trust_anchor,
    chain: [...new Set(chain.statements.map(({ sub }) => sub))],
    expires_at: chain.expires_at,
    trust_marks: configuration === undefined ? [] : trustMarkTypes(configuration),
    verified_trust_marks: trust.requiredTrustMarks,
    ...(submitted === undefined ? {} : { submitted }),
  };
  const span = Math.min(interval, expires_at - resolved_at);
  const renew_at = resolved_at + Math.floor(span * renewalShare(random));
  return { expires_at, federation: JSON.stringify(state), resolved_at, renew_at };
}

/** The share of its time after which a registration is renewed: clients that registered together are renewed apart. */
const EARLIEST_SHARE = 0.5;
const LATEST_SHARE = 0.9;

const renewalShare = (random: Random): number =>
  EARLIEST_SHARE + (LATEST_SHARE - EARLIEST_SHARE) * fraction(random);

const FRACTION_BYTES = 4;

/** Returns a random number from 0 to less than 1. */
export function fraction(random: Random): number {
  return Buffer.from(random.bytes(FRACTION_BYTES)).readUInt32BE() / 2 ** (8 * FRACTION_BYTES);
}

const MARKS_MAX = 50;

function trustMarkTypes({ jwt: { claims } }: SoundStatement): readonly string[] {
  const { trust_marks } = claims;
  const marks = trust_marks !== undefined && isArray(trust_marks) ? trust_marks.slice(0, MARKS_MAX) : [];
  const types = marks.map((mark) => (isObject(mark) ? mark['trust_mark_type'] : undefined));
  return [...new Set(types.filter((type) => typeof type === 'string'))];
}
