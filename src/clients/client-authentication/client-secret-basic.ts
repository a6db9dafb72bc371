import type { AuthenticationMethod } from './method.ts';
import { proveBySecret } from './presented-secret.ts';

/** RFC 6749 §2.3.1, HTTP Basic. */
export const clientSecretBasic: AuthenticationMethod = {
  name: 'client_secret_basic',
  place: {
    isUsed: ({ authorization }) =>
      authorization.scheme === 'basic' ||
      (authorization.scheme === 'unusable' && authorization.tried !== 'bearer'),
    claim: ({ authorization }) =>
      authorization.scheme === 'basic'
        ? { client_id: authorization.id, credential: authorization.secret }
        : undefined,
  },
  prove: proveBySecret,
};
