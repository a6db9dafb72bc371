import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import { registeredScope } from '../registered-client.ts';
import type { Registrant } from './registration-authority.ts';
import type { ValidatedMetadata } from './validate-metadata.ts';

/**
 * What the client's own registration token may later register (decision 8): what the registrant was allowed. A choice
 * of identifier or secret, and how its access tokens are made, is never the client's own.
 */
export function rememberedPrivileges(
  registrant: Registrant,
  validated: ValidatedMetadata,
): RegistrationPrivileges {
  if (registrant.kind === 'master') return privilegesByMaster(validated);
  const { grant_types, scope, data, redirect_hosts } = registrant.privileges;
  return { grant_types, scope, data, set_id: false, set_secret: false, redirect_hosts };
}

/**
 * The master token is allowed everything, so what it registers is the measure: the client keeps that, cannot widen it,
 * and cannot take back what the master token took away.
 */
export function privilegesByMaster({ metadata, data }: ValidatedMetadata): RegistrationPrivileges {
  return {
    grant_types: metadata.grant_types,
    scope: registeredScope(metadata),
    data: data !== null,
    set_id: false,
    set_secret: false,
    redirect_hosts: 'any',
  };
}
