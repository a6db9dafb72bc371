import type { AdminAccount } from '../../../client/client.ts';

/** The roles in the administration, each contained in the next. */
export const ROLES = ['viewer', 'operator', 'administrator'] as const;

/** Returns the name and the address of a person, as far as the claims have them. */
export function fullNameOf({ claims }: Pick<AdminAccount, 'claims'>): string {
  return [claims['name'], claims['email']]
    .filter((text): text is string => typeof text === 'string')
    .join(' · ');
}
