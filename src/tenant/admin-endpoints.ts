import { adminKeys } from '../endpoints/admin/keys/endpoint.ts';
import type { AdminNeeds, OpenOperation } from '../endpoints/admin/operation.ts';
import type { Endpoint } from '../endpoints/contract.ts';
import type { Issuer } from './issuer.ts';

/** Every operation of the administration API, by resource. */
const RESOURCES: readonly (readonly OpenOperation<Issuer>[])[] = [adminKeys];

/** Returns the administration of one tenant; nothing where a setting switches it off. */
export function adminEndpoints(issuer: Issuer): readonly Endpoint[] {
  if (issuer.settings['admin.listeners'] === 'none') return [];
  const needs: Issuer & AdminNeeds = { ...issuer, audit: issuer.storage.audit };
  return RESOURCES.flat().map((open) => open(needs));
}
