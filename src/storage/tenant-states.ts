import type { TenantState } from '../ports/tenant-store.ts';

/** Conditions on the row of a tenant, on either engine. */
const STATES: Readonly<Record<TenantState, string>> = {
  active: 'disabled_at IS NULL',
  disabled: 'disabled_at IS NOT NULL AND deleted_at IS NULL',
  deleting: 'deleted_at IS NOT NULL AND cleared_at IS NULL',
  deleted: 'cleared_at IS NOT NULL',
};
const NOT_DELETED = 'cleared_at IS NULL';

/** Every condition on the state, by its name; `any` is that of a question that names none. */
export const STATE_CONDITIONS: readonly (readonly [state: TenantState | 'any', condition: string])[] = [
  ['any', NOT_DELETED],
  ...(Object.entries(STATES) as [TenantState, string][]),
];
