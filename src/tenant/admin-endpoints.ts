import { adminAccessTokens } from '../endpoints/admin/access-tokens/endpoint.ts';
import { adminAccounts } from '../endpoints/admin/accounts/endpoint.ts';
import { adminAudit } from '../endpoints/admin/audit/endpoint.ts';
import { adminBackchannelRequests } from '../endpoints/admin/backchannel-requests/endpoint.ts';
import { adminBackups } from '../endpoints/admin/backups/endpoint.ts';
import { adminClientHistory } from '../endpoints/admin/client-history/endpoint.ts';
import { adminClientBulk } from '../endpoints/admin/clients/bulk.ts';
import { adminClients } from '../endpoints/admin/clients/endpoint.ts';
import { adminClientSecrets } from '../endpoints/admin/clients/secrets.ts';
import { adminConsents } from '../endpoints/admin/consents/endpoint.ts';
import { adminDeclarations } from '../endpoints/admin/declarations/endpoint.ts';
import { adminTenantDeclarations } from '../endpoints/admin/declarations/tenants.ts';
import { adminDeviceAuthorizations } from '../endpoints/admin/device-authorizations/endpoint.ts';
import { adminEventStreams } from '../endpoints/admin/event-streams/endpoint.ts';
import { adminFapiReport } from '../endpoints/admin/fapi-report/endpoint.ts';
import { adminFederation } from '../endpoints/admin/federation/endpoint.ts';
import { adminGrants } from '../endpoints/admin/grants/endpoint.ts';
import { adminInitialTokens } from '../endpoints/admin/initial-access-tokens/endpoint.ts';
import { adminKeys } from '../endpoints/admin/keys/endpoint.ts';
import type { OpenOperation } from '../endpoints/admin/operation.ts';
import type { OperationContract } from '../endpoints/admin/operation-contract.ts';
import { adminSessions } from '../endpoints/admin/sessions/endpoint.ts';
import { adminSettings } from '../endpoints/admin/settings/endpoint.ts';
import { adminStatistics } from '../endpoints/admin/statistics/endpoint.ts';
import { adminTenants } from '../endpoints/admin/tenants/endpoint.ts';
import { adminWebhooks } from '../endpoints/admin/webhooks/endpoint.ts';
import type { Endpoint } from '../endpoints/contract.ts';
import { tenantDeclarations } from './declared/declarations.ts';
import type { Issuer } from './issuer.ts';
import { tenantDirectory } from './tenant-directory.ts';

/** Every operation of the administration API, by resource. */
const RESOURCES: readonly (readonly OpenOperation<Issuer>[])[] = [
  adminClients,
  adminClientBulk,
  adminClientSecrets,
  adminDeclarations,
  adminClientHistory,
  adminFapiReport,
  adminInitialTokens,
  adminKeys,
  adminAudit,
  adminSettings,
  adminStatistics,
  adminAccounts,
  adminSessions,
  adminGrants,
  adminBackchannelRequests,
  adminDeviceAuthorizations,
  adminConsents,
  adminAccessTokens,
  adminFederation,
  adminWebhooks,
  adminEventStreams,
];

/**
 * Returns the administration of one tenant; nothing where a setting switches it off.
 * @param endpointPaths returns the paths of the endpoints below an issuer
 */
export function adminEndpoints(issuer: Issuer, endpointPaths: () => readonly string[]): readonly Endpoint[] {
  if (issuer.settings['admin.listeners'] === 'none') return [];
  return [...RESOURCES.flat().map((open) => open(issuer)), ...aboutTenants(issuer, endpointPaths)];
}

/** Returns the operations about all tenants, which only the default tenant has. */
function aboutTenants(issuer: Issuer, endpointPaths: () => readonly string[]): readonly Endpoint[] {
  const { backups, tenants, settings, clock } = issuer;
  if (tenants === undefined) return [];
  const { store, mode } = tenants;
  const needs = { settings, mode, tenants: store, clock, endpointPaths };
  const parts = { directory: tenantDirectory(needs), declarations: tenantDeclarations(needs) };
  return [
    ...ABOUT_TENANTS.map((open) => open({ ...issuer, ...parts })),
    ...(backups === undefined ? [] : adminBackups.map((open) => open({ ...issuer, backups }))),
  ];
}

const ABOUT_TENANTS = [...adminTenants, ...adminTenantDeclarations];

/** The contracts of the operations that other tenants do not have. */
export const ADMIN_CONTRACTS_OF_DEFAULT_TENANT: readonly OperationContract[] = [
  ...ABOUT_TENANTS,
  ...adminBackups,
].map(({ contract }) => contract);

/** The contracts of all operations, whatever the settings. */
export const ADMIN_CONTRACTS: readonly OperationContract[] = [
  ...RESOURCES.flat().map(({ contract }) => contract),
  ...ADMIN_CONTRACTS_OF_DEFAULT_TENANT,
];
