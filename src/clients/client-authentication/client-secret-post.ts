import type { AuthenticationMethod } from './method.ts';

/** RFC 6749 §2.3.1, credentials in the request body. */
export const clientSecretPost: AuthenticationMethod = {
  name: 'client_secret_post',
  isTried: ({ parameters }) => parameters?.['client_secret'] !== undefined,
  claim: ({ parameters }) => {
    const client_id = parameters?.['client_id'];
    const secret = parameters?.['client_secret'];
    return client_id === undefined || secret === undefined ? undefined : { client_id, secret };
  },
};
