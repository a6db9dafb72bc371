import { DEVICE_GRANT } from '../src/spec/grant-types.ts';
import { anchorOf, EACH, entityOf, nameOfHost, SPREAD_DAYS } from './varied-clients.ts';

const DAY_MS = 86_400_000;

/** The time a number of days ago. */
const daysAgo = (days: number): string =>
  `${new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 19)}Z`;

/** The orders of the list. */
export const ORDERS = ['client_id', 'name', '-created_at', '-last_used_at'] as const;

/** Returns parameters of the query, with another value for each number. */
export type Filter = (number: number) => Readonly<Record<string, string>>;

/** Filters by what they select among a million clients. Each has another value for each number, so that no answer was given before. */
export const FILTERS: Readonly<Record<string, Filter>> = {
  'nothing: all clients': () => ({}),
  'grant type of a half': () => ({ grant_type: 'refresh_token' }),
  'grant type of 200': () => ({ grant_type: DEVICE_GRANT }),
  'scope value of 3,300': (n) => ({ scope: `team-${n % EACH.team}` }),
  'scope value of 200': () => ({ scope: 'rare' }),
  'redirection host of 180': (n) => ({ redirect_host: nameOfHost(n * 11) }),
  'redirection host of 100,000': () => ({ redirect_host: 'client.example.com' }),
  'redirection host of none': (n) => ({ redirect_host: `nothing-${n}.example` }),
  'beginning of the name, 24,000': () => ({ name: 'orders' }),
  'beginning of the name, 10': (n) => ({ name: `internal service ${String(n).padStart(6, '0')}` }),
  'part of every name': () => ({ name_contains: 'service' }),
  'part of 100 names': (n) => ({ name_contains: String(n % 10_000).padStart(4, '0') }),
  'part of no name': (n) => ({ name_contains: `nothing ${n}` }),
  'public clients, 100,000': () => ({ type: 'public' }),
  'origin of all but 1,000': () => ({ registered_via: 'master' }),
  'trust anchor of 100': (n) => ({ trust_anchor: anchorOf(n) }),
  'entity of one': (n) => ({ entity_id: entityOf(3 + n * EACH.anchor) }),
  'owner of 70': (n) => ({ owner: `team-${n % 7}` }),
  'active clients': () => ({ state: 'active' }),
  'expired clients': () => ({ state: 'expired' }),
  'registered in one day, 1,400': (n) => ({
    created_after: daysAgo((n % (SPREAD_DAYS - 1)) + 1),
    created_before: daysAgo(n % (SPREAD_DAYS - 1)),
  }),
  'unused for 30 days, 890,000': () => ({ used_before: daysAgo(30) }),
  'used in the last day, 3,700': () => ({ used_after: daysAgo(1) }),
  'registration ends in 30 days, 80': () => ({ expires_before: daysAgo(-30) }),
  'secret ends in seven days, 1,400': () => ({ secret_expires_before: daysAgo(-7) }),
  'scope value of 3,300, host of 100,000': (n) => ({
    scope: `team-${n % EACH.team}`,
    redirect_host: 'client.example.com',
  }),
  'two scope values of 3,300, none has both': (n) => ({
    scope: `team-${n % EACH.team} team-${(n + 1) % EACH.team}`,
  }),
  'public and confidential hosts, none has both': () => ({
    type: 'public',
    redirect_host: 'client.example.com',
  }),
};
