import { DELIVERY_METHODS } from '../../spec/security-events.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

/** The members that name endpoints, by the names of these. */
const ENDPOINTS = {
  'event-stream-create': 'configuration_endpoint',
  'event-stream-status-read': 'status_endpoint',
  'event-stream-subject-add': 'add_subject_endpoint',
  'event-stream-subject-remove': 'remove_subject_endpoint',
  'event-stream-verification': 'verification_endpoint',
  'jwk-set': 'jwks_uri',
} as const;

/** RFC 6749: an access token opens the endpoints (OpenID Shared Signals Framework 1.0 §7.1.1). */
const OAUTH = { spec_urn: 'urn:ietf:rfc:6749' };

/**
 * Serves the metadata of the transmitter, made of the endpoints that stand (OpenID Shared Signals Framework 1.0 §7.1).
 * @param maxAge seconds for which a cache may keep the document
 */
export function signalsConfiguration(
  { issuer, maxAge }: { readonly issuer: string; readonly maxAge: number },
  endpoints: readonly Endpoint[],
): Endpoint {
  const base = issuer.replace(/\/$/u, '');
  const addresses = endpoints.flatMap(({ contract: { name, path } }) =>
    name in ENDPOINTS ? [[ENDPOINTS[name as keyof typeof ENDPOINTS], base + path] as const] : [],
  );
  const body = JSON.stringify({
    spec_version: '1_0',
    issuer,
    ...Object.fromEntries(addresses),
    delivery_methods_supported: Object.values(DELIVERY_METHODS),
    authorization_schemes: [OAUTH],
    default_subjects: 'ALL',
  });
  const headers = { 'content-type': 'application/json', 'cache-control': `public, max-age=${maxAge}` };
  return { contract, handle: () => ({ status: 200, headers, body }) };
}
