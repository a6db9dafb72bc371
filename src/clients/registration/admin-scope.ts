import type { StoredClient } from '../../ports/client-store.ts';
import { ADMIN_SCOPES, isAdminScope, isKnownAdminScope, permitsAdmin } from '../../spec/admin-scopes.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { quotedValue } from '../../spec/errors.ts';
import { type Mistake, nearestTo } from '../../spec/metadata-mistake.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import { parseScope } from '../../spec/scope.ts';
import { insufficientScope } from '../../tokens/bearer-token.ts';
import { registeredScope } from '../registered-client.ts';

/** Values of the administration API that a party holds, and may give to clients. */
export type HeldAdminScope = NonNullable<RegistrationPrivileges['admin_scope']>;

const adminValues = (scope: readonly string[]): readonly string[] => scope.filter(isAdminScope);

/**
 * Returns the scope values that only the operator gives, on the command line or with the administration API. No token, statement,
 * document or federation can register them: each of these parties would otherwise make itself an administrator.
 */
export function adminScopeMistakes(
  { scope }: ClientMetadata,
  { admin_scope = [] }: RegistrationPrivileges,
): readonly Mistake[] {
  return adminValues(parseScope(scope ?? '') ?? []).flatMap((value): readonly Mistake[] => {
    const shown = { member: 'scope', value: quotedValue(value) };
    if (!isKnownAdminScope(value)) {
      const rule = `is no scope value of the administration API, and other values must not begin with admin:`;
      return [{ ...shown, rule, allowed: ADMIN_SCOPES, ...nearestTo(value, ADMIN_SCOPES) }];
    }
    if (admin_scope === 'any' || permitsAdmin(admin_scope, value)) return [];
    const rule =
      'is registered only by the operator, on the command line or with the administration API by a caller that has it';
    return [{ ...shown, rule }];
  });
}

/** Returns the privilege that a client keeps for the values that its registrant was allowed to give. */
export function givenAdminScope({ scope }: ClientMetadata): Pick<RegistrationPrivileges, 'admin_scope'> {
  const values = adminValues(parseScope(scope ?? '') ?? []);
  return values.length === 0 ? {} : { admin_scope: values };
}

/**
 * Refuses to act for a caller on a client that holds more than the caller: a new secret of that client would give the caller
 * what the client has.
 * @throws OAuthError insufficient_scope, which names the values that the caller lacks
 */
export function requireAdminScopeOf(client: StoredClient, held: HeldAdminScope): void {
  if (held === 'any') return;
  const missing = registeredScope(client)
    .filter(isKnownAdminScope)
    .filter((value) => !permitsAdmin(held, value));
  if (missing.length > 0) throw insufficientScope(missing);
}
