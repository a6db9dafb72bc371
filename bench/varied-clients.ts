import type { ClientUse, StoredClient } from '../src/ports/client-store.ts';
import type { ClientMetadata } from '../src/spec/client-metadata.ts';
import { DEVICE_GRANT } from '../src/spec/grant-types.ts';
import { systemClock } from '../src/system/clock.ts';

/** Numbers of clients, each without a common divisor with the others, so that properties are spread evenly. */
export const EACH = { host: 5_003, team: 307, rare: 4_999, owner: 2_003, anchor: 997, word: 41 } as const;

const DAY_S = 86_400;
/** The registrations are spread over this time before the run. */
export const SPREAD_DAYS = 730;
const USED_DAYS = 90;
/** Even steps through times: a prime, so that neighbours in the order of creation are far apart. */
const STEP_S = 7_919;

export const nameOfHost = (number: number): string => `app-${number % EACH.host}.example.com`;
export const anchorOf = (number: number): string => `https://anchor-${number % 10}.example`;
export const entityOf = (number: number): string => `https://rp-${number}.example`;

/**
 * Returns a client as a large registry has it: one name each, applications on thousands of hosts, teams with scope values of their
 * own, some public, some of a federation, some that files declare.
 */
export function variedClient(client: StoredClient, index: number, isKept: boolean): StoredClient {
  const now = systemClock.now();
  const metadata = JSON.parse(client.metadata) as ClientMetadata;
  const isOfFederation = !isKept && index % EACH.anchor === 3;
  const changed = {
    ...metadata,
    client_name: `${wordOf(index)} service ${String(index).padStart(7, '0')}`,
    redirect_uris: [`https://${index % 10 === 0 ? 'client.example.com' : nameOfHost(index)}/callback`],
    grant_types: [
      ...(metadata.grant_types ?? []),
      ...(index % 2 === 0 ? ['refresh_token'] : []),
      ...(index % EACH.rare === 0 ? [DEVICE_GRANT] : []),
    ],
    scope: `${metadata.scope ?? ''} team-${index % EACH.team}${index % EACH.rare === 1 ? ' rare' : ''}`,
    ...(!isKept && index % 10 === 7 ? { token_endpoint_auth_method: 'none' } : {}),
  };
  return {
    ...client,
    metadata: JSON.stringify(changed),
    issued_at: now - ((index * STEP_S) % (SPREAD_DAYS * DAY_S)),
    registered_via: isOfFederation ? `federation:${anchorOf(index)}` : client.registered_via,
    entity_id: isOfFederation ? entityOf(index) : null,
    // The end is far enough for the longest run.
    expires_at: isOfFederation ? now + DAY_S * (1 + (index % 365)) : null,
    owner: index % EACH.owner === 5 ? `team-${index % 7}` : null,
    secrets: client.secrets.map((secret) => ({
      ...secret,
      expires_at: index % 20 === 11 ? now + DAY_S * (1 + (index % 365)) : 0,
    })),
  };
}

/** Every third client has been used in the last three months. */
export function usesOfVaried(
  { client_id, instance, secrets }: StoredClient,
  index: number,
): readonly ClientUse[] {
  const [secret] = secrets;
  if (index % 3 !== 0 || secret === undefined) return [];
  const last_used_at = systemClock.now() - ((index * STEP_S) % (USED_DAYS * DAY_S));
  return [{ client_id, instance, secret_digest: secret.digest, last_used_at }];
}

const WORDS = ['orders', 'billing', 'customer', 'stock', 'report', 'mail', 'search', 'shop'] as const;

export const wordOf = (index: number): string => {
  const word = WORDS[index % EACH.word] ?? 'internal';
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
};
