import type { JsonObject } from '../../spec/json.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { requireCallableUrls } from './outbound-members.ts';
import { requireAllowedHosts, requirePrivileges } from './registration-needs.ts';
import { requireSectorIdentifier } from './sector-identifier.ts';
import { type ValidatedMetadata, validateMetadata } from './validate-metadata.ts';

/**
 * Everything that metadata has to pass before it is stored, whether it makes a client or changes one: permission first,
 * then form, then what has to be asked of others.
 * @param presentedToken whether a lacking privilege is answered with what the token lacks, or with the wish for one.
 * @throws OAuthError invalid_token, insufficient_scope, invalid_client_metadata, invalid_redirect_uri
 */
export async function admitMetadata(
  needs: RegistryNeeds,
  request: JsonObject,
  privileges: RegistrationPrivileges,
  presentedToken: boolean,
): Promise<ValidatedMetadata> {
  requirePrivileges(request, privileges, presentedToken);
  const validated = validateMetadata(request, needs.settings.metadata);
  requireAllowedHosts(validated.metadata, privileges);
  requireCallableUrls(needs, validated.metadata);
  await requireSectorIdentifier(needs, validated.metadata);
  return validated;
}
