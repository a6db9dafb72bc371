import { OAuthError } from '../../spec/errors.ts';
import type { Endpoint } from '../contract.ts';
import { disabledContract } from './contract.ts';

/** Refuses every registration: the server is in no federation (decision 37). */
export const disabledFederationRegistration: Endpoint = {
  contract: disabledContract,
  handle() {
    throw new OAuthError('federation_not_enabled', {
      error_description: 'OpenID Federation is not enabled',
    });
  },
};
