import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { RegistryNeeds } from '../registry-needs.ts';

/** Members whose URLs this server itself calls, now or later. They are checked when written and again when used. */
const CALLED = ['jwks_uri', 'sector_identifier_uri', 'backchannel_logout_uri'] as const;

/** @throws OAuthError invalid_client_metadata for a URL that could never be called, such as one of the inside */
export function requireCallableUrls(needs: RegistryNeeds, metadata: ClientMetadata): void {
  for (const member of CALLED) {
    const url = metadata[member];
    const problem = typeof url === 'string' ? needs.outbound.urlProblem(url) : undefined;
    if (problem !== undefined) {
      throw new OAuthError('invalid_client_metadata', {
        error_description: `${member} cannot be called: ${problem.reason}`,
        detail: problem.detail,
      });
    }
  }
}
