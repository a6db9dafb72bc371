import { closed, FLAG, OBJECT, type Schema, said, TEXT, TEXTS } from '../../../spec/json-schema.ts';
import { OWNER_NAME } from '../../../spec/owner-name.ts';
import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

const OWNER = said('The declarer.', { type: 'string', pattern: OWNER_NAME.source } satisfies Schema);
const OWNER_FILTER = {
  owner: { words: 'The owner. Required.', schema: { ...TEXT, pattern: OWNER_NAME.source } },
};

/** Clients of one request. */
const CLIENTS_MAX = 500;

export const declarationPlan = operationContract({
  kind: 'action',
  name: 'admin-declaration-plan',
  path: '/admin/v1/declarations/plan',
  purpose: 'Compares declared clients with the registry, and changes nothing.',
  scope: 'admin:clients:read',
  action: 'client.list',
  body: closed(
    {
      owner: OWNER,
      clients: { type: 'array', items: named('AdminDeclaredClient'), maxItems: CLIENTS_MAX },
      adopt: said('Clients that may be taken over from any owner, or from none.', TEXTS),
      adopt_unowned: said('Whether every declared client without owner may be taken over.', FLAG),
      replace: said('Clients that end with their tokens and are registered again.', TEXTS),
    },
    ['owner', 'clients'],
  ),
  result: named('AdminDeclarationPlan'),
});

export const declarationApply = operationContract({
  kind: 'action',
  name: 'admin-declaration-apply',
  path: '/admin/v1/declarations/apply',
  purpose:
    'Applies steps of a plan in one transaction: all of them, or none. A client that is not as the plan has seen it is a conflict.',
  scope: 'admin:clients:write',
  action: 'client.update',
  body: closed({
    owner: OWNER,
    steps: { type: 'array', items: named('AdminDeclarationStep'), minItems: 1, maxItems: CLIENTS_MAX },
  }),
  result: closed({ applied: { type: 'integer', minimum: 0 }, clients: OBJECT }),
  problems: ['conflict'],
});

export const ownedClientList = operationContract({
  kind: 'list',
  name: 'admin-declaration-list',
  path: '/admin/v1/declarations',
  purpose: 'Lists the clients of an owner, with the versions that a deletion by a plan needs.',
  scope: 'admin:clients:read',
  query: OWNER_FILTER,
  item: named('AdminOwnedClient'),
});

const PATH = '/admin/v1/declarations/tenants';

/** Tenants of one request. */
const TENANTS_MAX = 100;

export const tenantDeclarationPlan = operationContract({
  kind: 'action',
  name: 'admin-tenant-declaration-plan',
  path: `${PATH}/plan`,
  purpose: 'Compares declared tenants, with their settings, with those that are there, and changes nothing.',
  scope: 'admin:tenants:read',
  action: 'tenant.update',
  body: closed(
    {
      owner: OWNER,
      tenants: { type: 'array', items: named('AdminDeclaredTenant'), maxItems: TENANTS_MAX },
      adopt: said('Tenants that may be taken over from any owner, or from none.', TEXTS),
      adopt_unowned: said('Whether every declared tenant without owner may be taken over.', FLAG),
    },
    ['owner', 'tenants'],
  ),
  result: named('AdminTenantDeclarationPlan'),
});

export const tenantDeclarationApply = operationContract({
  kind: 'action',
  name: 'admin-tenant-declaration-apply',
  path: `${PATH}/apply`,
  purpose:
    'Applies steps of a plan in one transaction, all of them or none. A deletion is a request of its own. A tenant that is not as the plan has seen it is a conflict. Steps for several tenants also need `admin:all-tenants`, and settings of a federation `admin:federation`.',
  scope: 'admin:tenants',
  action: 'tenant.update',
  body: closed({
    owner: OWNER,
    steps: { type: 'array', items: named('AdminTenantDeclarationStep'), minItems: 1, maxItems: TENANTS_MAX },
  }),
  result: closed({ applied: { type: 'integer', minimum: 0 }, tenants: OBJECT }),
  problems: ['conflict'],
});

export const ownedTenantList = operationContract({
  kind: 'list',
  name: 'admin-tenant-declaration-list',
  path: PATH,
  purpose: 'Lists the tenants of an owner, with the versions that a deletion by a plan needs.',
  scope: 'admin:tenants:read',
  query: OWNER_FILTER,
  item: named('AdminOwnedTenant'),
});
