import { registeredScope } from '../clients/registered-client.ts';
import type { Account } from '../ports/account-directory.ts';
import type { StoredClient } from '../ports/client-store.ts';
import { isAdminScope, scopeWithinRole } from '../spec/admin-scopes.ts';
import { memberOf } from '../spec/scope.ts';

/**
 * Returns the part of an authorised scope that a token of this person and client may have now: a value of the administration needs
 * the role of the account and the registration of the client. Both may have changed since the person agreed.
 * @param account undefined for a grant without an end-user who signed in
 */
export function scopeNow(
  scope: readonly string[],
  client: StoredClient,
  account: Pick<Account, 'admin_role'> | undefined,
): readonly string[] {
  if (!scope.some(isAdminScope)) return scope;
  const isRegistered = memberOf(registeredScope(client));
  return scopeWithinRole(scope, account?.admin_role ?? null).filter(
    (value) => !isAdminScope(value) || isRegistered(value),
  );
}

/**
 * Returns a scope without the values of the administration: for grants where no person signs in at this server's own page for a
 * code, such as the password grant, assertions, and tokens that pass through the browser.
 */
export function withoutAdminScope(scope: readonly string[]): readonly string[] {
  return scopeWithinRole(scope, null);
}
