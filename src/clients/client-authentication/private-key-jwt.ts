import type { StoredClient } from '../../ports/client-store.ts';
import type { JwtVerification } from '../../ports/jwt-verifier.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { SIGNING_ALGORITHMS } from '../../spec/server-capabilities.ts';
import { metadataOf } from '../registered-client.ts';
import type { RemoteVerification } from '../remote-jwk-set.ts';
import { assertionProblem, assertionProfile, clientAssertion } from './client-assertion.ts';
import type { AssertionNeeds, AuthenticationMethod } from './method.ts';

/** OpenID Connect Core §9: a JWT signed with a private key, whose public key the client has registered or publishes. */
export const privateKeyJwt: AuthenticationMethod = {
  name: 'private_key_jwt',
  place: clientAssertion,
  async prove({ assertions }, stored, { credential }) {
    const profile = assertionProfile(assertions, stored, SIGNING_ALGORITHMS);
    const verification = await verifyWithKeysOf(assertions, stored, (keys) =>
      assertions.verifier.verify(credential, keys, profile),
    );
    if (!verification.verified) return { proved: false, detail: refusalOf(verification) };
    const detail = await assertionProblem(assertions, stored, verification.claims);
    return detail === undefined ? { proved: true, secret: undefined } : { proved: false, detail };
  },
};

type Refusal = Extract<RemoteVerification, { readonly verified: false }>;

const refusalOf = (refusal: Refusal): string =>
  `assertion: ${refusal.reason}${'detail' in refusal ? ` (${refusal.detail})` : ''}`;

async function verifyWithKeysOf(
  { jwkSets }: AssertionNeeds,
  stored: StoredClient,
  verify: (keys: readonly JsonWebKey[]) => Promise<JwtVerification>,
): Promise<RemoteVerification> {
  const { jwks, jwks_uri } = metadataOf(stored);
  if (typeof jwks_uri === 'string') return await jwkSets.verifyWith(jwks_uri, verify);
  // Checked when it was registered: public keys that pass the key policy.
  const { keys } = (jwks ?? { keys: [] }) as { readonly keys: readonly JsonWebKey[] };
  return await verify(keys);
}
