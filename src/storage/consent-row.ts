import type { StoredConsent } from '../ports/consent-store.ts';
import type { WriteArguments } from './write.ts';

const LISTS = ['scope', 'claims', 'resources'] as const;
type List = (typeof LISTS)[number];

/** What is JSON in the table, on either engine. */
export type ConsentLists = Readonly<Record<List, string>>;

export function storedConsent(row: object): StoredConsent {
  const { scope, claims, resources, ...columns } = row as Omit<StoredConsent, List> & ConsentLists;
  const read = (list: string): readonly string[] => JSON.parse(list) as string[];
  return { ...columns, scope: read(scope), claims: read(claims), resources: read(resources) };
}

export function consentLists({ scope, claims, resources }: StoredConsent): ConsentLists {
  return {
    scope: JSON.stringify(scope),
    claims: JSON.stringify(claims),
    resources: JSON.stringify(resources),
  };
}

/** What was agreed to before is agreed to still. */
export function widenedConsent(
  before: StoredConsent | undefined,
  { consent: { sub, client_id, instance, scope, claims, resources }, at }: WriteArguments['grantConsent'],
): StoredConsent {
  return {
    sub,
    client_id,
    instance,
    scope: united(before?.scope, scope),
    claims: united(before?.claims, claims),
    resources: united(before?.resources, resources),
    granted_at: before?.granted_at ?? at,
    updated_at: at,
  };
}

const united = (one: readonly string[] = [], other: readonly string[]): readonly string[] =>
  [...new Set([...one, ...other])].sort();
