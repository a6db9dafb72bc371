import type { StoredClient } from '../../ports/client-store.ts';
import type { RefusalNotes } from '../../spec/errors.ts';
import { isExpiredSecretOf, liveSecretOf } from '../secrets/client-secrets.ts';
import type { AuthenticationMethod, AuthenticationNeeds, Claimed, Proof } from './method.ts';

/** The identifier and secret in the Authorization header, by HTTP Basic (RFC 6749 §2.3.1). */
export const clientSecretBasic: AuthenticationMethod = {
  name: 'client_secret_basic',
  place: {
    tried: 'client_secret_basic',
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

/** The identifier and secret in the request body (RFC 6749 §2.3.1). */
export const clientSecretPost: AuthenticationMethod = {
  name: 'client_secret_post',
  place: {
    tried: 'client_secret_post',
    isUsed: ({ parameters }) => parameters?.['client_secret'] !== undefined,
    claim: ({ parameters }) => {
      const client_id = parameters?.['client_id'];
      const credential = parameters?.['client_secret'];
      return client_id === undefined || credential === undefined ? undefined : { client_id, credential };
    },
  },
  prove: proveBySecret,
};

/** Proves a client by its secret, from the header or from the body. */
function proveBySecret(
  { clock }: Pick<AuthenticationNeeds, 'clock'>,
  stored: StoredClient,
  { credential }: Claimed,
): Proof {
  const secret = liveSecretOf(stored, credential, clock.now());
  if (secret !== undefined) return { proved: true, secret };
  const expired = isExpiredSecretOf(stored, credential);
  const notes: RefusalNotes = expired
    ? { reason: 'expired-secret', detail: 'the secret has expired' }
    : { reason: 'wrong-secret', detail: 'wrong secret' };
  return { proved: false, notes };
}
