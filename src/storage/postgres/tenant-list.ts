import { statement } from './statement.ts';

/** Locks the list. Names are unique among all tenants, so only one transaction at a time may assign names. */
export const TAKE_LIST = statement(
  'tenant_list_take',
  'UPDATE tenant_list SET version = version WHERE id = 1',
);
export const CHANGE_LIST = statement(
  'tenant_list_change',
  'UPDATE tenant_list SET version = version + 1 WHERE id = 1',
);
/** The version that the list gets with the change. The transaction holds the list. */
export const NEXT_VERSION = '(SELECT tenant_list.version + 1 FROM tenant_list WHERE id = 1)';
export const INSERT_NAME = statement(
  'tenant_insert_name',
  'INSERT INTO tenant_issuer (tenant, position, issuer) VALUES (:tenant, :position, :issuer)',
);
