import type { TenantId } from '../spec/identifiers.ts';

/** The verbs of a store with the tenant in front of their arguments: one set of statements serves all tenants. */
export type OfTenant<Store> = {
  readonly [Verb in keyof Store]: Store[Verb] extends (...values: infer Values) => infer Result
    ? (tenant: TenantId, ...values: Values) => Result
    : never;
};
