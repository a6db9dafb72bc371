import type { StoredClient } from '../../ports/client-store.ts';
import { liveSecretOf } from '../secrets/client-secrets.ts';
import type { AuthenticationNeeds, Claimed, Proof } from './method.ts';

/** The secret itself is the proof, wherever it was presented. */
export function proveBySecret(
  { clock }: Pick<AuthenticationNeeds, 'clock'>,
  stored: StoredClient,
  { credential }: Claimed,
): Proof {
  const secret = liveSecretOf(stored, credential, clock.now());
  return secret === undefined
    ? { proved: false, detail: 'wrong or expired secret' }
    : { proved: true, secret };
}
