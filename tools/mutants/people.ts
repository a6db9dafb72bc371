import type { Mutant } from './mutant.ts';

const ADMIN_SCOPE = 'src/endpoints/token/admin-scope.test.ts';
const ACCOUNTS = 'src/endpoints/admin/accounts/accounts.test.ts';

/** Faults of roles, of the accounts above a caller, and of the access that people withdraw. */
export const PEOPLE: readonly Mutant[] = [
  {
    name: 'role-does-not-limit-scope',
    fault: 'A person gets the whole requested scope of the administration, whatever the role.',
    edits: [
      {
        file: 'src/grants/admin-scope.ts',
        find: '  return scopeWithinRole(scope, account?.admin_role ?? null).filter(',
        replace: '  return scope.filter(',
      },
    ],
    killers: [
      { file: ADMIN_SCOPE, test: 'H-533: a code that waits while the role is lowered gives the lower scope' },
    ],
  },
  {
    name: 'device-gets-admin-scope',
    fault: 'A device gets scope of the administration.',
    edits: [
      {
        file: 'src/grants/device/device-authorization.ts',
        find: '  const scope = withoutAdminScope(grantable ?? []);',
        replace: '  const scope = withoutAdminScope([]).concat(grantable ?? []);',
      },
    ],
    killers: [{ file: ADMIN_SCOPE, test: 'H-534: a device gets no scope of the administration' }],
  },
  {
    name: 'admin-scope-over-clients',
    fault: 'Any token registers scope of the administration over /clients.',
    edits: [
      {
        file: 'src/clients/registration/admin-scope.ts',
        find: "    if (admin_scope === 'any' || permitsAdmin(admin_scope, value)) return [];",
        replace: '    if (admin_scope !== undefined || permitsAdmin(admin_scope, value)) return [];',
      },
    ],
    killers: [
      {
        file: 'src/clients/registration/admin-scope.test.ts',
        test: 'H-530: POST /clients registers no admin: scope for a master token',
      },
    ],
  },
  {
    name: 'account-above-the-caller',
    fault: 'An operator changes the password of an administrator.',
    edits: [
      {
        file: 'src/endpoints/admin/accounts/endpoint.ts',
        find: '  if (permitsRole(caller.scope, role)) return;',
        replace: '  if (permitsRole(caller.scope, role) || caller.scope.length > 0) return;',
      },
    ],
    killers: [
      {
        file: ACCOUNTS,
        test: 'H-535: 403: a caller touches no account whose role permits more than its own token',
      },
    ],
  },
  {
    name: 'last-administrator-goes',
    fault: 'The last administrator is lowered without force.',
    edits: [
      {
        file: 'src/storage/sqlite/accounts.ts',
        find: '        if (keepsAdministrator && !isAdministrator(account) && isLast(tenant, sub))',
        replace: '        if (!keepsAdministrator && !isAdministrator(account) && isLast(tenant, sub))',
      },
    ],
    killers: [{ file: ACCOUNTS, test: 'H-536: 409: the last enabled administrator is not lowered' }],
  },
  {
    name: 'withdrawal-by-another-site',
    fault: 'A form without the token of the page withdraws access.',
    edits: [
      {
        file: 'src/endpoints/applications/endpoint.ts',
        find: '      if (found === undefined || !isAntiForgeryToken(form_token, found.cookie, purposeOf(client_id)))',
        replace: "      if (found === undefined || isAntiForgeryToken(form_token, '', purposeOf(client_id)))",
      },
    ],
    killers: [
      {
        file: 'src/endpoints/applications/applications.test.ts',
        test: 'H-538: a form of another session, another application or another site withdraws nothing',
      },
    ],
  },
];
