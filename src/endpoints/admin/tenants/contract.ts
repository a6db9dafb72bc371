import { FLAG } from '../../../spec/json-schema.ts';
import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

const ID = { id: 'The id of the tenant.' };

export const tenantList = operationContract({
  kind: 'list',
  name: 'admin-tenant-list',
  path: '/admin/v1/tenants',
  purpose: 'Lists the tenants beside the default one, ordered by id.',
  scope: 'admin:tenants:read',
  query: {
    q: { words: 'A part of the id, the issuer or an alias. Upper and lower case are the same.' },
    state: {
      words: 'The state of the tenants. Default: all but deleted ones.',
      schema: { enum: ['active', 'disabled', 'deleting', 'deleted'] },
    },
  },
  item: named('AdminTenant'),
});

export const tenantRead = operationContract({
  kind: 'item',
  name: 'admin-tenant-read',
  path: '/admin/v1/tenants/{id}',
  purpose: 'Returns one tenant, also a deleted one.',
  segments: ID,
  scope: 'admin:tenants:read',
  item: named('AdminTenant'),
});

export const tenantRows = operationContract({
  kind: 'list',
  name: 'admin-tenant-rows',
  path: '/admin/v1/tenants/{id}/rows',
  purpose:
    'Counts the rows of a tenant by table: what a deletion would remove, or what is left of one that has begun.',
  segments: ID,
  scope: 'admin:tenants:read',
  item: named('AdminTenantRows'),
});

export const tenantCreate = operationContract({
  kind: 'creation',
  name: 'admin-tenant-create',
  path: '/admin/v1/tenants',
  purpose: 'Makes a tenant: another issuer with clients, keys and settings of its own.',
  scope: 'admin:tenants',
  action: 'tenant.create',
  body: named('AdminTenantCreation'),
  item: named('AdminTenant'),
  problems: ['conflict'],
});

export const tenantUpdate = operationContract({
  kind: 'change',
  method: 'PATCH',
  name: 'admin-tenant-update',
  path: '/admin/v1/tenants/{id}',
  purpose: 'Changes the aliases and the settings of a tenant.',
  segments: ID,
  scope: 'admin:tenants',
  action: 'tenant.update',
  body: named('AdminTenantPatch'),
  item: named('AdminTenant'),
  problems: ['conflict'],
});

export const tenantDisable = operationContract({
  kind: 'action',
  name: 'admin-tenant-disable',
  path: '/admin/v1/tenants/{id}/disable',
  purpose: 'Takes a tenant out of service, and keeps its data.',
  segments: ID,
  scope: 'admin:tenants',
  action: 'tenant.disable',
  result: named('AdminTenant'),
  problems: ['conflict'],
});

export const tenantEnable = operationContract({
  kind: 'action',
  name: 'admin-tenant-enable',
  path: '/admin/v1/tenants/{id}/enable',
  purpose: 'Takes a disabled tenant into service again.',
  segments: ID,
  scope: 'admin:tenants',
  action: 'tenant.enable',
  result: named('AdminTenant'),
  problems: ['conflict'],
});

export const tenantDelete = operationContract({
  kind: 'removal',
  name: 'admin-tenant-delete',
  path: '/admin/v1/tenants/{id}',
  purpose:
    'Deletes a tenant with all its data, for good. The answer comes before all rows are removed if there are many; the server goes on.',
  segments: ID,
  scope: 'admin:tenants',
  action: 'tenant.delete',
  query: {
    force: {
      words: '`true`: deletes a tenant that is in service. Otherwise it must be disabled.',
      schema: FLAG,
    },
  },
  result: named('AdminTenant'),
  problems: ['conflict'],
});
