import type { Mutant } from './mutant.ts';

const OPERATIONS_TEST = 'src/endpoints/admin/declarations/tenants.test.ts';

/** Faults of tenants that files declare. */
export const DECLARATIONS: readonly Mutant[] = [
  {
    name: 'declared-tenant-of-another-owner',
    fault: 'Files of one owner change the tenants of another one.',
    edits: [
      {
        file: 'src/tenant/declared/apply-tenants.ts',
        find: "  if (present.owner !== expected) return 'other_owner';\n",
        replace: '',
      },
    ],
    killers: [
      {
        file: OPERATIONS_TEST,
        test: '409: steps happen all or not at all, and each conflict is named: changed, taken, of another owner, in service',
      },
    ],
  },
  {
    name: 'declared-secret-lost',
    fault: 'A declaration that does not mention a secret setting removes it.',
    edits: [
      {
        file: 'src/tenant/declared/declared-tenant.ts',
        find: '    ([path]) => isSecretSetting(path) && !Object.hasOwn(settings, path),\n',
        replace: '    ([path]) => isSecretSetting(path) && Object.hasOwn(settings, path),\n',
      },
    ],
    killers: [
      {
        file: OPERATIONS_TEST,
        test: '200: a secret setting that is not declared stays, null removes it, and another value is a change without the value',
      },
    ],
  },
  {
    name: 'declared-token-beyond-scope',
    fault: 'A caller with admin:tenants gives a tenant a token that opens more to the caller.',
    edits: [
      {
        file: 'src/endpoints/admin/declarations/tenants.ts',
        find: '    requireScope(call.caller, prepared, new Set(steps.map(({ id }) => id)).size);\n',
        replace: '',
      },
    ],
    killers: [
      {
        file: OPERATIONS_TEST,
        test: '403: a caller gives a tenant no setting that opens more to it than its own scope',
      },
    ],
  },
  {
    name: 'declared-tenant-in-service-deleted',
    fault: 'An apply deletes a tenant that is in service.',
    edits: [
      {
        file: 'src/tenant/declared/apply-tenants.ts',
        find: "  return action === 'delete' && present.disabled_at === null ? 'in_service' : undefined;\n",
        replace: '  return undefined;\n',
      },
    ],
    killers: [
      {
        file: OPERATIONS_TEST,
        test: '409: steps happen all or not at all, and each conflict is named: changed, taken, of another owner, in service',
      },
    ],
  },
];
