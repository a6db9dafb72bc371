import { adminAudit } from '../endpoints/admin/audit/endpoint.ts';
import { adminClients } from '../endpoints/admin/clients/endpoint.ts';
import { adminClientSecrets } from '../endpoints/admin/clients/secrets.ts';
import { adminInitialTokens } from '../endpoints/admin/initial-access-tokens/endpoint.ts';
import { adminKeys } from '../endpoints/admin/keys/endpoint.ts';
import type { OpenOperation } from '../endpoints/admin/operation.ts';
import type { OperationContract } from '../endpoints/admin/operation-contract.ts';
import { adminSettings } from '../endpoints/admin/settings/endpoint.ts';
import { adminStatistics } from '../endpoints/admin/statistics/endpoint.ts';
import type { Endpoint } from '../endpoints/contract.ts';
import type { Issuer } from './issuer.ts';

/** Every operation of the administration API, by resource. */
const RESOURCES: readonly (readonly OpenOperation<Issuer>[])[] = [
  adminClients,
  adminClientSecrets,
  adminInitialTokens,
  adminKeys,
  adminAudit,
  adminSettings,
  adminStatistics,
];

/** Returns the administration of one tenant; nothing where a setting switches it off. */
export function adminEndpoints(issuer: Issuer): readonly Endpoint[] {
  if (issuer.settings['admin.listeners'] === 'none') return [];
  return RESOURCES.flat().map((open) => open(issuer));
}

/** The contracts of all operations, whatever the settings. */
export const ADMIN_CONTRACTS: readonly OperationContract[] = RESOURCES.flat().map(({ contract }) => contract);
