import type { Clock } from '../ports/clock.ts';
import type { GrantFilter, GrantStore } from '../ports/grant-store.ts';
import { releasedNames } from '../sessions/account-claims.ts';
import type { GrantAuthorization } from './refreshable.ts';

export interface GrantedClaimsNeeds {
  readonly grants: Pick<GrantStore, 'list'>;
  readonly clock: Clock;
}

/** Grants of one client and subject that are looked at. The latest come first. */
const GRANTS_MAX = 100;

/** Returns those of these claims of an account that a client may have now: its grants have scope or names for them. */
export async function grantedClaims(
  { grants, clock }: GrantedClaimsNeeds,
  { sub, client }: Required<Pick<GrantFilter, 'sub' | 'client'>>,
  claims: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const range = { limit: GRANTS_MAX, after: undefined, examined: GRANTS_MAX };
  const { rows } = await grants.list({ sub, client, now: clock.now() }, range);
  const permitted = new Set(
    rows.flatMap(({ authorization }) => {
      const { scope, endUser } = JSON.parse(authorization) as GrantAuthorization;
      const asked = endUser?.claims ?? { userinfo: [], id_token: [] };
      return releasedNames(Object.keys(claims), scope, [...asked.userinfo, ...asked.id_token]);
    }),
  );
  return Object.fromEntries(Object.entries(claims).filter(([name]) => permitted.has(name)));
}
