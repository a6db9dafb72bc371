import type { AuthenticationMethod } from './method.ts';
import { proveBySecret } from './presented-secret.ts';

/** RFC 6749 §2.3.1, credentials in the request body. */
export const clientSecretPost: AuthenticationMethod = {
  name: 'client_secret_post',
  place: {
    isUsed: ({ parameters }) => parameters?.['client_secret'] !== undefined,
    claim: ({ parameters }) => {
      const client_id = parameters?.['client_id'];
      const credential = parameters?.['client_secret'];
      return client_id === undefined || credential === undefined ? undefined : { client_id, credential };
    },
  },
  prove: proveBySecret,
};
