import { OAuthError } from '../../spec/errors.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

/** The signed server JWK set of a server without a federation: there is none, and that is said (decision 37). */
export function signedJwkSet(): Endpoint {
  return {
    contract,
    handle() {
      throw new OAuthError('federation_not_enabled', {
        error_description: 'OpenID Federation is not enabled',
      });
    },
  };
}
