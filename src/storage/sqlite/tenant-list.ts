/** The version that the list of tenants gets with the change. */
export const NEXT_VERSION = '(SELECT version + 1 FROM tenant_list WHERE id = 1)';
export const CHANGE_LIST = 'UPDATE tenant_list SET version = version + 1 WHERE id = 1';
