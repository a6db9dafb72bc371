import type { Settings } from '../../config/settings.ts';
import { ADMIN_SCOPES } from '../../spec/admin-scopes.ts';
import { administrationResource, userinfoResource } from '../../spec/protected-resource.ts';
import type { Contract, Endpoint } from '../contract.ts';
import { administrationContract, contract } from './contract.ts';

export interface ProtectedResourceNeeds {
  readonly issuer: string;
  readonly settings: Pick<Settings, 'dpop.enabled' | 'admin.listeners' | 'signatures.algorithms'>;
  readonly maxAge: number;
  /** Whether certificates of clients arrive, so that tokens can be bound to them. */
  readonly takesCertificates: boolean;
}

/** Says how to get a token for each resource that this server protects itself (RFC 9728 §2). */
export function protectedResources(needs: ProtectedResourceNeeds): readonly Endpoint[] {
  const { issuer, settings } = needs;
  const userinfo = described(needs, contract, {
    resource: userinfoResource(issuer),
    scopes_supported: ['openid'],
    bearer_methods_supported: ['header', 'body'],
  });
  if (settings['admin.listeners'] !== 'both') return [userinfo];
  const administration = described(needs, administrationContract, {
    resource: administrationResource(issuer),
    scopes_supported: ADMIN_SCOPES,
    bearer_methods_supported: ['header'],
  });
  return [userinfo, administration];
}

interface Resource {
  readonly resource: string;
  readonly scopes_supported: readonly string[];
  readonly bearer_methods_supported: readonly string[];
}

function described(
  { issuer, settings, maxAge, takesCertificates }: ProtectedResourceNeeds,
  of: Contract,
  { resource, ...rest }: Resource,
): Endpoint {
  const metadata = {
    resource,
    authorization_servers: [issuer],
    ...rest,
    ...(settings['dpop.enabled']
      ? { dpop_signing_alg_values_supported: settings['signatures.algorithms'] }
      : {}),
    ...(takesCertificates ? { tls_client_certificate_bound_access_tokens: true } : {}),
  };
  const body = JSON.stringify(metadata);
  const headers = { 'content-type': 'application/json', 'cache-control': `public, max-age=${maxAge}` };
  return { contract: of, handle: () => ({ status: 200, headers, body }) };
}
