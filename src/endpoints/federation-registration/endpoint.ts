import { OAuthError } from '../../spec/errors.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

/** Explicit registration at a server without a federation: refused, whatever is sent (decision 37). */
export function federationRegistration(): Endpoint {
  return {
    contract,
    handle() {
      throw new OAuthError('federation_not_enabled', {
        error_description: 'OpenID Federation is not enabled',
      });
    },
  };
}
